import * as z from 'zod';
import { SWITCH_STATES, type SwitchState, unreachable } from '#contract/words.ts';
import { type BoardIdentity, boardIdentity } from './nvs.ts';

// Frames of two protocols among the text of one serial console: Improv (Wi-Fi) and SFPROV (identity).

type ConsoleFrame =
  | { protocol: 'improv'; type: number; data: Uint8Array }
  | { protocol: 'sfprov'; type: number; data: Uint8Array }
  /** Complete, but its checksum is wrong. */
  | { protocol: 'improv' | 'sfprov'; type: 'damaged' };

type ConsoleReader = { feed(bytes: Uint8Array): void; reset(): void };

const IMPROV = ascii('IMPROV');
const SFPROV = ascii('SFPROV');
const VERSION = 1;
const SFPROV_MAX_BYTES = 1_024;
const MAGIC_BYTES = 6;

/** Everything that is no frame is a person typing, or noise: it is passed over. */
export function createConsoleReader(hear: (frame: ConsoleFrame) => void): ConsoleReader {
  let held: number[] = [];

  /** How many bytes at the front are done with; 0: more must come. */
  const takeOne = (): number => {
    if (held.length === 0) return 0;
    const fits = [IMPROV, SFPROV].find((magic) => startsWith(held, magic));
    if (fits === undefined) return 1;
    const head = fits === IMPROV ? 9 : 10;
    if (held.length < head) return 0;
    if (held[MAGIC_BYTES] !== VERSION) return 1;
    const length = fits === IMPROV ? (held[8] ?? 0) : ((held[8] ?? 0) << 8) | (held[9] ?? 0);
    if (length > SFPROV_MAX_BYTES) return 1;
    const end = head + length;
    if (held.length <= end) return 0;
    const protocol = fits === IMPROV ? 'improv' : 'sfprov';
    if (held[end] !== sumOf(held.slice(0, end))) {
      hear({ protocol, type: 'damaged' });
      // Bytes were lost: the next frame may have begun inside this one.
      return 1;
    }
    hear({ protocol, type: held[7] ?? 0, data: Uint8Array.from(held.slice(head, end)) });
    return end + 1;
  };
  return {
    feed: (bytes) => {
      for (const byte of bytes) {
        held.push(byte);
        for (let gone = takeOne(); gone > 0; gone = takeOne()) held = held.slice(gone);
      }
    },
    reset: () => {
      held = [];
    },
  };
}

/** An Improv frame, with the line end that clients expect after it. */
export function improvFrame(type: number, data: Uint8Array | readonly number[]): Uint8Array {
  return closed([...IMPROV, VERSION, type, data.length, ...data]);
}

function sfprovFrame(type: number, data: Uint8Array): Uint8Array {
  return closed([...SFPROV, VERSION, type, data.length >> 8, data.length & 0xff, ...data]);
}

function closed(bytes: readonly number[]): Uint8Array {
  return Uint8Array.from([...bytes, sumOf(bytes), 0x0a]);
}

function sumOf(bytes: readonly number[]): number {
  let sum = 0;
  for (const byte of bytes) sum = (sum + byte) & 0xff;
  return sum;
}

function startsWith(held: readonly number[], magic: readonly number[]): boolean {
  return magic.every((byte, index) => index >= held.length || held[index] === byte);
}

function ascii(text: string): number[] {
  return [...new TextEncoder().encode(text)];
}

// The device's side of SFPROV: identity, self-test and restart over the serial console. Key and claim code go in and
// never come out again.

const TYPE_COMMAND = 1;
const TYPE_ANSWER = 2;

const command = z.discriminatedUnion('op', [
  z.object({ op: z.literal('info') }),
  boardIdentity.extend({ op: z.literal('identity') }),
  z.object({
    op: z.literal('relay'),
    level: z.enum(SWITCH_STATES),
    for_s: z.number().positive().max(10),
  }),
  z.object({ op: z.literal('reboot') }),
  z.object({ op: z.literal('forget') }),
]);

type BoardInfo = {
  device_id: string | null;
  mqtt_id: string | null;
  has_key: boolean;
  has_claim: boolean;
  firmware_version: string;
  mac: string;
  chip: string;
  gw_host: string | null;
  wifi: 'ready' | 'provisioned';
};

type SfprovDeps = {
  send: (bytes: Uint8Array) => void;
  info: () => BoardInfo;
  saveIdentity: (identity: BoardIdentity) => void;
  /** Drives the relay for so long and measures at once. */
  clickRelay: (
    level: SwitchState,
    forMs: number,
  ) => { current_status: SwitchState; motor_current_ma: number };
  reboot: () => void;
  forget: () => void;
};

type Sfprov = { hear(type: number, data: Uint8Array): void };

export function createSfprov(deps: SfprovDeps): Sfprov {
  const answer = (body: object) =>
    deps.send(sfprovFrame(TYPE_ANSWER, new TextEncoder().encode(JSON.stringify(body))));

  const run = (asked: z.infer<typeof command>) => {
    switch (asked.op) {
      case 'info':
        return answer({ ok: true, ...deps.info() });
      case 'identity': {
        const { op: _op, ...identity } = asked;
        deps.saveIdentity(identity);
        return answer({ ok: true });
      }
      case 'relay':
        return answer({ ok: true, ...deps.clickRelay(asked.level, asked.for_s * 1_000) });
      case 'reboot':
        answer({ ok: true });
        return deps.reboot();
      case 'forget':
        deps.forget();
        return answer({ ok: true });
      default:
        return unreachable(asked);
    }
  };
  return {
    hear: (type, data) => {
      if (type !== TYPE_COMMAND) return;
      const parsed = command.safeParse(parseJson(data));
      if (parsed.success) return run(parsed.data);
      const issue = parsed.error.issues[0];
      answer({
        ok: false,
        error: `${issue?.path.join('.') || 'command'}: ${issue?.message ?? 'not understood'}`,
      });
    },
  };
}

function parseJson(data: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(data));
  } catch {
    // The schema says what should have been there.
    return undefined;
  }
}

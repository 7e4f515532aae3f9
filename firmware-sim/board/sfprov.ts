import * as z from 'zod';
import { SWITCH_STATES, type SwitchState, unreachable } from '#contract/words.ts';
import { sfprovFrame } from './console-frames.ts';
import { type BoardIdentity, boardIdentity } from './settings.ts';

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

export type BoardInfo = {
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

export type SfprovDeps = {
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

export type Sfprov = { hear(type: number, data: Uint8Array): void };

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

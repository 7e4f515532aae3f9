import type {
  BusAddress,
  BusLink,
  BusOpened,
  Patience,
  RegisterRead,
  WordsRead,
} from '#features/probes/ports.ts';
import type { ByteLink } from './byte-link.ts';
import { openSerial } from './open-serial.ts';
import { openSocket } from './open-socket.ts';
import { type FrameRead, rtuAnswer, rtuRequest } from './rtu-frame.ts';
import { tcpAnswer, tcpRequest } from './tcp-frame.ts';

export type OpenBusDeps = {
  /** Milliseconds that only grow. */
  monotonic: () => number;
  isPrivateAddress: (address: string) => boolean;
};

/** The line is turned round: probes with slow drivers miss a request that comes sooner after their answer. */
const TURN_ROUND_MS = 20;
/** What one answer can be, with an echo and some noise before it. */
const MOST_BYTES = 1_024;

/**
 * Opens a bus. Its link reads registers one request at a time, at least 3.5 characters (and 20 ms) after whatever was
 * last heard on the line. Answers why when it does not open.
 */
export async function openBus(deps: OpenBusDeps, address: BusAddress): Promise<BusOpened> {
  const opened = await (address.kind === 'serial' ? openSerial(address) : openSocket(deps, address));
  if (opened.is === 'trouble') return opened;
  return { is: 'open', link: createBusLink(deps, opened.link, address) };
}

type Waiting = { bytes: Uint8Array; look: () => void };

function createBusLink({ monotonic }: OpenBusDeps, line: ByteLink, address: BusAddress): BusLink {
  const state = { isOpen: true, transaction: 0, quietAt: 0, waiting: null as Waiting | null };
  let queue: Promise<unknown> = Promise.resolve();
  const gapMs = address.kind === 'tcp' ? 0 : gapOf(address);

  line.listen(
    (bytes) => {
      state.quietAt = monotonic() + gapMs;
      const { waiting } = state;
      if (waiting === null) return;
      waiting.bytes = joined(waiting.bytes, bytes);
      waiting.look();
    },
    () => {
      state.isOpen = false;
      state.waiting?.look();
    },
  );

  async function once(read: RegisterRead, timeoutMs: number): Promise<WordsRead> {
    const waitMs = state.quietAt - monotonic();
    if (waitMs > 0) await delay(waitMs);
    if (!state.isOpen) return trouble('UNPLUGGED');
    state.transaction = (state.transaction + 1) & 0xffff;
    const { transaction } = state;
    const answerIn = (bytes: Uint8Array): FrameRead =>
      address.kind === 'tcp' ? tcpAnswer(bytes, read, transaction) : rtuAnswer(bytes, read);
    const heard = new Promise<WordsRead>((resolve) => {
      const waiting: Waiting = { bytes: new Uint8Array(0), look: () => undefined };
      const end = (result: WordsRead) => {
        clearTimeout(timer);
        state.waiting = null;
        resolve(result);
      };
      const timer = setTimeout(
        () => end(trouble(waiting.bytes.length === 0 ? 'NO_ANSWER' : 'GARBLED')),
        timeoutMs,
      );
      waiting.look = () => {
        if (!state.isOpen) return end(trouble('UNPLUGGED'));
        const frame = answerIn(waiting.bytes);
        if (frame.is === 'words') end(frame);
        else if (frame.is === 'exception') end(trouble('REFUSED', frame.exception));
        else if (waiting.bytes.length > MOST_BYTES) end(trouble('GARBLED'));
      };
      state.waiting = waiting;
    });
    line.write(address.kind === 'tcp' ? tcpRequest(read, transaction) : rtuRequest(read));
    state.quietAt = monotonic() + gapMs;
    return heard;
  }

  async function patiently(read: RegisterRead, { timeoutMs, tries }: Patience): Promise<WordsRead> {
    // the request itself takes its time on a slow line
    const longMs = timeoutMs + (address.kind === 'tcp' ? 0 : sendingMs(address, 13 + read.count * 2));
    for (let attempt = 1; ; attempt += 1) {
      const result = await once(read, longMs);
      // who refuses has understood; asking again changes nothing
      const isFinal = result.is === 'words' || result.code === 'REFUSED' || result.code === 'UNPLUGGED';
      if (isFinal || attempt >= tries) return result;
    }
  }

  return {
    read(read, patience) {
      const result = queue.then(() => patiently(read, patience));
      queue = result.catch(() => undefined);
      return result;
    },
    isOpen: () => state.isOpen,
    async close() {
      state.isOpen = false;
      state.waiting?.look();
      await line.close();
    },
  };
}

const trouble = (code: Extract<WordsRead, { is: 'trouble' }>['code'], exception: number | null = null) =>
  ({ is: 'trouble', code, exception }) as const;

const bitsPerCharacter = ({ parity, stopBits }: BusAddress) => 9 + (parity === 'none' ? 0 : 1) + stopBits;

const sendingMs = (address: BusAddress, bytes: number) =>
  (bytes * bitsPerCharacter(address) * 1_000) / address.baud;

function gapOf(address: BusAddress): number {
  return Math.max(TURN_ROUND_MS, sendingMs(address, 3.5));
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

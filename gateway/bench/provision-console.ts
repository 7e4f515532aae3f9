import type { SerialLink } from '#adapters/serial/open-port.ts';
import { checksumOf, type Found, findImprovFrame, type ImprovFrame, startsWith } from './improv-frames.ts';
import { cancelled } from './trouble.ts';

/** What a board says on its console: frames of two protocols between the lines of its log. */
export type Heard =
  | ({ kind: 'improv' } & ImprovFrame)
  | ({ kind: 'sfprov' } & SfprovFrame)
  | { kind: 'line'; text: string };

type ConsoleReader = {
  feed: (bytes: Uint8Array) => Heard[];
  /**
   * Gives up the frame that was begun and did not come whole, and looks for others behind its first byte: noise that
   * looks like a long frame must not swallow what follows.
   */
  giveUp: () => Heard[];
};

const LONGEST_LINE = 512;
const NEW_LINE = 0x0a;

export function createConsoleReader(): ConsoleReader {
  let waiting: Uint8Array = new Uint8Array(0);
  let line: number[] = [];

  function take(bytes: Uint8Array): Heard[] {
    const heard: Heard[] = [];
    let at = 0;
    while (at < bytes.length) {
      const improv = findImprovFrame(bytes, at);
      const sfprov = findSfprovFrame(bytes, at);
      if (improv.is === 'frame') {
        heard.push(...endLine(), { kind: 'improv', ...improv.frame });
        at = improv.end;
      } else if (sfprov.is === 'frame') {
        heard.push(...endLine(), { kind: 'sfprov', ...sfprov.frame });
        at = sfprov.end;
      } else if (improv.is === 'partial' || sfprov.is === 'partial') break;
      else {
        heard.push(...takeByte(bytes[at] ?? NEW_LINE));
        at += 1;
      }
    }
    waiting = bytes.slice(at);
    return heard;
  }

  function takeByte(byte: number): Heard[] {
    if (byte === NEW_LINE) return endLine();
    line.push(byte);
    return line.length >= LONGEST_LINE ? endLine() : [];
  }

  function endLine(): Heard[] {
    const text = printable(Uint8Array.from(line));
    line = [];
    return text === '' ? [] : [{ kind: 'line', text }];
  }

  return {
    feed: (bytes) => take(Buffer.concat([waiting, bytes])),
    giveUp() {
      const [first, ...rest] = waiting;
      if (first === undefined) return [];
      return [...takeByte(first), ...take(Uint8Array.from(rest))];
    },
  };
}

/** Without colours and control characters, which would move the cursor of whoever reads it. */
function printable(bytes: Uint8Array): string {
  return new TextDecoder()
    .decode(bytes)
    .replaceAll(/\p{Cc}\[[0-9;]*[A-Za-z]/gu, '')
    .replaceAll(/\p{Cc}/gu, '')
    .trimEnd();
}

/** Runs something after some milliseconds; answers what takes it back. */
export type Later = (ms: number, run: () => void) => () => void;

type ConsoleDeps = {
  link: Pick<SerialLink, 'write' | 'onData' | 'lost'>;
  later: Later;
  signal: AbortSignal;
  /** A line of the board's log. */
  heardLine: (text: string) => void;
};

export type BoardConsole = {
  /**
   * Sends, and answers the first thing that `pick` takes; null when `ms` milliseconds pass without one. With nothing to
   * send it is what followed the last answer. Rejects when the cable is pulled (PortTrouble) and when the job is stopped
   * (BenchTrouble CANCELLED).
   */
  ask: <Answer>(question: {
    send: Uint8Array | null;
    pick: (heard: Heard) => Answer | undefined;
    ms: number;
  }) => Promise<Answer | null>;
  /** Until nothing came for `ms` milliseconds, and at most ten times as long: late answers are let pass. */
  quiet: (ms: number) => Promise<void>;
  close: () => void;
};

const MOST_UNASKED = 100;

/** The console of a board over an open port: one question at a time, log lines told as they come. */
export function openConsole({ link, later, signal, heardLine }: ConsoleDeps): BoardConsole {
  const reader = createConsoleReader();
  // several answers come in one piece: what stands behind the one that was waited for is kept for the next question
  let unasked: Heard[] = [];
  const keep = (heard: Heard) => {
    if (unasked.length < MOST_UNASKED) unasked.push(heard);
  };
  let listener = keep;
  const hear = (heard: Heard[]) => {
    for (const one of heard) {
      if (one.kind === 'line') heardLine(one.text);
      else listener(one);
    }
  };
  const silence = link.onData((bytes) => hear(reader.feed(bytes)));

  /** Waits for `settle` to be called, for the cable, for the end of the job. */
  async function settled<Answer>(begin: (settle: (answer: Answer) => void) => () => void): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const stop = () => reject(cancelled());
    const lose = () => reject(link.lost.reason);
    signal.addEventListener('abort', stop, { once: true });
    link.lost.addEventListener('abort', lose, { once: true });
    const end = begin(resolve);
    try {
      if (signal.aborted) throw cancelled();
      link.lost.throwIfAborted();
      return await promise;
    } finally {
      end();
      listener = keep;
      signal.removeEventListener('abort', stop);
      link.lost.removeEventListener('abort', lose);
    }
  }

  return {
    async ask<Answer>({ send, pick, ms }: Parameters<BoardConsole['ask']>[0]) {
      const awaiting = settled<Answer | null>((settle) => {
        const before = send === null ? unasked : [];
        unasked = [];
        listener = (heard) => {
          // what the caller picks is what the caller gets
          const picked = pick(heard) as Answer | undefined;
          if (picked === undefined) return;
          listener = keep;
          settle(picked);
        };
        for (const heard of before) listener(heard);
        return later(ms, () => settle(null));
      });
      const [answer] = await Promise.all([awaiting, send === null ? undefined : link.write(send)]);
      if (answer === null) hear(reader.giveUp());
      return answer;
    },
    quiet: (ms) =>
      settled<void>((settle) => {
        let cancel = later(ms, settle);
        const last = later(10 * ms, settle);
        listener = () => {
          cancel();
          cancel = later(ms, settle);
        };
        return () => {
          cancel();
          last();
        };
      }),
    close: silence,
  };
}

// Identity over the console of a board: `SFPROV` 01 type, length (2 bytes, big-endian), JSON, checksum, line break.
// It stands beside Improv, which knows Wi-Fi only. docs/device-protocol.md says what the commands carry.

const HEADER = new TextEncoder().encode('SFPROV\u0001');
const MOST_BYTES = 1_024;

export const SFPROV_TYPE = { command: 1, answer: 2 } as const;

type SfprovFrame = { type: number; body: unknown };

export function sfprovFrame(type: number, body: unknown): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(body));
  if (json.length > MOST_BYTES) throw new RangeError(`a frame carries ${MOST_BYTES} bytes of JSON at most`);
  const frame = Uint8Array.of(...HEADER, type, json.length >> 8, json.length & 0xff, ...json);
  return Uint8Array.of(...frame, checksumOf(frame), 0x0a);
}

/** Frames whose JSON cannot be read are none. */
function findSfprovFrame(bytes: Uint8Array, at: number): Found<SfprovFrame> {
  const header = startsWith(bytes, at, HEADER);
  if (header !== 'whole') return { is: header };
  const lengthAt = at + HEADER.length + 1;
  const high = bytes[lengthAt];
  const low = bytes[lengthAt + 1];
  if (high === undefined || low === undefined) {
    return { is: high !== undefined && high > MOST_BYTES >> 8 ? 'none' : 'partial' };
  }
  const length = (high << 8) | low;
  if (length > MOST_BYTES) return { is: 'none' };
  const end = lengthAt + 2 + length + 1;
  if (bytes.length < end) return { is: 'partial' };
  if (bytes[end - 1] !== checksumOf(bytes.subarray(at, end - 1))) return { is: 'none' };
  const body = parsed(bytes.subarray(lengthAt + 2, end - 1));
  if (body === undefined) return { is: 'none' };
  return { is: 'frame', frame: { type: bytes[lengthAt - 1] ?? 0, body }, end };
}

function parsed(json: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json));
  } catch {
    return undefined;
  }
}

import { createRandom, seedFor } from '../random.ts';
import { createRealClock, type SimClock } from '../sim-clock.ts';
import { type Board, type BoardEvent, type BoardOptions, createBoard } from './board.ts';
import type { BoardFaults } from './faults.ts';
import { type HostPort, openHostPort, type PortKind } from './ports.ts';

// The wires between host and board: as fast as their baud rate, and as good as the cable.

type Line = {
  fromHost(bytes: Uint8Array): void;
  fromBoard(bytes: Uint8Array): void;
};

type LineDeps = {
  clock: SimClock;
  random: () => number;
  toBoard: (bytes: Uint8Array) => void;
  toHost: (bytes: Uint8Array) => void;
  unplug: () => void;
};

type LineOptions = {
  /** Bits per second now; null carries everything at once. */
  baud: () => number | null;
  noise: number;
  lost: number;
  /** The cable is pulled once the host has sent so many bytes. */
  unplugAfterBytes: number | null;
};

/** Start bit, eight bits, stop bit. */
const BITS_PER_BYTE = 10;
/** What arrives in one piece was not longer on its way than this. */
const PIECE_MS = 20;
/** What still travels may not pile up without end: a host that writes faster than this is cut. */
const MAX_TRAVELLING_BYTES = 4 * 1_048_576;

export function createLine(deps: LineDeps, options: LineOptions): Line {
  let receivedBytes = 0;
  let limit = options.unplugAfterBytes;
  const toBoard = createWire(deps, options, deps.toBoard);
  const toHost = createWire(deps, options, deps.toHost);

  return {
    fromHost: (bytes) => {
      const rest = limit === null ? bytes.length : limit - receivedBytes;
      receivedBytes += bytes.length;
      toBoard(rest < bytes.length ? bytes.subarray(0, Math.max(0, rest)) : bytes);
      if (limit === null || receivedBytes < limit) return;
      limit = null;
      deps.unplug();
    },
    fromBoard: (bytes) => toHost(bytes),
  };
}

/**
 * One direction. Bytes arrive as they come through, not when the last one of a write has: on a slow line that write takes
 * longer than a board waits for a word. The time of a byte counts from when the one before it is through, so that no
 * rounding adds up.
 */
function createWire(deps: LineDeps, options: LineOptions, deliver: (bytes: Uint8Array) => void) {
  let freeAtMs = 0;
  let travelling = 0;
  const carry = (bytes: Uint8Array, baud: number) => {
    const arriving = worn(bytes, deps.random, options);
    travelling += arriving.length;
    freeAtMs = Math.max(deps.clock.nowMs(), freeAtMs) + (bytes.length * BITS_PER_BYTE * 1_000) / baud;
    deps.clock.at(freeAtMs, () => {
      travelling -= arriving.length;
      deliver(arriving);
    });
  };
  return (bytes: Uint8Array): void => {
    const baud = options.baud();
    if (baud === null) return deliver(worn(bytes, deps.random, options));
    if (travelling + bytes.length > MAX_TRAVELLING_BYTES) return;
    const pieceBytes = Math.max(1, Math.floor((baud * PIECE_MS) / (BITS_PER_BYTE * 1_000)));
    for (let at = 0; at < bytes.length; at += pieceBytes) carry(bytes.subarray(at, at + pieceBytes), baud);
  };
}

function worn(bytes: Uint8Array, random: () => number, { noise, lost }: LineOptions): Uint8Array {
  if (noise === 0 && lost === 0) return bytes.slice();
  const arriving: number[] = [];
  for (const byte of bytes) {
    if (lost > 0 && random() < lost) continue;
    const isHit = noise > 0 && random() < noise;
    arriving.push(isHit ? byte ^ (1 << Math.floor(random() * 8)) : byte);
  }
  return Uint8Array.from(arriving);
}

// A board, its cable and the port a host opens.

export type StartBoardOptions = {
  port: PortKind;
  /** A fixed rate, or `own`: what the board's side of the line is set to. Without it bytes take no time. */
  lineRate?: number | 'own' | undefined;
  faults?: BoardFaults;
  /** After the fault `unplug` the cable comes back so much later. */
  replugAfterMs?: number;
  /** A clock of the caller's; it is then not stopped. */
  clock?: SimClock;
  tell?: (event: StartedBoardEvent) => void;
} & Partial<Omit<BoardOptions, 'faults' | 'download'>>;

export type StartedBoardEvent = BoardEvent | { kind: 'port'; path: string } | { kind: 'unplugged' };

export type StartedBoard = {
  /** What the host opens now; another one after the cable was pulled. */
  path(): string;
  board: Board;
  close(): Promise<void>;
};

export const DEFAULT_MAC = '24:6f:28:5a:00:01';
const REPLUG_AFTER_MS = 1_000;

/** Gives a board power and a port. Throws an Error with one sentence when the port or the flash file cannot be had. */
export async function startBoard(options: StartBoardOptions): Promise<StartedBoard> {
  const clock = options.clock ?? createRealClock();
  const faults = options.faults ?? {};
  const tell = options.tell ?? (() => undefined);
  const seed = options.seed ?? 1;
  let port: HostPort | null = null;
  let closing: Promise<void> | null = null;

  const board = createBoard(
    { clock, send: (bytes) => line.fromBoard(bytes), tell },
    {
      ...options,
      mac: options.mac ?? DEFAULT_MAC,
      seed,
      faults,
      download: options.port.kind === 'rfc2217' ? 'lines' : 'sync',
    },
  );
  const line = createLine(
    {
      clock,
      random: createRandom(seedFor(seed, 'cable')),
      toBoard: board.feed,
      toHost: (bytes) => port?.write(bytes),
      unplug: () => void pull(),
    },
    {
      baud: () => (options.lineRate === 'own' ? board.baud() : (options.lineRate ?? null)),
      noise: faults.noise ?? 0,
      lost: faults.lost ?? 0,
      unplugAfterBytes: faults.unplug ?? null,
    },
  );
  const plug = async () => {
    const opened = await openHostPort(
      { data: line.fromHost, hangUp: board.hangUp, lines: board.setLines },
      options.port,
    );
    if (closing !== null) return opened.close();
    port = opened;
    tell({ kind: 'port', path: opened.path });
    board.powerOn();
  };
  /** The cable feeds the board, too: without it the board is dark. */
  const pull = async () => {
    const pulled = port;
    port = null;
    board.powerOff();
    tell({ kind: 'unplugged' });
    await pulled?.close();
    replugLater();
  };
  /** What stands in the way (a taken port, a file where the link was) may go away. */
  const replugLater = () => {
    clock.at(clock.nowMs() + (options.replugAfterMs ?? REPLUG_AFTER_MS), () => {
      if (closing === null) plug().catch(replugLater);
    });
  };
  try {
    await plug();
  } catch (cause) {
    await board.close();
    if (options.clock === undefined) clock.stop();
    throw cause;
  }
  const close = async () => {
    await board.close();
    await port?.close();
    if (options.clock === undefined) clock.stop();
  };
  return {
    path: () => port?.path ?? '',
    board,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

import type { SimClock } from '../sim-clock.ts';

// The wires between host and board: as fast as their baud rate, and as good as the cable.

export type Line = {
  fromHost(bytes: Uint8Array): void;
  fromBoard(bytes: Uint8Array): void;
};

export type LineDeps = {
  clock: SimClock;
  random: () => number;
  toBoard: (bytes: Uint8Array) => void;
  toHost: (bytes: Uint8Array) => void;
  unplug: () => void;
};

export type LineOptions = {
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

import type { FirmwarePart } from './firmware-manifest.ts';

/** A piece of flash that is written, checked and, after a fault, written again as a whole. */
export type Segment = { name: string; address: number; bytes: Buffer };

type Range = { offset: number; size: number };

/** Small enough that little is sent twice after a fault, large enough that the board's answers cost nothing. */
const SEGMENT = 128 * 1_024;

/** The parts in pieces, in the order of their addresses, with nothing inside `spared`. */
export function planSegments(parts: readonly FirmwarePart[], spared: Range | null): Segment[] {
  return parts
    .toSorted((a, b) => a.offset - b.offset)
    .flatMap(({ name, offset, bytes }) => {
      const end = offset + bytes.length;
      const pieces: Segment[] = [];
      for (const [from, to] of spared === null ? [[offset, end] as const] : around(offset, end, spared)) {
        for (let at = from; at < to; ) {
          const next = Math.min(to, (Math.floor(at / SEGMENT) + 1) * SEGMENT);
          pieces.push({ name, address: at, bytes: padded(bytes.subarray(at - offset, next - offset)) });
          at = next;
        }
      }
      return pieces;
    });
}

function around(from: number, to: number, { offset, size }: Range): (readonly [number, number])[] {
  const before = [from, Math.min(to, offset)] as const;
  const behind = [Math.max(from, offset + size), to] as const;
  return [before, behind].filter(([start, end]) => start < end);
}

/** To whole words, with what erased flash holds. */
function padded(bytes: Buffer): Buffer {
  const missing = -bytes.length & 3;
  return missing === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(missing, 0xff)]);
}

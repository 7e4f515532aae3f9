import { createHash } from 'node:crypto';
import type { EspBoard } from '#adapters/serial/esp-board.ts';
import { inBoth, verbatim } from '#core/both-languages.ts';
import { type JobContext, sentence } from './job.ts';
import { readSteadily, steadily } from './open-board.ts';
import { stepProgress } from './progress.ts';
import { BenchTrouble } from './trouble.ts';
import type { Segment } from './write-plan.ts';

/** A sector that does not take what is written now and then does the second time. */
const WRITES = 2;

/** Which of the segments the board does not hold yet; the chip itself computes the digests. */
export async function segmentsToWrite(
  board: EspBoard,
  segments: readonly Segment[],
  context: JobContext,
): Promise<Segment[]> {
  const progress = stepProgress(context, {
    name: 'compare',
    total: bytesOf(segments),
    message: inBoth('o que já está lá', 'what is there already'),
  });
  const wrong: Segment[] = [];
  for (const segment of segments) {
    if (!(await isHeld(board, segment, context))) wrong.push(segment);
    progress.add(segment.bytes.length);
  }
  return wrong;
}

/**
 * Writes segment after segment and has the chip prove each. Throws BenchTrouble VERIFY_FAILED with the address where the
 * flash does not hold what was written, or what the board answered.
 */
export async function writeSegments(
  board: EspBoard,
  segments: readonly Segment[],
  context: JobContext,
): Promise<void> {
  const progress = stepProgress(context, {
    name: 'write',
    total: bytesOf(segments),
    message: verbatim(namesOf(segments)),
  });
  let counted = 0;
  let before = 0;
  const count = (bytes: number) => {
    // a segment that is sent again does not count twice
    if (bytes <= counted) return;
    progress.add(bytes - counted);
    counted = bytes;
  };
  for (const segment of segments) {
    await writeOne(board, segment, context, (sent) => count(before + sent));
    before += segment.bytes.length;
  }
}

async function writeOne(
  board: EspBoard,
  segment: Segment,
  context: JobContext,
  sent: (bytes: number) => void,
): Promise<void> {
  for (let attempt = 1; attempt <= WRITES; attempt += 1) {
    await steadily(board, context, () => board.write(segment.address, segment.bytes, sent));
    if (await isHeld(board, segment, context)) return;
    if (attempt < WRITES)
      context.tell(
        sentence(
          'again',
          inBoth(
            `${placeOf(segment, 'em')} não é o que foi gravado; gravando de novo`,
            `${placeOf(segment, 'at')} is not what was written; writing it again`,
          ),
          'warning',
        ),
      );
  }
  const address = await firstDifference(board, segment, context);
  throw notHeld(segment, address ?? segment.address);
}

/** Reads all back over the cable and compares it. Throws BenchTrouble VERIFY_FAILED with the first wrong address. */
export async function readBackSegments(
  board: EspBoard,
  segments: readonly Segment[],
  context: JobContext,
): Promise<void> {
  const progress = stepProgress(context, {
    name: 'read',
    total: bytesOf(segments),
    message: inBoth('lendo de volta', 'reading back'),
  });
  for (const segment of segments) {
    const address = await firstDifference(board, segment, context);
    if (address !== null) throw notHeld(segment, address);
    progress.add(segment.bytes.length);
  }
}

async function isHeld(board: EspBoard, { address, bytes }: Segment, context: JobContext): Promise<boolean> {
  const digest = await steadily(board, context, () => board.md5(address, bytes.length));
  return digest === createHash('md5').update(bytes).digest('hex');
}

async function firstDifference(board: EspBoard, { address, bytes }: Segment, context: JobContext) {
  const held = await readSteadily(board, context, { address, length: bytes.length });
  if (held.equals(bytes)) return null;
  return address + held.findIndex((byte, index) => byte !== bytes[index]);
}

function notHeld(segment: Segment, address: number): BenchTrouble {
  return new BenchTrouble('VERIFY_FAILED', {
    message: inBoth(
      `a memória não guarda ${segment.name} a partir de 0x${address.toString(16)}`,
      `the flash does not hold ${segment.name} from 0x${address.toString(16)} on`,
    ),
    next: inBoth(
      'comece de novo uma vez; se falhar no mesmo endereço, a memória desta placa está ruim: use outra placa',
      'start again once; if it fails at the same address, the flash of this board is broken: take another board',
    ),
  });
}

export const bytesOf = (segments: readonly Segment[]) =>
  segments.reduce((sum, { bytes }) => sum + bytes.length, 0);

const namesOf = (segments: readonly Segment[]) => [...new Set(segments.map(({ name }) => name))].join(', ');
const placeOf = ({ name, address }: Segment, at: 'em' | 'at') => `${name} ${at} 0x${address.toString(16)}`;

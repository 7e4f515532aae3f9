import { createHash } from 'node:crypto';
import type { EspBoard } from '#adapters/serial/esp-board.ts';
import { inEach, verbatim } from '#core/each-language.ts';
import type { FirmwarePart } from './firmware-manifest.ts';
import { type JobContext, sentence, stepProgress } from './job.ts';
import { readSteadily, steadily } from './open-board.ts';
import { BenchTrouble } from './trouble.ts';

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
    message: inEach('o que já está lá', 'what is there already', 'lo que ya está ahí'),
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
          inEach(
            `${placeOf(segment, 'em')} não é o que foi gravado; gravando de novo`,
            `${placeOf(segment, 'at')} is not what was written; writing it again`,
            `${placeOf(segment, 'en')} no es lo que se grabó; grabando de nuevo`,
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
    message: inEach('lendo de volta', 'reading back', 'leyendo de vuelta'),
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
    message: inEach(
      `a memória não guarda ${segment.name} a partir de 0x${address.toString(16)}`,
      `the flash does not hold ${segment.name} from 0x${address.toString(16)} on`,
      `la memoria no guarda ${segment.name} a partir de 0x${address.toString(16)}`,
    ),
    next: inEach(
      'comece de novo uma vez; se falhar no mesmo endereço, a memória desta placa está ruim: use outra placa',
      'start again once; if it fails at the same address, the flash of this board is broken: take another board',
      'comience de nuevo una vez; si falla en la misma dirección, la memoria de esta placa está mala: use otra placa',
    ),
  });
}

export const bytesOf = (segments: readonly Segment[]) =>
  segments.reduce((sum, { bytes }) => sum + bytes.length, 0);

const namesOf = (segments: readonly Segment[]) => [...new Set(segments.map(({ name }) => name))].join(', ');
const placeOf = ({ name, address }: Segment, at: 'em' | 'at' | 'en') =>
  `${name} ${at} 0x${address.toString(16)}`;

/** Where the boot loader looks for the table, on every chip of the family. */
export const TABLE_OFFSET = 0x8000;
export const TABLE_SIZE = 0xc00;

const ROW = 32;
const ROW_MAGIC = 0x50aa;
const DIGEST_MAGIC = 0xebeb;
const DIGEST_AT = 16;
const END_MAGIC = 0xffff;
const APP = 0;
const DATA = 1;
const NVS = 2;
const OTA_DATA = 0;
const FACTORY = 0;
const FIRST_SLOT = 0x10;
const LAST_SLOT = 0x1f;

export type Partition = {
  name: string;
  /** `otadata`: which of the slots starts. */
  kind: 'app' | 'nvs' | 'otadata' | 'other';
  /** Of a program: the one it comes with, the number of its slot for updates; null: another one. */
  slot: 'factory' | number | null;
  offset: number;
  size: number;
};

/** The partitions of a table, in its order; none where there is no table. Never throws. */
export function readPartitions(table: Buffer): Partition[] {
  const found: Partition[] = [];
  for (let at = 0; at + ROW <= Math.min(table.length, TABLE_SIZE); at += ROW) {
    if (table.readUInt16LE(at) !== ROW_MAGIC) break;
    const [type, subtype] = [table.readUInt8(at + 2), table.readUInt8(at + 3)];
    found.push({
      name: table
        .subarray(at + 12, at + 28)
        .toString('latin1')
        .replace(/\0.*$/s, '')
        .replace(/[^\x20-\x7e]/g, '?'),
      kind: kindOf(type, subtype),
      slot: type === APP ? slotOf(subtype) : null,
      offset: table.readUInt32LE(at + 4),
      size: table.readUInt32LE(at + 8),
    });
  }
  return found;
}

/**
 * Whether a boot loader would take the table: rows, the MD5 over them where the table carries one, an end. One with a
 * single wrong bit is not taken, and then nothing on the board starts.
 */
export function isSoundTable(table: Buffer): boolean {
  let hasDigest = false;
  for (let at = 0; at + ROW <= Math.min(table.length, TABLE_SIZE); at += ROW) {
    const magic = table.readUInt16LE(at);
    if (magic === END_MAGIC) return true;
    if (magic === DIGEST_MAGIC) {
      const said = table.subarray(at + DIGEST_AT, at + ROW);
      if (hasDigest || !createHash('md5').update(table.subarray(0, at)).digest().equals(said)) return false;
      hasDigest = true;
    } else if (magic !== ROW_MAGIC || hasDigest) return false;
  }
  return false;
}

function kindOf(type: number, subtype: number): Partition['kind'] {
  if (type === APP) return 'app';
  if (type !== DATA) return 'other';
  return subtype === NVS ? 'nvs' : subtype === OTA_DATA ? 'otadata' : 'other';
}

function slotOf(subtype: number): Partition['slot'] {
  if (subtype === FACTORY) return 'factory';
  return subtype >= FIRST_SLOT && subtype <= LAST_SLOT ? subtype - FIRST_SLOT : null;
}

import { crc32 } from 'node:zlib';
import { FIRST_PROGRAM } from './check-firmware.ts';
import type { Firmware } from './firmware-manifest.ts';
import type { Partition } from './write-segments.ts';

/** Two copies of the choice, each in a sector of its own. */
export const CHOICE_AT = [0, 4_096] as const;
export const CHOICE_SIZE = 32;

/** A program that was on trial and did not prove itself. */
const REJECTED: ReadonlySet<number> = new Set([3, 4]);
const UNWRITTEN = 0xffff_ffff;
const IMAGE_MAGIC = 0xe9;

/**
 * The program that the boot loader starts, as ESP-IDF chooses: what an update has chosen, else the one the board came
 * with, else the first slot. `choices` are the heads of both sectors of the partition `otadata`. Null: the table knows no
 * program that starts by itself.
 */
export function startingProgram(
  partitions: readonly Partition[],
  choices: readonly Buffer[],
): Partition | null {
  const slots = partitions
    .filter(({ slot }) => typeof slot === 'number')
    .toSorted((a, b) => Number(a.slot) - Number(b.slot));
  const chosen = Math.max(0, ...choices.map(sequenceIn));
  const byUpdate = chosen === 0 ? undefined : slots[(chosen - 1) % slots.length];
  return byUpdate ?? partitions.find(({ slot }) => slot === 'factory') ?? slots[0] ?? null;
}

/** Counts up with every update; 0: this copy holds no choice. */
function sequenceIn(choice: Buffer): number {
  if (choice.length < CHOICE_SIZE) return 0;
  const sequence = choice.readUInt32LE(0);
  if (sequence === UNWRITTEN || REJECTED.has(choice.readUInt32LE(24))) return 0;
  return choice.readUInt32LE(28) === crc32(choice.subarray(0, 4), UNWRITTEN) ? sequence : 0;
}

/** Whether a firmware says what lies at an address. */
export const isPartOf = ({ parts }: Firmware, address: number): boolean =>
  parts.some(({ offset, bytes }) => offset <= address && address < offset + bytes.length);

/** Whether a firmware holds a program, and not only a boot loader or data. */
export const holdsProgram = ({ parts }: Firmware): boolean =>
  parts.some(({ offset, bytes }) =>
    offset < FIRST_PROGRAM ? offset + bytes.length > FIRST_PROGRAM : bytes[0] === IMAGE_MAGIC,
  );

import { crc32 } from 'node:zlib';
import type { ChipFacts, EspBoard } from '#adapters/serial/esp-board.ts';
import { FIRST_PROGRAM, isBlank } from './check-firmware.ts';
import { describedIn, type ProgramDescription } from './esp-image.ts';
import type { Firmware } from './firmware-manifest.ts';
import type { JobContext } from './job.ts';
import { NVS_OFFSET, NVS_SIZE, readNvs } from './nvs-image.ts';
import { readSteadily } from './open-board.ts';
import { type Partition, readPartitions, TABLE_OFFSET, TABLE_SIZE } from './write-segments.ts';

/** What a board is and what it holds, as far as it may be shown: no keys, no passwords. */
export type BoardFacts = ChipFacts & {
  baud: number;
  /** The program that would start. */
  firmware: ProgramDescription | null;
  identity: {
    device_id: string;
    mqtt_id: string | null;
    gw_host: string | null;
    wifi: boolean;
    /** Whether it has the claim code of a label. */
    has_claim: boolean;
  } | null;
  /** `blank`, `ours` (it holds an identity), or `other`: it holds something without one. */
  content: 'blank' | 'ours' | 'other';
};

/** Where the boot loader finds the program to start, and why that one. */
export type Start = {
  /** The program that would start. */
  at: number;
  name: string;
  /** The one that would start if no update had chosen another. */
  defaultAt: number;
  /** Where an update notes its choice; null: this board takes none. */
  choice: { offset: number; size: number } | null;
};

/** Reads the little that tells who a board is, a few KiB. */
export async function readBoard(
  board: EspBoard,
  facts: ChipFacts,
  context: JobContext,
): Promise<{ shown: BoardFacts; nvs: Buffer; start: Start }> {
  const read = (address: number, length: number) => readSteadily(board, context, { address, length });
  const table = await read(TABLE_OFFSET, TABLE_SIZE);
  const nvs = await read(NVS_OFFSET, NVS_SIZE);
  const start = await startOf(readPartitions(table), facts, read);
  const isInFlash = start.at + 256 <= facts.flash_bytes;
  // behind the head of the image and of its first segment
  const firmware = isInFlash ? describedIn((await read(start.at, 256)).subarray(32)) : null;
  const identity = identityIn(nvs);
  const isEmpty = isBlank(table) && isBlank(nvs) && firmware === null;
  const content = identity !== null ? 'ours' : isEmpty ? 'blank' : 'other';
  return { shown: { ...facts, baud: board.baud, firmware, identity, content }, nvs, start };
}

async function startOf(
  partitions: readonly Partition[],
  facts: ChipFacts,
  read: (address: number, length: number) => Promise<Buffer>,
): Promise<Start> {
  const isThere = ({ offset, size }: Partition) => offset + size <= facts.flash_bytes;
  const noted = partitions.find((one) => one.kind === 'otadata' && isThere(one));
  const choices: Buffer[] = [];
  for (const at of CHOICE_AT)
    if (noted !== undefined && at + CHOICE_SIZE <= noted.size)
      choices.push(await read(noted.offset + at, CHOICE_SIZE));
  const program = startingProgram(partitions, choices);
  return {
    at: program?.offset ?? FIRST_PROGRAM,
    name: program?.name ?? 'app',
    defaultAt: startingProgram(partitions, [])?.offset ?? FIRST_PROGRAM,
    choice: noted === undefined ? null : { offset: noted.offset, size: noted.size },
  };
}

function identityIn(nvs: Buffer): BoardFacts['identity'] {
  const ours = readNvs(nvs);
  const text = (key: string) => {
    const value = ours?.get(key);
    return typeof value === 'string' ? value : null;
  };
  const deviceId = text('device_id');
  if (deviceId === null) return null;
  return {
    device_id: deviceId,
    mqtt_id: text('mqtt_id'),
    gw_host: text('gw_host'),
    wifi: text('ssid') !== null,
    has_claim: text('claim') !== null,
  };
}

/** Two copies of the choice, each in a sector of its own. */
const CHOICE_AT = [0, 4_096] as const;
const CHOICE_SIZE = 32;

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

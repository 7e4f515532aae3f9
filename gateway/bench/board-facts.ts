import type { ChipFacts, EspBoard } from '#adapters/serial/esp-board.ts';
import { FIRST_PROGRAM, isBlank } from './check-firmware.ts';
import { describedIn, type ProgramDescription } from './esp-image.ts';
import type { JobContext } from './job.ts';
import { NVS_OFFSET, NVS_SIZE, readNvs } from './nvs-image.ts';
import { readSteadily } from './open-board.ts';
import { readPartitions, TABLE_OFFSET, TABLE_SIZE } from './partition-table.ts';

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

/** Reads the little that tells who a board is, a few KiB. */
export async function readBoard(
  board: EspBoard,
  facts: ChipFacts,
  context: JobContext,
): Promise<{ shown: BoardFacts; nvs: Buffer }> {
  const read = (address: number, length: number) => readSteadily(board, context, { address, length });
  const table = await read(TABLE_OFFSET, TABLE_SIZE);
  const nvs = await read(NVS_OFFSET, NVS_SIZE);
  const programAt = readPartitions(table).find(({ kind }) => kind === 'app')?.offset ?? FIRST_PROGRAM;
  const isInFlash = programAt + 256 <= facts.flash_bytes;
  // behind the head of the image and of its first segment
  const firmware = isInFlash ? describedIn((await read(programAt, 256)).subarray(32)) : null;
  const identity = identityIn(nvs);
  const isEmpty = isBlank(table) && isBlank(nvs) && firmware === null;
  const content = identity !== null ? 'ours' : isEmpty ? 'blank' : 'other';
  return { shown: { ...facts, baud: board.baud, firmware, identity, content }, nvs };
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

import { sql } from 'kysely';
import type { Db } from '#adapters/sql/database.ts';
import { OWN_STREAM } from '#adapters/sql/instance.ts';
import type { SyncLane } from '#contract/sync/wire.ts';
import { KEPT_ASIDE_THERE } from './gateway-store.ts';
import { bytesPerRow, firstSince, type LaneOfLog, lanesOfLog, rowAt, stampMs } from './own-log.ts';

const DAY_MS = 86_400_000;

export type WaitingLane = { waitingRows: number; oldestAtMs: number | null };

/** What waits, and since when: cheap, for every look at the status. */
export async function waitingRows(read: Db): Promise<Record<SyncLane, WaitingLane>> {
  const lanes = await lanesOfLog(read);
  const waiting = async ({ lane, head, acked, first }: LaneOfLog): Promise<WaitingLane> => {
    if (head <= acked) return { waitingRows: 0, oldestAtMs: null };
    const oldest = await rowAt(read, lane, { from: Math.max(acked + 1, first) });
    return { waitingRows: head - acked, oldestAtMs: oldest === null ? null : stampMs(oldest.hlc) };
  };
  const none: WaitingLane = { waitingRows: 0, oldestAtMs: null };
  const found: Record<SyncLane, WaitingLane> = { core: none, history: none };
  for (const lane of lanes) found[lane.lane] = await waiting(lane);
  return found;
}

export type LogSize = {
  /** Of unconfirmed rows that are kept. */
  logBytes: number;
  /** Written within the last day, or since the log begins where that is shorter. */
  written: { rows: number; bytesPerRow: number; overMs: number }[];
};

/** How large the log is and how fast it grows; every few minutes. */
export async function logSize(read: Db, nowMs: number): Promise<LogSize> {
  let logBytes = 0;
  const written: LogSize['written'] = [];
  for (const lane of await lanesOfLog(read)) {
    const bytes = await bytesPerRow(read, lane);
    logBytes += Math.max(0, lane.head - Math.max(lane.acked, lane.first - 1)) * bytes;
    const since = await firstSince(read, lane, nowMs - DAY_MS);
    const begin = await rowAt(read, lane.lane, { from: since });
    if (begin === null) continue;
    // a log that begins within the day tells of a shorter time
    const overMs = since > lane.first ? DAY_MS : Math.max(0, nowMs - stampMs(begin.hlc));
    written.push({ rows: lane.head - since + 1, bytesPerRow: bytes, overMs });
  }
  return { logBytes, written };
}

export async function syncCounts(
  read: Db,
): Promise<{ parkedHere: number; parkedThere: number; conflictsOpen: number }> {
  const parked = await read
    .selectFrom('sync_parked')
    .select(['stream_id', sql<number>`count(*)`.as('n')])
    .groupBy('stream_id')
    .execute();
  const of = (stream: number) => Number(parked.find(({ stream_id }) => stream_id === stream)?.n ?? 0);
  const conflicts = await read
    .selectFrom('sync_conflicts')
    .select(sql<number>`count(*)`.as('n'))
    .where('state', '=', 'open')
    .executeTakeFirst();
  return {
    parkedHere: of(OWN_STREAM),
    parkedThere: of(KEPT_ASIDE_THERE),
    conflictsOpen: Number(conflicts?.n ?? 0),
  };
}

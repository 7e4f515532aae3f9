import { sql } from 'kysely';
import type { Database, Db } from '#adapters/sql/database.ts';
import { OWN_STREAM } from '#adapters/sql/instance.ts';
import { LANES, type SyncLane } from '#contract/sync/wire.ts';
import { formatHlc, readHlc } from '#store/hlc.ts';
import { isDifference } from '../../sync/gateway/ask-snapshot.ts';
import { KEPT_ASIDE_THERE } from './gateway-store.ts';

/** Rows removed at a time, so that control never waits for a clean-up. */
const SLICE = 500;
/** Confirmed rows stay for a week: a hosted instance that comes back from a backup finds them by their chains. */
const ACKED_KEPT_MS = 7 * 86_400_000;
const CHANGES_KEPT = 50_000;

export type LogRetention = {
  now: () => number;
  isPaired: boolean;
};

/**
 * Shortens the gateway's change log.
 * - Paired: what was confirmed goes after a week, or when there is much of it; nothing unconfirmed ever does.
 * - Not paired, or everything is to be compared anyway: the newest rows alone are kept, confirmed or not. The next meeting
 *   compares registers and rows, and logs the difference; it does not need this log.
 */
export async function shortenOwnLog(
  { read }: Pick<Database, 'read'>,
  { now, isPaired }: LogRetention,
): Promise<void> {
  const stream = await read
    .selectFrom('sync_stream')
    .select('resync')
    .where('stream_id', '=', OWN_STREAM)
    .executeTakeFirst();
  if (stream === undefined) return;
  const isCompared = stream.resync !== null && !isDifference(stream.resync);
  for (const lane of await lanesOfLog(read)) {
    const last =
      isPaired && !isCompared
        ? Math.min(lane.acked, Math.max(await lastOld(lane), lane.head - CHANGES_KEPT))
        : lane.head - CHANGES_KEPT;
    await removeUpTo(lane.lane, lane.first, last);
  }

  async function lastOld(lane: LaneOfLog): Promise<number> {
    return (await firstSince(read, lane, now() - ACKED_KEPT_MS)) - 1;
  }

  async function removeUpTo(lane: SyncLane, first: number, last: number): Promise<void> {
    for (let from = first; from <= last; from += SLICE) {
      await read
        .deleteFrom('sync_change')
        .where('stream_id', '=', OWN_STREAM)
        .where('lane', '=', lane)
        .where('seq', '<=', Math.min(last, from + SLICE - 1))
        .execute();
      await read
        .deleteFrom('sync_restamps')
        .where('stream_id', '=', OWN_STREAM)
        .where('lane', '=', lane)
        .where('seq', '<=', Math.min(last, from + SLICE - 1))
        .execute();
      // the database answers at once here; whoever waits for a turn gets it now
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

// How much of the gateway's change log there is. Numbers of a lane have no gaps and stamps grow with them, so nothing
// here counts or scans rows: a farm that was offline for a month has hundreds of thousands.

type LaneOfLog = {
  lane: SyncLane;
  head: number;
  acked: number;
  /** First number that is kept; head + 1 when the log is empty. */
  first: number;
};

async function lanesOfLog(read: Db): Promise<LaneOfLog[]> {
  const stream = await read
    .selectFrom('sync_stream')
    .select(['core_seq', 'history_seq', 'acked_core_seq', 'acked_history_seq'])
    .where('stream_id', '=', OWN_STREAM)
    .executeTakeFirstOrThrow();
  return Promise.all(
    LANES.map(async (lane) => {
      const head = stream[`${lane}_seq`];
      const oldest = await rowAt(read, lane, { from: 0 });
      return { lane, head, acked: stream[`acked_${lane}_seq`], first: oldest?.seq ?? head + 1 };
    }),
  );
}

/** The first kept row from a number on. */
async function rowAt(
  read: Db,
  lane: SyncLane,
  { from }: { from: number },
): Promise<{ seq: number; hlc: string } | null> {
  const row = await read
    .selectFrom('sync_change')
    .select(['seq', 'hlc'])
    .where('stream_id', '=', OWN_STREAM)
    .where('lane', '=', lane)
    .where('seq', '>=', from)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

const stampMs = (hlc: string): number => readHlc(hlc).ms;

/** Smallest number in the lane whose stamp is not before `ms`; head + 1 when all are. About twenty look-ups. */
async function firstSince(read: Db, { lane, first, head }: LaneOfLog, ms: number): Promise<number> {
  const floor = formatHlc(Math.max(0, Math.floor(ms)), 0, '');
  let [low, high] = [first, head + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = await rowAt(read, lane, { from: middle });
    if (row === null || row.hlc >= floor) high = middle;
    else low = middle + 1;
  }
  return low;
}

const SAMPLE = 100;
/** Keys, stamps, chains and the tree around them. */
const ROW_BYTES = 300;

/** Mean bytes of a row on the disk, from the newest ones. */
async function bytesPerRow(read: Db, { lane, head }: LaneOfLog): Promise<number> {
  const rows = await read
    .selectFrom('sync_change')
    .select((eb) => [
      eb.fn<number>('length', ['body_json']).as('body'),
      eb.fn<number>('length', ['base_json']).as('base'),
    ])
    .where('stream_id', '=', OWN_STREAM)
    .where('lane', '=', lane)
    .where('seq', '>', head - SAMPLE)
    .execute();
  if (rows.length === 0) return ROW_BYTES;
  const text = rows.reduce((sum, { body, base }) => sum + (body ?? 0) + (base ?? 0), 0);
  return ROW_BYTES + Math.round(text / rows.length);
}

const DAY_MS = 86_400_000;

type WaitingLane = { waitingRows: number; oldestAtMs: number | null };

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

type LogSize = {
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

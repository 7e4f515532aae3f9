import type { Db } from '#adapters/sql/database.ts';
import { OWN_STREAM } from '#adapters/sql/instance.ts';
import { LANES, type SyncLane } from '#contract/sync/wire.ts';
import { formatHlc, readHlc } from '#store/hlc.ts';

// How much of the gateway's change log there is. Numbers of a lane have no gaps and stamps grow with them, so nothing
// here counts or scans rows: a farm that was offline for a month has hundreds of thousands.

export type LaneOfLog = {
  lane: SyncLane;
  head: number;
  acked: number;
  /** First number that is kept; head + 1 when the log is empty. */
  first: number;
};

export async function lanesOfLog(read: Db): Promise<LaneOfLog[]> {
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
export async function rowAt(
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

export const stampMs = (hlc: string): number => readHlc(hlc).ms;

/** Smallest number in the lane whose stamp is not before `ms`; head + 1 when all are. About twenty look-ups. */
export async function firstSince(read: Db, { lane, first, head }: LaneOfLog, ms: number): Promise<number> {
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
export async function bytesPerRow(read: Db, { lane, head }: LaneOfLog): Promise<number> {
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

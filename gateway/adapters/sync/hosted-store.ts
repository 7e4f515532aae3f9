import { sql } from 'kysely';
import type { Db } from '#adapters/sql/database.ts';
import { comparedWithout } from '#contract/resources/local-tables.ts';
import { pairedGateway } from '#contract/resources/sync-tables.ts';
import { MOST_RETURNS, type Restamp, type SyncLane, type WireChange } from '#contract/sync/wire.ts';
import { type Change, onTables, rowsOf, update } from '#core/changes.ts';
import { AppError, StaleError } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { NewestMap } from '#core/newest-map.ts';
import { wireChangeOf } from '#store/merge/canonical-change.ts';
import { partsOfNothing } from '#store/merge/parked.ts';
import type { HostedStore } from '../../sync/hosted/ports.ts';
import type { GatewayCaller } from '../../sync/ports.ts';
import { movedFarms } from '../sql/queries/cloud/moved-farms.ts';
import { atMost, hasReadable, keptAside } from './gateway-store.ts';
import type { LiveSocketsDeps } from './live-sockets.ts';
import { snapshotPages } from './snapshot-pages.ts';

/** Rows of the feed read first: nearly always that is all there is. */
const FIRST_LOOK = 64;
const MAX_RESTAMPS = 10_000;

/** Most streams have none of either: asking for them with the stream spares two questions a request. */
const hasRestamps = sql<boolean | number>`exists (select 1 from sync_restamps
  where sync_restamps.stream_id = sync_stream.stream_id and sync_restamps.epoch = sync_stream.epoch)`.as(
  'has_restamps',
);
const hasKeptAside = sql<boolean | number>`exists (select 1 from sync_parked
  where sync_parked.stream_id = sync_stream.stream_id and sync_parked.seq > 0)`.as('has_kept_aside');

/** What the hosted side of the sync reads; all of it is written by units. */
export function hostedStore(read: Db): HostedStore {
  return {
    async stream(streamId) {
      const row = await read
        .selectFrom('sync_stream')
        .leftJoin('gateways', 'gateways.stream_id', 'sync_stream.stream_id')
        .selectAll('sync_stream')
        .select(['gateways.status', hasRestamps, hasKeptAside])
        .where('sync_stream.stream_id', '=', streamId)
        .executeTakeFirst();
      if (row === undefined) return null;
      const { has_restamps, has_kept_aside } = row;
      return { ...row, has_restamps: Boolean(has_restamps), has_kept_aside: Boolean(has_kept_aside) };
    },
    feedFrom: (streamId, from, most) => feedFrom(read, { streamId, from }, most),
    async feedChain(streamId, seq) {
      const row = await read
        .selectFrom('sync_change')
        .select('chain')
        .where('stream_id', '=', streamId)
        .where('lane', '=', 'core')
        .where('seq', '=', seq)
        .executeTakeFirst();
      return row?.chain ?? null;
    },
    marks: (streamId, lane, { from, to }) =>
      read
        .selectFrom('sync_marks')
        .select(['seq', 'chain'])
        .where('stream_id', '=', streamId)
        .where('lane', '=', lane)
        .where('seq', '>=', from)
        .where('seq', '<=', to)
        .orderBy('seq')
        .execute(),
    async parked(streamId, lane, { from, to }) {
      const rows = await read
        .selectFrom('sync_parked')
        .select('seq')
        .where('stream_id', '=', streamId)
        .where('lane', '=', lane)
        .where('seq', '>=', from)
        .where('seq', '<=', to)
        .orderBy('seq')
        .execute();
      return rows.map(({ seq }) => seq);
    },
    keptAside: keptAside(read),
    async partsOfAbsent(streamId) {
      const rows = await read
        .selectFrom('sync_parked')
        .select('id')
        .where(sql<boolean>`${sql.raw(partsOfNothing(streamId))}`)
        .execute();
      return rows.map(({ id }) => id);
    },
    hasReadable: (streamId) => hasReadable(read, streamId),
    restamps: (streamId, epoch, after) => restampsOf(read, { streamId, epoch }, after),
    async hasOpenQuestions(streamId) {
      const open = await read
        .selectFrom('lost_people')
        .select('id')
        .where('stream_id', '=', streamId)
        .where('state', '=', 'open')
        .limit(1)
        .executeTakeFirst();
      return open !== undefined;
    },
    laterRestamps: (streamId, epoch) => laterRestamps(read, { streamId, epoch }),
    async returns() {
      const latest = await read
        .selectFrom('sync_time_returns')
        .select(['limit_ms', 'newest_ms', 'returned_ms'])
        .orderBy('id', 'desc')
        .limit(MOST_RETURNS)
        .execute();
      return latest.toReversed();
    },
    movedFarms: (streamId) => movedFarms(read, streamId),
    async isComparedWithout(streamId) {
      const noted = await read
        .selectFrom('instance_values')
        .select('id')
        .where('id', '=', comparedWithout(streamId))
        .executeTakeFirst();
      return noted !== undefined;
    },
    snapshotPage: snapshotPages(read),
  };
}

/** How far the feed of a stream goes; null: its gateway is paired no longer. */
export async function activeHead(read: Db, streamId: number): Promise<number | null> {
  const row = await read
    .selectFrom('sync_stream')
    .innerJoin('gateways', 'gateways.stream_id', 'sync_stream.stream_id')
    .select('sync_stream.core_seq')
    .where('sync_stream.stream_id', '=', streamId)
    .where('gateways.status', '=', 'active')
    .executeTakeFirst();
  return row?.core_seq ?? null;
}

async function feedFrom(
  read: Db,
  { streamId, from }: { streamId: number; from: number },
  most: { rows: number; bytes: number },
): Promise<{ rows: WireChange[]; isEnd: boolean }> {
  const rows: WireChange[] = [];
  let bytes = 0;
  for (
    let limit = Math.min(FIRST_LOOK, most.rows);
    rows.length < most.rows;
    limit = most.rows - rows.length
  ) {
    const found = await read
      .selectFrom('sync_change')
      .selectAll()
      .where('stream_id', '=', streamId)
      .where('lane', '=', 'core')
      .where('seq', '>=', (rows.at(-1)?.seq ?? from - 1) + 1)
      .orderBy('seq')
      .limit(limit)
      .execute();
    for (const row of found) {
      bytes += (row.body_json?.length ?? 0) + (row.base_json?.length ?? 0) + (row.over_json?.length ?? 0);
      if (bytes > most.bytes && rows.length > 1) return { rows, isEnd: false };
      rows.push(wireChangeOf(row));
    }
    if (found.length < limit) return { rows, isEnd: true };
  }
  return { rows, isEnd: false };
}

async function restampsOf(
  read: Db,
  { streamId, epoch }: { streamId: number; epoch: number },
  after: Parameters<HostedStore['restamps']>[2],
): Promise<Restamp[]> {
  const found = await Promise.all(
    (['core', 'history'] as const).map(async (lane) => {
      const behind = after[lane];
      if (behind === undefined) return [];
      return read
        .selectFrom('sync_restamps')
        .select(['epoch', sql.val(lane).as('lane'), 'seq', 'chain', 'from_hlc as from', 'to_hlc as to'])
        .where('stream_id', '=', streamId)
        .where('epoch', '=', epoch)
        .where('lane', '=', lane)
        .where('seq', '>', behind)
        .orderBy('seq')
        .limit(MAX_RESTAMPS / 2)
        .execute();
    }),
  );
  return found.flat();
}

/** The newest first: what a card does not know that went back is mostly of a short time. */
async function laterRestamps(
  read: Db,
  { streamId, epoch }: { streamId: number; epoch: number },
): Promise<Restamp[]> {
  const found = await read
    .selectFrom('sync_restamps')
    .select(['epoch', 'lane', 'seq', 'chain', 'from_hlc as from', 'to_hlc as to'])
    .where('stream_id', '=', streamId)
    .where('epoch', '>', epoch)
    .orderBy('epoch', 'desc')
    .orderBy('seq', 'desc')
    .limit(MAX_RESTAMPS)
    .execute();
  // written by acceptStamps
  return found.map((row) => ({ ...row, lane: row.lane as SyncLane }));
}

/** A gateway that comes every second is not written down every second. */
const NOTED_EVERY_MS = 60_000;
/** Gateways that are told apart; one that fell out is written down once more, or a minute later. */
const MOST_NOTED = 50_000;
const NOTED_AT_ONCE = 200;

/**
 * Notes when gateways were last heard and what they told of themselves. That they were heard is gathered and written by
 * `write`, hundreds in one commit: it is for people who look at the fleet, and nothing waits for it.
 */
export function createSightings({ now, commit, log }: Pick<Kernel, 'now' | 'commit' | 'log'>) {
  const notedAtByGateway = new NewestMap<string, number>(MOST_NOTED);
  const waiting = new NewestMap<string, string>(MOST_NOTED);

  // one after another
  const one = atMost(1, commit);
  const store = (changes: readonly Change[]) => one({ actor: null, changes });
  const heardAt = ([id, at]: readonly [string, string]) => update(pairedGateway, id, { last_seen_at: at });
  const failed = (error: unknown) => log.warn({ err: error }, 'it was not noted that a gateway was heard');

  return {
    heard({ gatewayId }: GatewayCaller): void {
      const before = notedAtByGateway.get(gatewayId);
      if (before !== undefined && Math.abs(now() - before) < NOTED_EVERY_MS) return;
      notedAtByGateway.set(gatewayId, now());
      waiting.set(gatewayId, isoOf(now()));
    },
    /** A sign-in is written with its session. */
    hear: onTables([pairedGateway], (committed) => {
      for (const { id, before, after } of rowsOf(committed, pairedGateway))
        if (before?.last_seen_at !== after.last_seen_at) notedAtByGateway.set(id, now());
    }),
    async write(): Promise<void> {
      while (waiting.size > 0) {
        const some = [...waiting].slice(0, NOTED_AT_ONCE);
        for (const [id] of some) waiting.delete(id);
        try {
          await store(some.map(heardAt));
        } catch (error) {
          // a database that is away is away for each of them, and they are heard again
          if (!(error instanceof StaleError)) return failed(error);
          // one that is gone must not keep the others from being noted
          for (const each of some) await store([heardAt(each)]).catch(failed);
        }
      }
    },
    told: (async ({ gatewayId }, frame) => {
      const told =
        frame.is === 'report'
          ? { last_report_json: JSON.stringify({ ...frame, at: isoOf(now()) }) }
          : { outage_until: isoOf(frame.until_ms), outage_reason: frame.reason };
      waiting.delete(gatewayId);
      await store([update(pairedGateway, gatewayId, { last_seen_at: isoOf(now()), ...told })]);
    }) satisfies LiveSocketsDeps['told'],
  };
}

// How much a gateway may have stored here, whatever it says: the disk is every farm's. A gateway loses nothing by waiting,
// and orders to it do not wait.

const MB = 1_000_000;
const DAY_MS = 24 * 3_600_000;
/** As much as the log of a box holds that was alone for months (--sync-quota-mb). */
const AT_ONCE_BYTES = 2_000 * MB;
/** A hundred ponds that record everything tell some 5 MB a day. */
const A_DAY_BYTES = 512 * MB;
const MOST_WAIT_MS = 3_600_000;

type Told = { bytes: number; at: number };

/** Of this process. Throws 429 where a gateway told too much; each day takes A_DAY_BYTES of it away. */
export function toldInADay({ monotonic }: { monotonic: () => number }) {
  const toldBy = new Map<string, Told>();
  const leftOf = ({ bytes, at }: Told, now: number) =>
    Math.max(0, bytes - ((now - at) * A_DAY_BYTES) / DAY_MS);
  const look = { at: 0 };
  /** Gateways that are even again, now and then. */
  function forgetEven(now: number): void {
    if (now - look.at < DAY_MS) return;
    look.at = now;
    for (const [key, told] of toldBy) if (leftOf(told, now) === 0) toldBy.delete(key);
  }
  return (streamId: number, kind: 'push' | 'repair', bytes: number): void => {
    const now = monotonic();
    forgetEven(now);
    const key = `${streamId} ${kind}`;
    const told = toldBy.get(key);
    const before = told === undefined ? 0 : leftOf(told, now);
    const over = before + bytes - AT_ONCE_BYTES;
    if (over > 0) throw tooMuch(Math.min(MOST_WAIT_MS, (over * DAY_MS) / A_DAY_BYTES));
    toldBy.set(key, { bytes: before + bytes, at: now });
  };
}

function tooMuch(waitMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new AppError(
    429,
    `This gateway told ${AT_ONCE_BYTES / MB} MB more than the ${A_DAY_BYTES / MB} MB a day that a farm has to tell; the rest waits at the farm`,
    { code: 'SYNC_TOO_MUCH', headers: { 'Retry-After': String(seconds) } },
  );
}

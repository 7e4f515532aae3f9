import { sql } from 'kysely';
import type { Database, Db } from '#adapters/sql/database.ts';
import { OWN_STREAM } from '#adapters/sql/instance.ts';
import { instanceValue, TOLD_AS_OF } from '#contract/resources/local-tables.ts';
import { parkedChange } from '#contract/resources/sync-tables.ts';
import { LANES, MOST_KEPT_ASIDE, SYNC_SCHEMA, type SyncLane, type WireChange } from '#contract/sync/wire.ts';
import { type Commit, type Incoming, onTables, put, rowsOf, type StreamPoints } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { movesHeard } from '#features/cloud/moved-farms.ts';
import { wireChangeOf } from '#store/merge/canonical-change.ts';
import { scannedStream } from '#store/merge/conflicts.ts';
import { READABLE_NOW } from '#store/merge/parked.ts';
import type { OutRows, SyncStore, Taking } from '../../sync/gateway/ports.ts';
import { TUNING } from '../../sync/gateway/tuning.ts';
import type { HostedStore } from '../../sync/hosted/ports.ts';
import { movedFarms } from '../sql/queries/cloud/moved-farms.ts';

// Changes of a stream that are kept aside, as an upgrade and the other side ask for them.

/** Is there anything that an older version could not read, and this one has not tried? */
export async function hasReadable(read: Db, streamId: number): Promise<boolean> {
  const row = await read
    .selectFrom('sync_parked')
    .select('id')
    .where(sql<boolean>`${sql.raw(scannedStream('stream_id'))} = ${streamId} and ${sql.raw(READABLE_NOW)}`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Their numbers by lane; undefined where there are too many to tell of. */
export function keptAside(read: Db): HostedStore['keptAside'] {
  return async (streamId) => {
    const rows = await read
      .selectFrom('sync_parked')
      .select(['lane', 'seq'])
      .where('stream_id', '=', streamId)
      // of an earlier epoch: the gateway knows it by no number
      .where('seq', '>', 0)
      .limit(MOST_KEPT_ASIDE + 1)
      .execute();
    if (rows.length > MOST_KEPT_ASIDE) return undefined;
    const of = (lane: string) => rows.flatMap((row) => (row.lane === lane ? row.seq : []));
    const [core, history] = LANES.map(of);
    return { core: core ?? [], history: history ?? [] };
  };
}

/** The same commit, which counts what of it was kept for a while and went without finding its place. */
export function countingGone({
  commit,
  metrics,
  onRows,
}: {
  commit: Commit;
  metrics: { counter: (name: string, help: string, count: () => number) => void };
  onRows: Database['onRows'];
}): Commit {
  const gone = { dropped: 0, expired: 0, forgotten: 0, ofErased: 0 };
  metrics.counter(
    'sync_kept_aside_dropped_total',
    'Changes of the other side that fitted nowhere and were dropped because too many of one stream were kept aside',
    () => gone.dropped,
  );
  metrics.counter(
    'sync_kept_aside_expired_total',
    'Changes of the other side that fitted nowhere for 90 days, or parts of rows that nobody had when everything was compared anew; dropped',
    () => gone.expired,
  );
  metrics.counter(
    'sync_of_erased_total',
    'Changes of the other side left out because what they belong to was erased here long after it was deleted',
    () => gone.ofErased,
  );
  metrics.counter(
    'sync_conflicts_dropped_total',
    'Notes of edits that lost, dropped because there were too many of one stream',
    () => gone.forgotten,
  );
  onRows(
    onTables([parkedChange], (committed) => {
      // the hourly sweep alone removes them row by row
      gone.expired += rowsOf(committed, parkedChange).filter(({ hidden }) => hidden).length;
    }),
  );
  return async (unit) => {
    const committed = await commit(unit);
    gone.dropped += committed.merged?.dropped ?? 0;
    gone.forgotten += committed.merged?.forgotten ?? 0;
    gone.ofErased += committed.merged?.ofErased ?? 0;
    return committed;
  };
}

const DAY_MS = 86_400_000;
/** Rows of the log read at a time, so that a bound in bytes does not read a thousand rows too many. */
const READ_AT_ONCE = 250;
/** What a change needs on the wire beside its body. */
const FRAME_BYTES = 260;
/** Rows looked at in one unit at the end of a comparison; nearly all of them are known and cost a read alone. */
const COMPARED_PER_UNIT = 500;

type GatewayStoreDeps = Pick<Kernel, 'now' | 'idOf'> & { database: Pick<Database, 'read' | 'commit'> };

/** The farm's database as the sync sees it. */
export function gatewayStore(deps: GatewayStoreDeps): SyncStore {
  const { read, commit } = deps.database;
  const logOf = (lane: SyncLane) =>
    read.selectFrom('sync_change').where('stream_id', '=', OWN_STREAM).where('lane', '=', lane);

  const points = (): Promise<StreamPoints> =>
    read
      .selectFrom('sync_stream')
      .select([
        'epoch',
        'core_seq',
        'core_chain',
        'history_seq',
        'history_chain',
        'in_core_seq',
        'in_core_chain',
        'in_history_seq',
        'in_history_chain',
        'acked_core_seq',
        'acked_core_chain',
        'acked_history_seq',
        'acked_history_chain',
        'floor_seq',
        'timeline',
        'resync',
      ])
      .where('stream_id', '=', OWN_STREAM)
      .executeTakeFirstOrThrow();

  return {
    points,
    chainAt: async (lane, seq) => {
      const known = knownChain(await points(), lane, seq);
      if (known !== null) return known;
      const row = await logOf(lane).select('chain').where('seq', '=', seq).executeTakeFirst();
      return row?.chain ?? null;
    },
    async outRows({ lane, after, coreAcked, rows: most, bytes }) {
      const beforeTx = lane === 'core' ? null : await firstOpenTx(coreAcked);
      // what lies beyond is of a unit that is being written still
      const { [`${lane}_seq` as const]: head } = await points();
      const found: WireChange[] = [];
      let size = 0;
      while (found.length < most) {
        const from = found.at(-1)?.seq ?? after;
        const stored = await logOf(lane)
          .selectAll()
          .where('seq', '>', from)
          .where('seq', '<=', head)
          .$if(beforeTx !== null, (query) => query.where('tx', '<', beforeTx ?? 0))
          .orderBy('seq')
          // one more than fits, so that the end of a transaction can be seen
          .limit(Math.min(READ_AT_ONCE, most - found.length + 1))
          .execute();
        for (const row of stored) {
          size +=
            FRAME_BYTES +
            (row.body_json?.length ?? 0) +
            (row.base_json?.length ?? 0) +
            (row.over_json?.length ?? 0);
          const isOver = found.length > 0 && size > bytes;
          if (isOver || found.length === most)
            return { rows: wholeTransactions(found, row.tx), isFull: true };
          found.push(wireChangeOf(row));
        }
        if (stored.length === 0) break;
      }
      return { rows: found, isFull: false };
    },
    async take({
      restamps,
      returns,
      changes,
      told,
      rows = [],
      isSettled = false,
      heard,
      expect,
      set,
    }: Taking) {
      const incoming: Incoming = {
        from: 'hosted',
        streamId: OWN_STREAM,
        lane: 'core',
        changes,
        ...(told === undefined ? {} : { told }),
      };
      const { merged } = await commit({
        actor: null,
        changes: [],
        ...(restamps.length > 0 ? { restamps } : {}),
        ...(returns === undefined ? {} : { returns }),
        ...(rows.length > 0
          ? {
              snapshot: {
                streamId: OWN_STREAM,
                rows,
                isSettled,
                ...(heard === undefined ? {} : { heard }),
              },
            }
          : {}),
        ...(changes.length > 0 ? { incoming } : {}),
        stream: { id: OWN_STREAM, expect, set },
      });
      return merged ?? { applied: 0, parked: [], conflicts: 0, passedOver: 0, unparked: 0 };
    },
    async noteMoved(farms) {
      const changes = movesHeard(await movedFarms(read, 'here'), farms);
      if (changes.length > 0) await commit({ actor: null, changes });
    },
    async noteKeptAside(lane, rows) {
      const { epoch } = await points();
      const parked_at = isoOf(deps.now());
      const { n } = await read
        .selectFrom('sync_parked')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .where('stream_id', '=', KEPT_ASIDE_THERE)
        .executeTakeFirstOrThrow();
      // they are shown, and told again by a comparison: an instance that keeps everything aside fills no card
      const changes = rows.slice(0, Math.max(0, MOST_KEPT_ASIDE - Number(n))).map((row) =>
        put(parkedChange, {
          id: deps.idOf(`kept aside:${epoch}:${lane}:${row.seq}`),
          stream_id: KEPT_ASIDE_THERE,
          lane,
          seq: row.seq,
          entity: row.entity,
          row_id: row.id,
          reason: 'kept_there: the hosted instance could not apply it yet',
          change_json: JSON.stringify(row),
          parked_at,
          tries: 0,
          tried_schema: SYNC_SCHEMA,
        }),
      );
      await commit({ actor: null, changes });
    },
    async forgetKeptAside(kept, answered) {
      if (kept === undefined) return;
      for (const lane of LANES)
        await read
          .deleteFrom('sync_parked')
          .where('stream_id', '=', KEPT_ASIDE_THERE)
          .where('lane', '=', lane)
          // what was sent since then is not meant
          .where('seq', '<=', answered[lane].seq)
          .$if(kept[lane].length > 0, (query) => query.where('seq', 'not in', kept[lane]))
          .execute();
    },
    async retryReadable() {
      const some = () => hasReadable(read, OWN_STREAM);
      // each try notes who tried, so that it comes to an end
      while (await some())
        await commit({
          actor: null,
          changes: [],
          incoming: { from: 'hosted', streamId: OWN_STREAM, lane: 'core', changes: [] },
        });
    },
    async historyFrom({ core_seq, in_core_seq }) {
      const isFresh = in_core_seq === 0 && core_seq === 0;
      const hasFarm = (await read.selectFrom('farms').select('id').limit(1).executeTakeFirst()) !== undefined;
      return isFresh || !hasFarm ? isoOf(deps.now() - TUNING.historyDays * DAY_MS) : null;
    },
    async beginSnapshot(schema) {
      await read.deleteFrom('sync_seen').execute();
      await commit({ actor: null, changes: [put(instanceValue, { id: TOLD_AS_OF, value: String(schema) })] });
    },
    async logDifference({ epoch, cursor }) {
      const { difference } = await commit({
        actor: null,
        changes: [],
        difference: { streamId: OWN_STREAM, epoch, cursor, limit: COMPARED_PER_UNIT },
      });
      const isDone = difference?.isDone ?? true;
      // what was kept aside there has just been told anew
      if (isDone) await read.deleteFrom('sync_parked').where('stream_id', '=', KEPT_ASIDE_THERE).execute();
      return isDone;
    },
  };

  /** Transaction of the first core row that is not confirmed; null: all are. */
  async function firstOpenTx(coreAcked: number): Promise<number | null> {
    const row = await logOf('core')
      .select('tx')
      .where('seq', '>', coreAcked)
      .orderBy('seq')
      .limit(1)
      .executeTakeFirst();
    return row?.tx ?? null;
  }
}

/** Stands for the stream in rows that the other side keeps aside: they are shown here and tried again there. */
export const KEPT_ASIDE_THERE = 0;

/** Points that are known without their row in the log, which may be deleted after a while. */
function knownChain(points: StreamPoints, lane: SyncLane, seq: number): string | null {
  if (seq === 0) return '';
  const known =
    lane === 'core'
      ? [
          [points.core_seq, points.core_chain],
          [points.acked_core_seq, points.acked_core_chain],
        ]
      : [
          [points.history_seq, points.history_chain],
          [points.acked_history_seq, points.acked_history_chain],
        ];
  const point = known.find(([at]) => at === seq);
  return point === undefined ? null : String(point[1]);
}

/** Without the rows of a transaction that goes on behind them, unless it is the only one. */
function wholeTransactions(rows: readonly WireChange[], nextTx: number): OutRows['rows'] {
  const cut = rows.findIndex(({ tx }) => tx === nextTx);
  return cut > 0 ? rows.slice(0, cut) : rows;
}

/** Farms of this gateway. */
export async function farmIds(read: Db): Promise<string[]> {
  const rows = await read.selectFrom('farms').select('id').where('hidden', '=', 0).execute();
  return rows.map(({ id }) => id);
}

/**
 * The same function, of which so many calls run at a time and the others wait their turn: when a region comes back after
 * an outage its gateways must not take every connection to the database from the people who give orders.
 */
export function atMost<Input extends readonly unknown[], Answer>(
  most: number,
  run: (...input: Input) => Promise<Answer>,
): (...input: Input) => Promise<Answer> {
  const waiting: (() => void)[] = [];
  const state = { running: 0 };
  return async (...input) => {
    if (state.running >= most) await new Promise<void>((go) => waiting.push(go));
    else state.running += 1;
    try {
      return await run(...input);
    } finally {
      // the place is handed on as it is
      const next = waiting.shift();
      if (next === undefined) state.running -= 1;
      else next();
    }
  };
}

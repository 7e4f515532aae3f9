import { sql } from 'kysely';
import { address } from '#contract/resources/addresses.ts';
import { batch } from '#contract/resources/batches.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { farm } from '#contract/resources/farms.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { logEntry } from '#contract/resources/logs.ts';
import { notification } from '#contract/resources/notifications.ts';
import { pond } from '#contract/resources/ponds.ts';
import { user } from '#contract/resources/users.ts';
import { LANES, type SyncLane } from '#contract/sync/wire.ts';
import { put } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import { FORGOTTEN_BODY } from '#store/change-log.ts';
import { isDifference } from '../../sync/gateway/ask-snapshot.ts';
import type { Database } from '../sql/database.ts';
import { OWN_STREAM } from '../sql/instance.ts';

// Earlier values of who is gone, in the change logs: of the account, and of farms that went with it.

/** Changes read at a time, and so many at most written in one unit, so that control never waits. */
const SLICE = 250;
const REST_MS = 20;
const PEOPLE_AT_ONCE = 50;
/** In instance_values: nothing is left in the logs of the person whose id follows. */
const FORGOTTEN = 'forgotten:';
const TRIES_TO_EMPTY = 5;

export type ForgetPeopleDeps = Pick<Kernel, 'commit' | 'pause'> & {
  database: Pick<Database, 'read' | 'readLong' | 'forgetOverwritten'>;
  /** A gateway with a hosted instance. */
  isPaired: () => Promise<boolean>;
};

/**
 * Forgets what the change logs say of people who are gone. What the other side confirmed, or will never ask for, goes at once;
 * the rest as soon as it was told, looked after once an hour. A kill in between costs nothing but the way back to where it was.
 */
export async function forgetPeople(deps: ForgetPeopleDeps): Promise<void> {
  const people = await peopleToForget(deps);
  if (people.length === 0) return;
  const theirs = await whatIsTheirs(deps, people);
  let isAll = true;
  for (const stream of await streamsOf(deps, people))
    for (const lane of LANES) isAll = (await forgetIn(deps, stream, lane, theirs)) && isAll;
  if (!(await emptied(deps)) || !isAll) return;
  const done = people.map((id) => put(instanceValue, { id: `${FORGOTTEN}${id}`, value: 'everywhere' }));
  await deps.commit({ actor: null, changes: done });
}

async function peopleToForget({ database: { read } }: ForgetPeopleDeps): Promise<string[]> {
  const rows = await read
    .selectFrom('users')
    .select('users.id')
    .where('users.hidden', '=', 1)
    .where(
      sql<boolean>`not exists (select 1 from instance_values where instance_values.id = ${sql.lit(FORGOTTEN)} || users.id)`,
    )
    .orderBy('users.id')
    .limit(PEOPLE_AT_ONCE)
    .execute();
  return rows.map(({ id }) => id);
}

type Theirs = {
  /** By table: rows that are theirs. */
  ids: ReadonlyMap<number, ReadonlySet<string>>;
  /** By field of a row: what makes it theirs. */
  named: readonly { field: string; by: ReadonlySet<string>; entities: ReadonlySet<number> | null }[];
};

async function whatIsTheirs(
  { database: { read } }: ForgetPeopleDeps,
  people: readonly string[],
): Promise<Theirs> {
  const idsOf = (rows: readonly { id: string }[]): ReadonlySet<string> => new Set(rows.map(({ id }) => id));
  const gone = () =>
    read.selectFrom('farms').select('farms.id').where('hidden', '=', 1).where('owner_id', 'in', people);
  const farms = idsOf(await gone().execute());
  const below = async (table: 'ponds' | 'batches' | 'control_points') =>
    idsOf(await read.selectFrom(table).select('id').where('farm_id', 'in', gone()).execute());
  const [ponds, batches, points] = [
    await below('ponds'),
    await below('batches'),
    await below('control_points'),
  ];
  const addresses = idsOf(
    await read.selectFrom('addresses').select('id').where('user_id', 'in', people).execute(),
  );
  return {
    ids: new Map([
      [user.entity, new Set(people)],
      [address.entity, addresses],
      [farm.entity, farms],
      [pond.entity, ponds],
      [batch.entity, batches],
      [controlPoint.entity, points],
    ]),
    named: [
      // elsewhere it says who did something, with the id alone
      {
        field: 'user_id',
        by: new Set(people),
        entities: new Set([address.entity, notification.entity]),
      },
      { field: 'farm_id', by: farms, entities: null },
      { field: 'pond_id', by: ponds, entities: null },
      { field: 'batch_id', by: batches, entities: null },
      { field: 'control_point_id', by: points, entities: null },
    ],
  };
}

type Stream = { id: number; upTo: Readonly<Record<SyncLane, number>> };

/** Logs that can speak of them, and up to where each may be overwritten. */
async function streamsOf(deps: ForgetPeopleDeps, people: readonly string[]): Promise<Stream[]> {
  const { read } = deps.database;
  const farms = read
    .selectFrom('farm_members')
    .select('farm_id')
    .where('user_id', 'in', people)
    .union(read.selectFrom('farms').select('id as farm_id').where('owner_id', 'in', people))
    .union(
      read
        .selectFrom('invitations')
        .select('farm_id')
        .where('created_by', 'in', people)
        .where('kind', '=', 'HANDOVER'),
    );
  const rows = await read
    .selectFrom('sync_stream')
    .leftJoin('gateways', 'gateways.stream_id', 'sync_stream.stream_id')
    .select([
      'sync_stream.stream_id',
      'core_seq',
      'history_seq',
      'acked_core_seq',
      'acked_history_seq',
      'floor_seq',
      'resync',
      'gateways.status',
    ])
    .where((either) =>
      either.or([
        either('sync_stream.stream_id', '=', OWN_STREAM),
        either(
          'sync_stream.stream_id',
          'in',
          read.selectFrom('sync_farms').select('stream_id').where('id', 'in', farms),
        ),
      ]),
    )
    .orderBy('sync_stream.stream_id')
    .execute();
  const isPaired = await deps.isPaired();
  return rows.map((row) => {
    const isOwn = row.stream_id === OWN_STREAM;
    // such a log is never told: whoever meets next compares registers and rows
    const isUntold = isOwn
      ? !isPaired || (row.resync !== null && !isDifference(row.resync))
      : row.status === 'revoked';
    const upTo = isUntold
      ? { core: row.core_seq, history: row.history_seq }
      : { core: Math.max(row.acked_core_seq, row.floor_seq), history: row.acked_history_seq };
    return { id: row.stream_id, upTo };
  });
}

/** Whether nothing of theirs is left in that lane. */
async function forgetIn(
  deps: ForgetPeopleDeps,
  stream: Stream,
  lane: SyncLane,
  theirs: Theirs,
): Promise<boolean> {
  // rows of theirs that a later edit names by their id alone
  const known = new Map([...theirs.ids].map(([entity, ids]) => [entity, new Set(ids)]));
  for (let after = 0; ; ) {
    const rows = await deps.database.readLong
      .selectFrom('sync_change')
      .select(['seq', 'entity', 'id', 'body_json'])
      .where('stream_id', '=', stream.id)
      .where('lane', '=', lane)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(SLICE)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return true;
    const found = rows.filter((row) => isTheirs(row, theirs, known)).map(({ seq }) => seq);
    const seqs = found.filter((seq) => seq <= stream.upTo[lane]);
    if (seqs.length > 0) await forget(deps, stream, lane, seqs);
    // what stands behind is not told yet either
    if (seqs.length < found.length) return false;
    after = last.seq;
    await deps.pause(REST_MS);
  }
}

function isTheirs(
  { entity, id, body_json }: { entity: number; id: string; body_json: string | null },
  theirs: Theirs,
  known: Map<number, Set<string>>,
): boolean {
  // the audit stays: it is append-only, and names people by their ids alone
  if (body_json === null || body_json === FORGOTTEN_BODY || entity === logEntry.entity) return false;
  if (known.get(entity)?.has(id) === true) return true;
  // the change log writes objects
  const body = JSON.parse(body_json) as Readonly<Record<string, unknown>>;
  const isNamed = theirs.named.some(
    ({ field, by, entities }) =>
      (entities === null || entities.has(entity)) && typeof body[field] === 'string' && by.has(body[field]),
  );
  if (isNamed) known.set(entity, (known.get(entity) ?? new Set()).add(id));
  return isNamed;
}

async function forget(
  { commit, database: { read } }: ForgetPeopleDeps,
  { id }: Stream,
  lane: SyncLane,
  seqs: readonly number[],
): Promise<void> {
  const forgotten = { streamId: id, lane, seqs };
  if (id === OWN_STREAM) {
    await commit({ actor: null, changes: [], forgotten });
    return;
  }
  const { floor_seq } = await read
    .selectFrom('sync_stream')
    .select('floor_seq')
    .where('stream_id', '=', id)
    .executeTakeFirstOrThrow();
  // a gateway that comes back from an older image of its card starts anew from a snapshot instead of finding them
  const set = { floor_seq: Math.max(floor_seq, ...seqs) };
  await commit({ actor: null, changes: [], forgotten, stream: { id, expect: { floor_seq }, set } });
}

/** Somebody who reads for long is waited for; whoever reads longer is met again in an hour. */
async function emptied({ database, pause }: ForgetPeopleDeps): Promise<boolean> {
  for (let tries = 0; tries < TRIES_TO_EMPTY; tries += 1) {
    if (await database.forgetOverwritten()) return true;
    await pause(1_000);
  }
  return false;
}

import { sql } from 'kysely';
import { OWN_STREAM } from '#adapters/sql/instance.ts';
import type { Resource } from '#contract/resource.ts';
import { allResources, sharedResources } from '#contract/resources/all.ts';
import { asParent, erase, type GuardSeen } from '#core/changes.ts';
import { StaleError } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { readHlc } from '#store/hlc.ts';
import { isAlive, LIFE, registerOf } from '#store/register.ts';
import type { Database } from './database.ts';

export type SweepBelowDeps = Pick<Kernel, 'now' | 'pause' | 'guard'> & {
  database: Pick<Database, 'read' | 'commit'>;
  /** Gateway: there is another half that may still say something of these rows. */
  isPaired: () => Promise<boolean>;
};

const DAY_MS = 24 * 3600 * 1000;
/**
 * Nobody brings back what was deleted so long ago: a gateway that was silent for 90 days starts anew, and a deletion that
 * somebody's edit lost against can be taken back for another 90.
 */
const KEPT_MS = 180 * DAY_MS;
/** Rows erased at a time, and the rest after them, so that control never waits. */
const SLICE = 200;
const REST_MS = 50;
/** In one go; the next hour goes on. */
const MOST_ROWS = 20_000;
const PARENTS_AT_ONCE = 100;

const PARENTS = ['tasks', 'batches', 'ponds', 'control_points', 'farms'] as const;
type ParentTable = (typeof PARENTS)[number];
/** Words under which decisions rest on them: whoever brings one back moves its guard. */
const GUARDS = {
  tasks: 'task',
  batches: 'batch',
  ponds: 'pond',
  control_points: 'control_point',
  farms: 'farm',
} as const satisfies Record<ParentTable, string>;

type Parent = { table: ParentTable; id: string; farm_id: string; pond_id: string | null };
type Journal = { resource: Resource; column: string };

/** What a deletion leaves where it is: rows that go by their parent (`goesBy` in contract/resource.ts). */
const journalsBelow = (table: ParentTable): Journal[] =>
  allResources.flatMap((resource) => {
    const column = resource.parents[table];
    return resource.goesBy === 'row' || column === undefined ? [] : [{ resource, column }];
  });

/**
 * Erases journals below what was deleted, in slices: below the farms of deleted accounts at once, else after half a year,
 * and where nothing about them is still on its way to or from the other instance. Their registers stay, and so do the
 * deleted things themselves: a row that is told again stays erased, or goes with the next look.
 */
export async function sweepBelowDeleted(deps: SweepBelowDeps): Promise<void> {
  let left = MOST_ROWS;
  // what lies on one farm asks the same of it and of its ponds
  const isSettledHere = once((farmId) => isSettled(deps, farmId));
  const isGone = (table: ParentTable) => once((id) => isGoneForGood(deps, table, id));
  const gone: GoneFor = {
    tasks: isGone('tasks'),
    batches: isGone('batches'),
    ponds: isGone('ponds'),
    control_points: isGone('control_points'),
    farms: isGone('farms'),
  };
  for (const table of PARENTS) {
    for (let after = ''; ; ) {
      const parents = await parentsWithJournals(deps, table, after);
      for (const parent of parents) {
        const guards = (await isSettledHere(parent.farm_id))
          ? await guardsOfTheGone(deps, parent, gone)
          : null;
        if (guards !== null) left -= await eraseBelow(deps, parent, { guards, most: left });
        if (left <= 0) return;
      }
      if (parents.length > 0) await deps.pause(REST_MS);
      after = parents.at(-1)?.id ?? '';
      if (parents.length < PARENTS_AT_ONCE) break;
    }
  }
}

type Asked = (id: string) => Promise<boolean>;
type GoneFor = Record<ParentTable, Asked>;

/** Within one sweep: hours later it may be otherwise. */
function once(ask: Asked): Asked {
  const answers = new Map<string, boolean>();
  return async (id) => {
    const answer = answers.get(id) ?? (await ask(id));
    answers.set(id, answer);
    return answer;
  };
}

async function parentsWithJournals(
  { database: { read } }: SweepBelowDeps,
  table: ParentTable,
  after: string,
): Promise<Parent[]> {
  const has = journalsBelow(table).map(
    ({ resource, column }) =>
      sql`exists (select 1 from ${sql.table(resource.name)} as j where ${sql.ref(`j.${column}`)} = p.id)`,
  );
  const farm = table === 'farms' ? sql`p.id` : sql`p.farm_id`;
  const pond = table === 'batches' ? sql`p.pond_id` : sql`null`;
  const { rows } = await sql<Omit<Parent, 'table'>>`
    select p.id, ${farm} as farm_id, ${pond} as pond_id from ${sql.table(table)} as p
    where p.hidden = 1 and p.id > ${after} and (${sql.join(has, sql` or `)})
    order by p.id limit ${sql.lit(PARENTS_AT_ONCE)}`.execute(read);
  return rows.map((row) => ({ ...row, table }));
}

/** Null unless it, or something above it, is deleted and never comes back; else what that rests on. */
async function guardsOfTheGone(
  deps: SweepBelowDeps,
  parent: Parent,
  gone: GoneFor,
): Promise<GuardSeen[] | null> {
  const above: (readonly [ParentTable, string | null])[] = [
    [parent.table, parent.id],
    ['ponds', parent.pond_id],
    ['farms', parent.farm_id],
  ];
  for (const [table, id] of above) {
    // most are not: below a farm that was deleted last week there are thousands, every hour
    if (id === null || !(await gone[table](id))) continue;
    const guard = asParent(await deps.guard(GUARDS[table], id));
    if (await isGoneForGood(deps, table, id)) return [guard];
  }
  return null;
}

async function isGoneForGood({ database: { read }, now }: SweepBelowDeps, table: ParentTable, id: string) {
  const { entity } = sharedResources[table];
  const stored = await read
    .selectFrom('sync_register')
    .select(['cl', 'hlc', 'over_json'])
    .where('entity', '=', entity)
    .where('id', '=', id)
    .executeTakeFirst();
  const register = stored === undefined ? null : registerOf(stored);
  if (register === null || isAlive(register)) return false;
  const deletedAt = readHlc(register.over[LIFE] ?? '').ms;
  const isOld = deletedAt < now() - KEPT_MS;
  if (!isOld && (table !== 'farms' || !(await isOrphaned(read, id)))) return false;
  const disputed = await read
    .selectFrom('sync_conflicts')
    .select('id')
    .where('entity', '=', entity)
    .where('row_id', '=', id)
    .limit(1)
    .executeTakeFirst();
  return disputed === undefined;
}

/** Its owner's account was deleted. */
async function isOrphaned(read: Database['read'], id: string): Promise<boolean> {
  const orphaned = await read
    .selectFrom('farms')
    .innerJoin('users', 'users.id', 'farms.owner_id')
    .select('farms.id')
    .where('farms.id', '=', id)
    .where('users.hidden', '=', 1)
    .executeTakeFirst();
  return orphaned !== undefined;
}

/** Answers how many rows there were. */
async function eraseBelow(
  { database: { read, commit }, pause }: SweepBelowDeps,
  { table, id }: Parent,
  { guards, most }: { guards: readonly GuardSeen[]; most: number },
): Promise<number> {
  let erased = 0;
  for (const { resource, column } of journalsBelow(table)) {
    let before: string | undefined;
    while (erased < most) {
      const { rows } = await sql<{ id: string }>`select id from ${sql.table(resource.name)}
        where ${sql.ref(column)} = ${id} limit ${sql.lit(SLICE)}`.execute(read);
      const [first] = rows;
      // what stays is not out of sight
      if (first === undefined || first.id === before) break;
      before = first.id;
      try {
        await commit({ changes: rows.map((row) => erase(resource, row.id)), guards, actor: null });
      } catch (error) {
        if (error instanceof StaleError) return erased;
        throw error;
      }
      erased += rows.length;
      await pause(REST_MS);
    }
  }
  return erased;
}

/** Nothing has waited for the other instance since yesterday, and it speaks. */
async function isSettled(deps: SweepBelowDeps, farmId: string): Promise<boolean> {
  const { database, now } = deps;
  const bound = await database.read
    .selectFrom('sync_farms')
    .leftJoin('gateways', 'gateways.stream_id', 'sync_farms.stream_id')
    .select(['sync_farms.stream_id', 'gateways.status', 'gateways.last_seen_at'])
    .where('sync_farms.id', '=', farmId)
    .executeTakeFirst();
  if (bound === undefined) return !(await deps.isPaired()) || nothingWaits(deps, OWN_STREAM);
  // one that is unpaired is never heard again
  if (bound.status === null || bound.status === 'revoked') return true;
  const isHeard = bound.last_seen_at !== null && bound.last_seen_at > isoOf(now() - DAY_MS);
  return isHeard && (await nothingWaits(deps, bound.stream_id));
}

async function nothingWaits({ database: { read }, now }: SweepBelowDeps, streamId: number): Promise<boolean> {
  const stream = await read
    .selectFrom('sync_stream')
    .select(['acked_core_seq', 'acked_history_seq', 'resync'])
    .where('stream_id', '=', streamId)
    .executeTakeFirstOrThrow();
  if (stream.resync !== null) return false;
  const lanes = [
    ['core', stream.acked_core_seq],
    ['history', stream.acked_history_seq],
  ] as const;
  for (const [lane, acked] of lanes) {
    const oldest = await read
      .selectFrom('sync_change')
      .select('hlc')
      .where('stream_id', '=', streamId)
      .where('lane', '=', lane)
      .where('seq', '>', acked)
      .orderBy('seq')
      .limit(1)
      .executeTakeFirst();
    if (oldest !== undefined && readHlc(oldest.hlc).ms < now() - DAY_MS) return false;
  }
  return true;
}

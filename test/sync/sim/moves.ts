import { guardQuery } from '#adapters/sql/queries/access.ts';
import { pairingQueries } from '#adapters/sql/queries/cloud/pairing.ts';
import { movedPrefix } from '#contract/resources/local-tables.ts';
import { SCOPES } from '#contract/sync/scopes.ts';
import { AppError } from '#core/errors.ts';
import type { Decision } from '#core/use-case.ts';
import { bindFarm, type ChangeGatewayDeps, unbindFarm } from '#features/cloud/pairing/change-gateway.ts';
import { GATEWAY_ID, OWNER, STREAM } from './paired-farm.ts';
import type { ReadRows } from './replica-state.ts';
import type { Row } from './things.ts';
import type { World } from './world.ts';

// A farm that is taken off its gateway in the cloud, and comes back to it or not. The gateway goes on with it until it hears
// of that.

const NAMED = { gatewayId: GATEWAY_ID, ownerId: OWNER };

export type MoveAct = 'a farm is taken off the gateway' | 'a farm comes to the gateway';

export async function moveAct(world: World): Promise<MoveAct | null> {
  const bound = await farmsOn(world.hosted.replica.read);
  const all = await world.hosted.replica.read('select id from farms where hidden = 0 order by id');
  const away = all.map(({ id }) => String(id)).filter((id) => !bound.has(id));
  const isBack = away.length > 0 && world.chance.of(bound.size > 1 ? 0.6 : 0.75);
  const farmId = world.chance.pickOrNull(isBack ? away : [...bound].toSorted());
  if (farmId === null) return null;
  const done = await (isBack ? bind : takeOff)(world, farmId);
  if (!done) return null;
  return isBack ? 'a farm comes to the gateway' : 'a farm is taken off the gateway';
}

export const bind = (world: World, farmId: string): Promise<boolean> =>
  decided(world, (deps) => bindFarm(deps, NAMED, farmId));

export const takeOff = (world: World, farmId: string): Promise<boolean> =>
  decided(world, (deps) => unbindFarm(deps, NAMED, { farmId, isForced: true }));

async function decided(
  world: World,
  decide: (deps: ChangeGatewayDeps) => Promise<Decision<unknown>>,
): Promise<boolean> {
  const { read } = world.hosted.run().database;
  const deps = {
    now: () => world.wallTime('hosted'),
    guard: guardQuery(read),
    queries: pairingQueries(read),
    notify: async () => [],
  };
  const decision = await decide(deps).catch((error: unknown) => {
    // it would bring a name of a controller twice
    if (error instanceof AppError && error.extras.code === 'NAMES_CLASH') return null;
    throw error;
  });
  if (decision === null) return false;
  const { changes = [], guards, stream } = decision;
  const more = { ...(guards === undefined ? {} : { guards }), ...(stream === undefined ? {} : { stream }) };
  return (await world.commit('hosted', changes, more)) !== null;
}

/** Farms that the gateway runs, as the hosted instance has it. */
export async function farmsOn(read: ReadRows): Promise<Set<string>> {
  const bound = await read(`select id from sync_farms where stream_id = ${STREAM}`);
  return new Set(bound.map(({ id }) => String(id)));
}

/** Farms of which the gateway has heard that it runs them no longer: nobody changes anything of them there. */
export async function movedHere(read: ReadRows): Promise<Set<string>> {
  const noted = await read(`select id from instance_values where id like '${movedPrefix('here')}%'`);
  return new Set(noted.map(({ id }) => String(id).slice(movedPrefix('here').length)));
}

type Scoped = { by: string; column: string; table?: string };

/** The farm a row belongs to; null: to none, or what it hangs on is not there. */
export function farmOf(
  { table, row }: { table: string; row: Readonly<Record<string, unknown>> },
  parentOf: (table: string, id: string) => Readonly<Record<string, unknown>> | null,
): string | null {
  // every shared table has one
  const scope = (SCOPES as Readonly<Record<string, Scoped>>)[table];
  if (scope === undefined) return null;
  const named = row[scope.column];
  if (typeof named !== 'string') return null;
  if (scope.by === 'farm') return named;
  if (scope.by !== 'parent' || scope.table === undefined) return null;
  const parent = parentOf(scope.table, named);
  return parent === null ? null : farmOf({ table: scope.table, row: parent }, parentOf);
}

/** The same, read from a disk. */
export async function farmOfStored(read: ReadRows, table: string, row: Row): Promise<string | null> {
  const scope = (SCOPES as Readonly<Record<string, Scoped>>)[table];
  if (scope?.by === 'farm') return typeof row[scope.column] === 'string' ? String(row[scope.column]) : null;
  if (scope?.by !== 'parent' || scope.table === undefined) return null;
  const [parent] = await read(`select * from ${scope.table} where id = '${String(row[scope.column])}'`);
  return parent === undefined
    ? null
    : farmOfStored(read, scope.table, { ...parent, id: String(parent['id']) });
}

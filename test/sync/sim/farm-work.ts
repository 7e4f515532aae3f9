import type { Commit, Committed } from '#core/changes.ts';
import * as changes from '#core/changes.ts';
import { StaleError, StorageUnavailable, UniqueViolation } from '#core/errors.ts';
import { codecOf } from '#store/row-codec.ts';
import type { Chance } from './chance.ts';
import { farmOfStored } from './moves.ts';
import type { ReadRows } from './replica-state.ts';
import { type Row, type Side, THINGS, type Thing } from './things.ts';

// One thing that somebody does on one of the two instances, through the door all writes use.

export type WorkDeps = {
  side: Side;
  chance: Chance;
  now: () => number;
  read: ReadRows;
  commit: Commit;
  /** A number that no other write has. */
  nextWord: () => number;
  /** Farms that this side runs no longer: nobody changes anything of them here. */
  moved?: ReadonlySet<string>;
  /** What may be done; without it, as with the first version. */
  things?: readonly Thing[];
  /** What of it the program of this side knows; null: nothing. */
  known?: (change: changes.Change) => changes.Change | null;
  /** Rare things oftener, for a sharper look at one of them. */
  bias?: Partial<Record<Deed, number>>;
};

export type Deed = 'make' | 'edit' | 'delete' | 'restore';

/** What was done; null: it was refused, or there was nothing to do it to. */
export type Done = { deed: Deed; committed: Committed } | null;

const USUAL: Record<Deed, number> = { make: 4, edit: 8, delete: 1, restore: 0.5 };

export async function workOnFarm(deps: WorkDeps): Promise<Done> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const deed = deps.chance.weighted({ ...USUAL, ...deps.bias });
    const thing = chooseThing(deps, deed);
    const wanted = thing === null ? null : await allowed(deps, thing, await changeOf(deps, deed, thing));
    const change = wanted === null || deps.known === undefined ? wanted : deps.known(wanted);
    if (thing !== null && change !== null) return carryOut(deps, { deed, thing, change });
  }
  return null;
}

/** A young farm has no batch to feed yet: somebody does something else then. */
const TRIES = 6;

async function allowed(
  { read, moved }: WorkDeps,
  { resource: { name } }: Thing,
  change: changes.Change | null,
): Promise<changes.Change | null> {
  if (change === null || moved === undefined || moved.size === 0) return change;
  const [stored] =
    'row' in change ? [change.row] : await read(`select * from ${name} where id = '${change.id}'`);
  const farm = stored === undefined ? null : await farmOfStored(read, name, stored as Row);
  return farm !== null && moved.has(farm) ? null : change;
}

async function carryOut(
  deps: WorkDeps,
  { deed, thing, change }: { deed: Deed; thing: Thing; change: changes.Change },
): Promise<Done> {
  try {
    const committed = await deps.commit({ changes: [change], actor: null });
    return { deed, committed };
  } catch (error) {
    if (!isRefusal(error))
      throw new Error(`${deed} of ${thing.resource.name} on the ${deps.side}`, { cause: error });
    return null;
  }
}

/** What a person would be told: taken, changed meanwhile, try again later. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof UniqueViolation ||
  error instanceof StaleError ||
  error instanceof StorageUnavailable ||
  isFull(error);

/** This world's disk refuses what is kept in memory, too: whatever was not stored is gone when the power goes. */
const isFull = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === 'SQLITE_FULL';

function chooseThing({ side, chance, things = THINGS }: WorkDeps, deed: Deed): Thing | null {
  const possible = things.filter((thing) => {
    if (deed === 'make') return thing.make !== null && thing.madeOn.includes(side);
    if (deed === 'edit') return editableGroups(thing, side).length > 0;
    return thing.isDeleted && thing.resource.sync === 'editable';
  });
  const total = possible.reduce((sum, { weight }) => sum + weight, 0);
  let left = chance.unit() * total;
  for (const thing of possible) {
    left -= thing.weight;
    if (left < 0) return thing;
  }
  return possible[0] ?? null;
}

/** A group that the other side owns is not edited here. */
function editableGroups({ resource, edits, editedOn }: Thing, side: Side): string[] {
  if (editedOn?.includes(side) === false) return [];
  return Object.keys(edits).filter((group) => {
    const owner = resource.groups[group]?.owner;
    return owner === undefined || owner === side;
  });
}

async function changeOf(deps: WorkDeps, deed: Deed, thing: Thing): Promise<changes.Change | null> {
  const { chance, side } = deps;
  const { resource } = thing;
  const word = `${side === 'gateway' ? 'g' : 'h'}${deps.nextWord()}`;
  if (deed === 'make') {
    const tables = ['farms', 'users', 'ponds', 'control_points', 'batches'];
    const parents = new Map<string, Row | null>();
    for (const table of tables) parents.set(table, await anyRow(deps, table, false));
    const at = new Date(deps.now()).toISOString();
    const scene = { chance, at, one: (table: string) => parents.get(table) ?? null };
    const row = thing.make?.(scene, chance.uuid(), word) ?? null;
    return row === null || (await isNameTaken(deps, resource.name, row))
      ? null
      : changes.insert(resource, row);
  }
  const row = await anyRow(deps, resource.name, deed === 'restore');
  if (row === null) return null;
  if (deed === 'delete') return changes.remove(resource, row.id);
  if (deed === 'restore')
    return (await isNameTaken(deps, resource.name, row)) || (await isTakenBelow(deps, resource.name, row.id))
      ? null
      : restored(resource, row.id);
  const group = chance.pickOrNull(editableGroups(thing, side));
  const edit = group === null ? undefined : thing.edits[group];
  if (edit === undefined) return null;
  const at = group === 'place' ? await pointBeside(deps, row) : null;
  const set = edit(word, row, chance, at);
  if (group === 'device_id' && (await isNameTaken(deps, resource.name, { ...row, ...set }))) return null;
  return changes.update(resource, row.id, set);
}

/** No index holds to that a device has one name on a gateway: whoever gives one is refused, and here is nothing else to refuse it. */
async function isNameTaken(
  { read }: WorkDeps,
  table: string,
  row: Record<string, unknown>,
): Promise<boolean> {
  if (!('device_id' in row)) return false;
  const [other] = await read(
    `select id from ${table} where hidden = 0 and device_id = '${String(row['device_id'])}' and id <> '${String(row['id'])}'`,
  );
  return other !== undefined;
}

/** What comes back with a pond bears names, too. */
async function isTakenBelow({ read }: WorkDeps, table: string, id: string): Promise<boolean> {
  if (table !== 'ponds') return false;
  const [taken] = await read(
    `select own.id from aerators as own join aerators as other on other.device_id = own.device_id and other.hidden = 0
      where own.pond_id = '${id}' and own.hidden = 1 and own.id not in
        (select id from sync_register where entity = 6 and cl % 2 = 0)`,
  );
  return taken !== undefined;
}

/** A control point of the same farm. */
async function pointBeside({ read, chance }: WorkDeps, { control_point_id }: Row): Promise<Row | null> {
  const points = await read(
    'select id, farm_id from control_points where hidden = 0 and farm_id in ' +
      `(select farm_id from control_points where id = '${String(control_point_id)}') order by id`,
  );
  const found = chance.pickOrNull(points);
  return found === null ? null : { ...found, id: String(found['id']) };
}

async function anyRow(deps: WorkDeps, table: string, isHidden: boolean): Promise<Row | null> {
  const thing = THINGS.find(({ resource }) => resource.name === table);
  if (thing === undefined) return null;
  const { resource } = thing;
  const codec = codecOf(resource);
  const deleted = isHidden
    ? // restored are rows that were deleted themselves, not those that went with their parent
      ` and id in (select id from sync_register where entity = ${resource.entity} and cl % 2 = 0)`
    : '';
  const found = await deps.read(
    `select ${codec.columns.join(', ')} from ${table} where hidden = ${isHidden ? 1 : 0}${deleted} order by id`,
  );
  const stored = deps.chance.pickOrNull(found);
  // a stored row has its id
  return stored === null ? null : (codec.decode(stored) as Row);
}

type Restore = (resource: changes.Change['resource'], id: string) => changes.Change;

function restored(resource: changes.Change['resource'], id: string): changes.Change | null {
  const restore = (changes as { restore?: Restore }).restore;
  return restore === undefined ? null : restore(resource, id);
}

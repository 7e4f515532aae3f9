import { defaultsOf } from '#store/merge/schemas.ts';
import type { Violation } from './check.ts';
import { isStandIn, type Ledger } from './ledger.ts';
import { farmOf, movedHere } from './moves.ts';
import { OWNER } from './paired-farm.ts';
import { peopleOn } from './people.ts';
import { fieldsOfWord, groupValue, type KnownRow, keyOf, type ReplicaState } from './replica-state.ts';
import type { Side } from './things.ts';
import type { World } from './world.ts';

// What of the two disks must be alike: rows of the farms that the gateway runs now, and of their people what is told of them.

/** Of an account, each side's own: the verifier, and what no gateway hears of. */
const OWN_GROUPS = ['password', 'phone_number'];

/** Both states without what only one of them need have. */
export function asShared(
  states: Readonly<Record<Side, ReplicaState>>,
  farms: ReadonlySet<string>,
): [gateway: ReplicaState, hosted: ReplicaState] {
  const present = peopleOn(states.hosted, farms);
  const named = addressesOf(states.hosted, farms);
  const of = (state: ReplicaState): ReplicaState => ({
    ...state,
    rows: new Map(
      [...state.rows].flatMap(([key, known]) => {
        if (isLongPast(known)) return [];
        if (known.resource.name === 'users')
          return present.has(known.row.id) ? [[key, asTold(known)] as const] : [];
        if (known.resource.name === 'subscriptions' && !present.has(String(known.row['user_id']))) return [];
        if (known.resource.name === 'addresses' && !named.has(known.row.id)) return [];
        const farm = farmOfKnown(state, known);
        return farm !== null && !farms.has(farm) ? [] : [[key, known] as const];
      }),
    ),
  });
  return [of(states.gateway), of(states.hosted)];
}

/** Days before the world began. A fresh card asks for a quarter of a year, and its clock may be a month ahead. */
const LONG_PAST = new Date(Date.UTC(2026, 2, 1) - 60 * 86_400_000).toISOString();

const isLongPast = ({ resource, row }: KnownRow): boolean =>
  resource.lane === 'history' && String(row['created_at'] ?? row['timestamp']) < LONG_PAST;

const addressesOf = ({ rows }: ReplicaState, farms: ReadonlySet<string>): Set<unknown> =>
  new Set(
    [...rows.values()].flatMap(({ resource, row }) =>
      resource.name === 'farms' && farms.has(row.id) ? [row['address_id']] : [],
    ),
  );

/** Of who has left a farm a box keeps a name, of who is on one not all: nothing of it need have been written by anybody. */
export const withoutOthers = (state: ReplicaState): ReplicaState => ({
  ...state,
  rows: new Map(
    [...state.rows].filter(([, { resource, row }]) => resource.name !== 'users' || row.id === OWNER),
  ),
});

/** What stands on farms that this instance runs itself: all of them are one person's. */
export const withoutGateway = (hosted: ReplicaState, farms: ReadonlySet<string>): ReplicaState => ({
  ...hosted,
  rows: new Map(
    [...hosted.rows].filter(([, known]) => {
      const farm = farmOfKnown(hosted, known);
      return farm !== null && !farms.has(farm);
    }),
  ),
});

const isAway = ({ resource, row }: KnownRow, farms: ReadonlySet<string>): boolean =>
  resource.name === 'farms' && !farms.has(row.id);

/** Does the change of a farm wait that this gateway runs no longer? People see there that it was not taken. */
export function isOfMoved(
  { gateway, hosted }: Readonly<Record<Side, ReplicaState>>,
  key: string,
  farms: ReadonlySet<string>,
): boolean {
  const known = gateway.rows.get(key) ?? hosted.rows.get(key);
  // refused while its farm was away, and gone at the gateway with its card: this is the only copy
  if (known === undefined) return [...hosted.rows.values()].some((row) => isAway(row, farms));
  if (known.resource.name === 'addresses') return !addressesOf(hosted, farms).has(known.row.id);
  const farm = farmOfKnown(gateway, known) ?? farmOfKnown(hosted, known);
  return farm !== null && !farms.has(farm);
}

export const farmOfKnown = ({ rows }: ReplicaState, { resource, row }: KnownRow): string | null =>
  farmOf({ table: resource.name, row }, (table, id) => rows.get(keyOf(table, id))?.row ?? null);

/**
 * What an older program did not know of a farm that it ran: it stands at its default after the upgrade, and where the farm was
 * taken off before that, or the row went with its parent, nobody tells the gateway any more.
 */
export function isUnheard(
  gateway: ReplicaState,
  known: KnownRow,
  { word, farms }: { word: string; farms: ReadonlySet<string> },
): boolean {
  const { resource, row } = known;
  const farm = farmOfKnown(gateway, known);
  const isDefault = groupValue(resource, word, row) === groupValue(resource, word, defaultsOf(resource));
  // below something deleted it is seen by nobody, and compared by nobody
  const isNobodys = known.isHidden || (farm !== null && !farms.has(farm));
  return isNobodys && isDefault && fieldsOfWord(resource, word).every((field) => field in resource.later);
}

/**
 * Rows that both sides hide, without what only one of them ever heard of: what went with its parent is seen by nobody, may be
 * erased on one side already, and no comparison tells of it.
 */
export function withoutUnseen(own: ReplicaState, other: ReplicaState): ReplicaState {
  const rows = [...own.rows].map(([key, known]): [string, KnownRow] => {
    const beside = other.rows.get(key);
    if (!known.isHidden || beside?.isHidden !== true) return [key, known];
    const { groups, later } = known.resource;
    const told = Object.keys(later)
      .filter((field) => isAtDefault(known, field))
      .map((field) => [field, beside.row[field]]);
    const row = { ...known.row, ...Object.fromEntries(told) };
    // and what was never heard of has no stamp
    const stamps = Object.entries(groups).flatMap(([name, { fields }]) =>
      fields.every((field) => field in later) ? [[name, newest(known, beside, name)]] : [],
    );
    const over = { ...known.register?.over, ...Object.fromEntries(stamps) };
    return [key, { ...known, row, register: known.register && { ...known.register, over } }];
  });
  return { ...own, rows: new Map(rows) };
}

const stampOf = ({ register }: KnownRow, group: string): string =>
  register?.over[group] ?? register?.hlc ?? '';
const newest = (own: KnownRow, other: KnownRow, group: string): string => {
  const [mine, theirs] = [stampOf(own, group), stampOf(other, group)];
  return mine > theirs ? mine : theirs;
};

/** Nobody has said anything of it to this side. */
const isAtDefault = ({ resource, row }: KnownRow, field: string): boolean =>
  (row[field] ?? null) === null || row[field] === defaultsOf(resource)[field];

/**
 * A stand-in in the cloud for somebody of whom the disks left no more than a name. One whose account the gateway knows is asked
 * about, and the name itself is somebody's word.
 */
export function isLostButForName(
  { gateway }: Readonly<Record<Side, ReplicaState>>,
  known: KnownRow,
  { word, ledger }: { word: string; ledger: Pick<Ledger, 'wasNameAlone'> },
): boolean {
  const { resource, row } = known;
  const key = keyOf(resource.name, row.id);
  const here = gateway.rows.get(key);
  const knowsMore = here !== undefined && !isOfStandIn(here);
  return (
    resource.groups[word]?.owner === 'hosted' && isOfStandIn(known) && ledger.wasNameAlone(key) && !knowsMore
  );
}

/** A name alone, to which somebody may have given an address since. */
const isOfStandIn = (known: KnownRow): boolean =>
  isStandIn(known) || (known.row['is_active'] === false && known.row['role'] === 'VIEWER');

function asTold(known: KnownRow): KnownRow {
  const { resource, row, register } = known;
  const kept = new Set(OWN_GROUPS.flatMap((group) => resource.groups[group]?.fields ?? []));
  const without = <Value>(record: Readonly<Record<string, Value>>, names: { has(name: string): boolean }) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => !names.has(name)));
  const groups = new Set(OWN_GROUPS);
  return {
    ...known,
    resource: { ...resource, groups: without(resource.groups, groups) },
    row: { ...without(row, kept), id: row.id },
    register: register === null ? null : { ...register, over: without(register.over, groups) },
  };
}

export const ONE_BOX = 'one box runs a farm';

/** The gateway knows which of its farms are run elsewhere, and runs all others. */
export async function movesHeard(
  world: World,
  gateway: ReplicaState,
  farms: ReadonlySet<string>,
): Promise<Violation[]> {
  const heard = await movedHere(world.gateway.replica.read);
  return [...gateway.rows.values()].flatMap(({ resource, row, isHidden }) => {
    if (resource.name !== 'farms' || isHidden || heard.has(row.id) !== farms.has(row.id)) return [];
    const what = farms.has(row.id)
      ? 'is the gateway’s, which does not run it'
      : 'is run elsewhere, and by the gateway';
    return [{ rule: ONE_BOX, what: `${row.id} ${what}` }];
  });
}

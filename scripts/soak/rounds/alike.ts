import { compare } from '../../../test/sync/sim/check.ts';
import type { KnownRow, ReplicaState } from '../../../test/sync/sim/replica-state.ts';

/** Of people each side has what is its own to know; what of them both must say alike. */
const OF_PEOPLE = ['id', 'name', 'email', 'role', 'is_active'];

/** Rows, fields and stamps in which the two sides differ, once neither has anything to tell the other. */
export function differences(gateway: ReplicaState, hosted: ReplicaState): string[] {
  return compare(withOrdersOver(shared(gateway), hosted), shared(hosted)).map(
    ({ rule, what }) => `${rule}: ${what}`,
  );
}

function shared({ rows, ...aside }: ReplicaState): ReplicaState {
  const named = new Set([...rows.values()].map(({ row }) => row['address_id']));
  const isShared = ({ resource, row }: KnownRow): boolean => {
    // who pays is the hosted instance's own
    if (resource.name === 'subscriptions') return false;
    // nobody is told of an address that no farm names
    if (resource.name === 'addresses') return named.has(row.id);
    // what is of no farm is that instance's own
    return !['logs', 'notifications'].includes(resource.name) || row['farm_id'] !== null;
  };
  return {
    rows: new Map(
      [...rows].filter(([, known]) => isShared(known)).map(([key, known]) => [key, said(known, rows)]),
    ),
    ...aside,
  };
}

function said(known: KnownRow, rows: ReplicaState['rows']): KnownRow {
  const { resource, row } = known;
  // such rows are seen by what is above them, and not all of them are marked (isHiddenIn)
  if (resource.goesBy !== 'row') {
    const isBelow = Object.entries(resource.parents).some(
      ([table, column]) => rows.get(`${table} ${String(row[column])}`)?.isHidden === true,
    );
    if (isBelow && !known.isHidden) return said({ ...known, isHidden: true }, rows);
  }
  if (resource.name === 'users')
    return { ...known, register: null, row: { ...only(row, OF_PEOPLE), id: row.id } };
  // made of its cause, on both sides at their own moment: that it is there counts
  if (resource.sync === 'fact' && row.id[14] === '5') return { ...known, row: { id: row.id } };
  return known;
}

/**
 * Of orders that its card lost a gateway believes nothing but that they are over (own-say.ts); the hosted instance goes on
 * knowing how they ended.
 */
function withOrdersOver({ rows, ...aside }: ReplicaState, hosted: ReplicaState): ReplicaState {
  const told = new Map(
    [...rows].map(([key, known]) => {
      const there = hosted.rows.get(key);
      const isOver =
        known.resource.name === 'orders' &&
        known.row['state'] === 'EXPIRED' &&
        !['SENT', 'ACKED'].includes(String(there?.row['state']));
      const state = isOver ? { state: there?.row['state'] ?? null } : {};
      return [key, { ...known, row: { ...known.row, ...state } }] as const;
    }),
  );
  return { rows: told, ...aside };
}

const only = (row: Record<string, unknown>, fields: readonly string[]) =>
  Object.fromEntries(fields.map((field) => [field, row[field]]));

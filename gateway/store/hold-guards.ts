import type { GuardSeen } from '#core/changes.ts';
import { StaleError } from '#core/errors.ts';
import type { Steps, UnitContext } from './statements.ts';

// A guard that nobody moved yet has no row: its number is 0.

/** Holds what a decision rests on until its unit ends; in one order, so that two units never wait for each other. */
export function* holdGuards(guards: readonly GuardSeen[], { dialect }: UnitContext): Steps<void> {
  const inOrder = guards.toSorted((a, b) => order(a.entity, b.entity) || order(a.id, b.id));
  // on SQLite a unit is the only writer until it ends: parents need no lock, and are looked at together
  if (dialect === 'sqlite') yield* lookAtParents(inOrder.filter(({ isParent }) => isParent));
  for (const guard of inOrder) {
    if (guard.isParent && dialect === 'sqlite') continue;
    const holds = yield* guard.isParent ? lockParent(guard) : move(guard);
    if (!holds) throw stale(guard);
  }
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const stale = ({ entity, id }: GuardSeen): StaleError => new StaleError(`${entity} ${id}`);

function* lookAtParents(parents: readonly GuardSeen[]): Steps<void> {
  if (parents.length === 0) return;
  const numbers = parents.map(
    (_, place) => `(select n from guards where entity = ? and id = ?) as n${place}`,
  );
  const [row] = yield {
    sql: `select ${numbers.join(', ')}`,
    params: parents.flatMap(({ entity, id }) => [entity, id]),
  };
  parents.forEach((parent, place) => {
    if (Number(row?.[`n${place}`] ?? 0) !== parent.n) throw stale(parent);
  });
}

/** Keeps a parent from moving until the unit ends; false when it moved since it was read. */
function* lockParent({ entity, id, n }: GuardSeen): Steps<boolean> {
  const locked = { sql: 'select n from guards where entity = ? and id = ? for share', params: [entity, id] };
  const [row] = yield locked;
  if (row !== undefined) return Number(row['n']) === n;
  yield {
    sql: 'insert into guards (entity, id, n) values (?, ?, 0) on conflict do nothing',
    params: [entity, id],
  };
  const [made] = yield locked;
  return Number(made?.['n']) === n;
}

/** Moves a guard on; false when somebody else did since it was read. */
function* move({ entity, id, n }: GuardSeen): Steps<boolean> {
  const moved = yield n === 0
    ? {
        sql: `insert into guards (entity, id, n) values (?, ?, 1)
          on conflict (entity, id) do update set n = guards.n + 1 where guards.n = 0 returning n`,
        params: [entity, id],
      }
    : {
        sql: 'update guards set n = n + 1 where entity = ? and id = ? and n = ? returning n',
        params: [entity, id, n],
      };
  return moved.length > 0;
}

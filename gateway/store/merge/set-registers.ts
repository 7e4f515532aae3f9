import { type Register, type Rows, registerOf, type Steps, type UnitContext } from '../register.ts';
import { insertMany } from './write-rows.ts';

// Registers of all tables whose stamps are to be others, read and written in slices.

const ROWS_AT_ONCE = 500;

/** The newest of an object of stamps; null: it has none. */
export const newestIn = (column: string, { dialect }: Pick<UnitContext, 'dialect'>): string =>
  dialect === 'postgres'
    ? `(select max(value) from json_each_text(${column}::json))`
    : `(select max(value) from json_each(${column}))`;

type Stored = { entity: number; id: string; register: Register };

/** Every register with a stamp beyond `limit`, in slices. */
export function* eachRegister(
  limit: string,
  look: (slice: readonly Stored[]) => Steps<void>,
  context: UnitContext,
): Steps<void> {
  let after: [number, string] = [-1, ''];
  for (;;) {
    const stored: Rows = yield {
      sql: `select entity, id, cl, hlc, over_json from sync_register
        where (entity, id) > (?, ?) and (hlc > ? or ${newestIn('over_json', context)} > ?) order by entity, id limit ${ROWS_AT_ONCE}`,
      params: [...after, limit, limit],
    };
    const slice = stored.map((row) => ({
      entity: Number(row['entity']),
      id: String(row['id']),
      register: registerOf(row),
    }));
    yield* look(slice);
    const end = slice.at(-1);
    if (end === undefined || slice.length < ROWS_AT_ONCE) return;
    after = [end.entity, end.id];
  }
}

/** Sets them as `set` answers. Answers how many there were. */
export function* setRegisters(
  limit: string,
  set: (register: Register) => Register,
  context: UnitContext,
): Steps<number> {
  let count = 0;
  yield* eachRegister(
    limit,
    function* (slice) {
      const rows = slice.map(({ entity, id, register }) => {
        const { cl, hlc, over } = set(register);
        return { entity, id, cl, hlc, over_json: JSON.stringify(over) };
      });
      yield* insertMany(
        {
          table: 'sync_register',
          columns: ['entity', 'id', 'cl', 'hlc', 'over_json'],
          rows,
          conflict:
            'on conflict (entity, id) do update set hlc = excluded.hlc, over_json = excluded.over_json',
        },
        context,
      );
      count += rows.length;
    },
    context,
  );
  return count;
}

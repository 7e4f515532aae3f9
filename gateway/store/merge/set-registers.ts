import { type Register, type Rows, registerOf, type Steps, type UnitContext } from '../register.ts';
import { insertMany } from './write-rows.ts';

// Registers of all tables whose stamps are to be others, read and written in slices.

const ROWS_AT_ONCE = 500;

/** The newest of an object of stamps; null: it has none. */
export const newestIn = (column: string, { dialect }: Pick<UnitContext, 'dialect'>): string =>
  dialect === 'postgres'
    ? `(select max(value) from json_each_text(${column}::json))`
    : `(select max(value) from json_each(${column}))`;

/** Every register with a stamp beyond `limit`, as `set` answers it. Answers how many there were. */
export function* setRegisters(
  limit: string,
  set: (register: Register) => Register,
  context: UnitContext,
): Steps<number> {
  let after: [number, string] = [-1, ''];
  let count = 0;
  for (;;) {
    const stored: Rows = yield {
      sql: `select entity, id, cl, hlc, over_json from sync_register
        where (entity, id) > (?, ?) and (hlc > ? or ${newestIn('over_json', context)} > ?) order by entity, id limit ${ROWS_AT_ONCE}`,
      params: [...after, limit, limit],
    };
    const rows = stored.map((row) => {
      const { cl, hlc, over } = set(registerOf(row));
      const id = String(row['id']);
      return { entity: Number(row['entity']), id, cl, hlc, over_json: JSON.stringify(over) };
    });
    yield* insertMany(
      {
        table: 'sync_register',
        columns: ['entity', 'id', 'cl', 'hlc', 'over_json'],
        rows,
        conflict: 'on conflict (entity, id) do update set hlc = excluded.hlc, over_json = excluded.over_json',
      },
      context,
    );
    count += rows.length;
    const end = rows.at(-1);
    if (end === undefined || rows.length < ROWS_AT_ONCE) return count;
    after = [end.entity, end.id];
  }
}

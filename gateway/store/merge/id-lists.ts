import { isStorable } from '#contract/stored-text.ts';
import type { Statement, UnitContext } from '../register.ts';

// Lists of ids travel as one parameter of JSON text: one statement text for every length, on both engines.

/** `<column> in (…)` with one mark for `listOf`. */
export function inList(column: string, { dialect }: Pick<UnitContext, 'dialect'>): string {
  return dialect === 'postgres'
    ? `${column} in (select json_array_elements_text(?::json))`
    : `${column} in (select value from json_each(?))`;
}

/** The parameter of inList. What no text of either engine can be, no row can hold. */
export const listOf = (values: Iterable<string>): string => JSON.stringify([...values].filter(isStorable));

/** Rows of a table by id. */
export function rowsByIds(
  { table, columns, ids }: { table: string; columns: readonly string[]; ids: Iterable<string> },
  context: Pick<UnitContext, 'dialect'>,
): Statement {
  return {
    sql: `select ${columns.join(', ')} from ${table} where ${inList('id', context)}`,
    params: [listOf(ids)],
  };
}

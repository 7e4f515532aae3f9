import type { Compilable, CompiledQuery } from 'kysely';
import type { Db } from './database.ts';

type Value = string | number | null;

/** What a handle has besides whose engine runs in this process: its rows are there at once. */
export type AnswersNow = { answerNow: (sql: string, parameters: readonly unknown[]) => unknown[] };

const answersNow = (db: Db): db is Db & AnswersNow => 'answerNow' in db;

/** Stands where a value will stand; no text a caller can send begins so, for requests with a NUL are refused. */
const MARK = '\u0000';

/**
 * A statement for a hot path: built and compiled once, then run with other values. `build` gets a mark for each name and
 * uses it where the value belongs.
 */
export function prepared<Name extends string, Row>(
  db: Db,
  names: readonly Name[],
  build: (marks: Readonly<Record<Name, string>>) => Compilable<Row>,
): (values: Readonly<Record<Name, Value>>) => Promise<Row[]> {
  // one mark per name
  const marks = Object.fromEntries(names.map((name) => [name, MARK + name])) as Record<Name, string>;
  const compiled: CompiledQuery<Row> = build(marks).compile();
  const nameByPlace = compiled.parameters.map((parameter) => names.find((name) => marks[name] === parameter));
  return async (values) => {
    const parameters = compiled.parameters.map((parameter, place) => {
      const name = nameByPlace[place];
      return name === undefined ? parameter : values[name];
    });
    // the rows are those of the query that Kysely typed
    if (answersNow(db)) return db.answerNow(compiled.sql, parameters) as Row[];
    const { rows } = await db.executeQuery<Row>({ ...compiled, parameters });
    return rows;
  };
}

import { CompiledQuery } from 'kysely';
import type { Db } from './database.ts';

/** Runs a statement of a library that brings its own SQL, for tables that no unit of work changes. */
export function runStatement(db: Db) {
  return async (text: string, values: readonly unknown[]): Promise<{ rows: unknown[]; rowCount: number }> => {
    const { rows, numAffectedRows } = await db.executeQuery<unknown>(CompiledQuery.raw(text, [...values]));
    return { rows, rowCount: numAffectedRows === undefined ? rows.length : Number(numAffectedRows) };
  };
}

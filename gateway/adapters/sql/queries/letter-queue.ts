import { sql } from 'kysely';
import type { Resource } from '#contract/resource.ts';
import { isoOf } from '#core/kernel.ts';
import type { LetterQueue, WaitingLetter } from '#core/letters.ts';
import type { Db } from '../database.ts';
import { decodeRow } from '../tables.ts';

/** No wait is longer: what is due later was put off by a clock that was wrong. */
const LONGEST_WAIT_MS = 2 * 3_600_000;

/** Letters that wait in a local table. */
export function letterQueue<Row extends WaitingLetter>(db: Db, resource: Resource<Row>): LetterQueue<Row> {
  const table = sql.table(resource.name);
  return {
    async due(now, limit) {
      const { rows } = await sql<Record<string, unknown>>`select * from ${table}
        where next_at <= ${isoOf(now)} or next_at > ${isoOf(now + LONGEST_WAIT_MS)}
        order by next_at, id limit ${limit}`.execute(db);
      return rows.map((row) => decodeRow(resource, row));
    },
    async claim({ id, next_at }, until) {
      const { rows } = await sql`update ${table} set next_at = ${until}
        where id = ${id} and next_at = ${next_at} returning id`.execute(db);
      return rows.length > 0;
    },
    async putOff(id, next_at, attempts) {
      await sql`update ${table} set next_at = ${next_at}, attempts = ${attempts} where id = ${id}`.execute(
        db,
      );
    },
  };
}

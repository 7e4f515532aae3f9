import { secondFactor } from '#contract/resources/local-tables.ts';
import type { SecondFactorQueries } from '#features/second-factor/ports.ts';
import type { Db } from '../database.ts';
import { decodeRow } from '../tables.ts';

export function secondFactorQueries(db: Db): SecondFactorQueries {
  return {
    async factorOf(userId) {
      const row = await db
        .selectFrom('second_factors')
        .selectAll()
        .where('id', '=', userId)
        .executeTakeFirst();
      return row ? decodeRow(secondFactor, row) : null;
    },
  };
}

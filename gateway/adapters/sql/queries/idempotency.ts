import type { RowOf } from '#contract/resource.ts';
import { idempotentAnswer } from '#contract/resources/local-tables.ts';
import type { Db } from '../database.ts';
import { decodeRow } from '../tables.ts';

export function idempotencyQueries(db: Db): {
  storedAnswer: (id: string) => Promise<RowOf<typeof idempotentAnswer> | null>;
} {
  return {
    async storedAnswer(id) {
      const row = await db
        .selectFrom('idempotent_answers')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row ? decodeRow(idempotentAnswer, row) : null;
    },
  };
}

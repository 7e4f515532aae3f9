import type { NumericIdDeps } from '#core/numeric-id.ts';
import type { Db } from '../database.ts';

export function numericIdQueries(db: Db): NumericIdDeps {
  return {
    async numericIdClaim(number) {
      const claim = await db
        .selectFrom('numeric_ids')
        .select(['entity', 'uuid'])
        .where('id', '=', number)
        .executeTakeFirst();
      return claim ?? null;
    },
  };
}

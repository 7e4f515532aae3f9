import { pushAction } from '#contract/resources/local-tables.ts';
import type { PushActionQueries } from '#features/alarms/push-actions/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';

export function pushActionQueries(db: Db): PushActionQueries {
  return {
    async actionOf(tokenHash) {
      const row = await db
        .selectFrom('push_actions')
        .selectAll()
        .where('token_hash', '=', tokenHash)
        .executeTakeFirst();
      return row ? decodeRow(pushAction, row) : null;
    },
  };
}

import { subscription } from '#contract/resources/subscriptions.ts';
import type { SetPlanDeps } from '#features/subscriptions/set-plan.ts';
import type { Db } from '../database.ts';
import { decodeRow } from '../tables.ts';

export function subscriptionQueries(db: Db): Pick<SetPlanDeps, 'subscriptionOf'> {
  return {
    async subscriptionOf(userId) {
      const row = await db
        .selectFrom('subscriptions')
        .selectAll()
        .where('user_id', '=', userId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ? decodeRow(subscription, row) : null;
    },
  };
}

import type { RowOf } from '#contract/resource.ts';
import type { subscription } from '#contract/resources/subscriptions.ts';
import type { Plan } from '#contract/words.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';

/** The subscription every user begins with. */
export function firstSubscription(
  deps: Pick<Kernel, 'now' | 'newId'>,
  userId: string,
  plan: Plan,
): RowOf<typeof subscription> {
  return {
    id: deps.newId(),
    user_id: userId,
    plan,
    status: 'ACTIVE',
    currency: 'BRL',
    created_at: isoOf(deps.now()),
    updated_at: null,
  };
}

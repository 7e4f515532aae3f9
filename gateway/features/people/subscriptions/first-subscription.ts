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
    payment_provider: null,
    payment_customer_id: null,
    payment_subscription_id: null,
    current_period_start: null,
    current_period_end: null,
    cancel_at_period_end: false,
    past_due_since: null,
    max_farms: null,
    max_ponds_per_farm: null,
    max_batches_per_pond: null,
    features: null,
    created_at: isoOf(deps.now()),
    updated_at: null,
  };
}

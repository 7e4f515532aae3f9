import type { RowOf, Stored } from '#contract/resource.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import type { Plan } from '#contract/words.ts';
import { insert, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import { firstSubscription } from './first-subscription.ts';

export type SetPlanDeps = Pick<Kernel, 'now' | 'newId'> & {
  subscriptionOf: (userId: string) => Promise<Stored<RowOf<typeof subscription>> | null>;
};

/** Decides that a user has this plan, and that it is active. */
export async function setPlan(deps: SetPlanDeps, userId: string, plan: Plan): Promise<Decision<void>> {
  const current = await deps.subscriptionOf(userId);
  if (current === null) {
    return { answer: undefined, changes: [insert(subscription, firstSubscription(deps, userId, plan))] };
  }
  const set = { plan, status: 'ACTIVE' as const, updated_at: isoOf(deps.now()) };
  return { answer: undefined, changes: [update(subscription, current, set)] };
}

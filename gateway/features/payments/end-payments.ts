import { subscription } from '#contract/resources/subscriptions.ts';
import { update } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import { perform } from '#core/use-case.ts';
import type { OwnDeskDeps } from './own-desk.ts';

/**
 * Ends what a user pays for and has the provider forget the user: for an account that is deleted. Repeating it changes
 * nothing. Throws 503 when the provider does not answer.
 */
export async function endPayments(
  deps: Omit<OwnDeskDeps, 'subscriptionChanged'>,
  userId: string,
): Promise<void> {
  const { name, deleteCustomer } = deps.provider;
  const before = await deps.queries.subscriptionOf(userId);
  if (before?.payment_provider !== name || before.payment_customer_id === null) return;
  await deleteCustomer(before.payment_customer_id);
  await perform(deps, userId, async () => {
    const row = await deps.queries.subscriptionOf(userId);
    if (row === null) return { answer: undefined };
    const isOver = row.payment_subscription_id !== null;
    const set = {
      payment_customer_id: null,
      ...(isOver ? { status: 'CANCELED' as const } : {}),
      updated_at: isoOf(deps.now()),
    };
    return { answer: undefined, changes: [update(subscription, row, set)] };
  });
}

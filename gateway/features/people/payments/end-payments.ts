import { subscription } from '#contract/resources/subscriptions.ts';
import { update } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import { perform } from '#core/use-case.ts';
import { isRunning, runningAt, sureOfMissing } from './keep-one.ts';
import type { OwnDeskDeps } from './own-desk.ts';
import type { Subscription } from './ports.ts';

/**
 * Ends what a user pays for and has the provider forget the user: for an account that is deleted. Repeating it changes
 * nothing. Throws 503 when the provider does not answer, and 422 PAYMENT_REFUSED when it has never heard of a person who
 * pays: with the key of another account it would go on taking money from somebody whom nobody here knows any more.
 */
export async function endPayments(
  deps: Omit<OwnDeskDeps, 'subscriptionChanged'>,
  userId: string,
): Promise<void> {
  const { name, deleteCustomer } = deps.provider;
  const before = await deps.queries.subscriptionOf(userId);
  if (before?.payment_provider !== name || before.payment_customer_id === null) return;
  const paidFor = await runningId(deps, before);
  if (paidFor !== null)
    await sureOfMissing(deps, { id: paidFor, customerId: before.payment_customer_id }, null);
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

async function runningId(
  { provider, queries }: Pick<OwnDeskDeps, 'provider' | 'queries'>,
  row: Subscription,
): Promise<string | null> {
  const known = await queries.providerSubscriptionsOf(row.user_id, provider.name);
  return runningAt(provider, row) ?? known.find(isRunning)?.id ?? null;
}

import { subscription } from '#contract/resources/subscriptions.ts';
import { update } from '#core/changes.ts';
import { AppError, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { perform } from '#core/use-case.ts';
import type { CheckoutInput, PaymentQueries, SubscriptionChanged } from './ports.ts';
import { NOTHING_AGREED } from './subscription-from-provider.ts';

export type ChooseFreeDeps = Pick<Kernel, 'now' | 'newId' | 'commit' | 'pause' | 'random' | 'guard'> & {
  queries: Pick<PaymentQueries, 'subscriptionOf'>;
  subscriptionChanged: SubscriptionChanged;
};

/**
 * The way back for who has cancelled: FREE costs nothing, so it is there before the person is. Throws 422 for anybody
 * whose subscription goes on.
 */
export async function chooseFree(
  deps: ChooseFreeDeps,
  userId: string,
  { successUrl }: Pick<CheckoutInput, 'successUrl'>,
): Promise<{ session_id: string; url: string }> {
  const sessionId = `free_${deps.newId()}`;
  await perform(deps, userId, async () => {
    const guard = await deps.guard('payments', userId);
    const row = await deps.queries.subscriptionOf(userId);
    if (row === null) throw notFound('Subscription');
    if (row.status !== 'CANCELED')
      throw notForSale(
        'FREE costs nothing: cancel your subscription instead of paying for it',
        'PLAN_NOT_SOLD',
      );
    const set = {
      ...NOTHING_AGREED,
      plan: 'FREE' as const,
      status: 'ACTIVE' as const,
      payment_subscription_id: null,
      current_period_start: null,
      current_period_end: null,
      cancel_at_period_end: false,
      past_due_since: null,
      updated_at: isoOf(deps.now()),
    };
    const { rev: _rev, ...before } = row;
    const told = await deps.subscriptionChanged({
      before,
      after: { ...before, ...set },
      userId,
      cause: sessionId,
    });
    return { answer: undefined, changes: [update(subscription, row, set), ...told], guards: [guard] };
  });
  return { session_id: sessionId, url: successUrl.replaceAll('{CHECKOUT_SESSION_ID}', sessionId) };
}

export function notForSale(detail: string, code: string): AppError {
  return new AppError(422, detail, { code, errors: [{ path: 'plan', code, message: detail }] });
}

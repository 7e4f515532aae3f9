import type { RowOf } from '#contract/resource.ts';
import type { subscription } from '#contract/resources/subscriptions.ts';
import type { ProviderName, ProviderSubscription } from './ports.ts';
import { factsOf, type Standing, standingOf } from './provider-facts.ts';

type Row = RowOf<typeof subscription>;

/** What the provider decides of a subscription; the rest belongs to an administrator and to the person. */
type ProvidedFields = Pick<
  Row,
  | 'plan'
  | 'status'
  | 'currency'
  | 'payment_provider'
  | 'payment_customer_id'
  | 'payment_subscription_id'
  | 'current_period_start'
  | 'current_period_end'
  | 'cancel_at_period_end'
  | 'past_due_since'
>;

/**
 * What changes in the row of a user when the provider's word on the user's subscriptions goes from `before` to `after`.
 * Only what the provider changed: what an administrator set by hand meanwhile stays until the provider speaks of it.
 */
export function changedFields(
  provider: ProviderName,
  row: Row,
  before: readonly ProviderSubscription[],
  after: readonly ProviderSubscription[],
): Partial<Row> {
  const was = providedFields(provider, before);
  const is = providedFields(provider, after);
  if (is === null) return {};
  const set: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(is)) {
    const isNew = was === null || was.payment_subscription_id !== is.payment_subscription_id;
    // both objects have the same keys
    if (isNew || was[field as keyof ProvidedFields] !== value) set[field] = value;
  }
  // what was agreed for the plan before does not hold for the new one
  const isOtherPlan = 'plan' in set && set['plan'] !== row.plan;
  const agreed = { max_farms: null, max_ponds_per_farm: null, max_batches_per_pond: null, features: null };
  const whole = isOtherPlan ? { ...set, ...agreed } : set;
  // keys and values are those of the row
  return Object.fromEntries(
    Object.entries(whole).filter(([field, value]) => row[field as keyof Row] !== value),
  ) as Partial<Row>;
}

function providedFields(
  provider: ProviderName,
  subscriptions: readonly ProviderSubscription[],
): Partial<ProvidedFields> | null {
  const shown = shownOf(subscriptions);
  if (shown === null) return null;
  const { id, customer_id, standing } = shown;
  return {
    payment_provider: provider,
    ...(customer_id === null ? {} : { payment_customer_id: customer_id }),
    payment_subscription_id: id,
    ...(standing.plan === null ? {} : { plan: standing.plan }),
    ...(standing.currency === null ? {} : { currency: standing.currency }),
    ...(standing.status === null || standing.status === 'PENDING' ? {} : { status: standing.status }),
    ...(standing.period === null
      ? {}
      : { current_period_start: standing.period.start, current_period_end: standing.period.end }),
    cancel_at_period_end: standing.isCancelPlanned,
    past_due_since: standing.pastDueSince,
  };
}

/** Of all the subscriptions a person ever had the one that counts: one that runs, else the one that began last. */
export function shownOf(
  subscriptions: readonly ProviderSubscription[],
): (ProviderSubscription & { standing: Standing }) | null {
  let shown: (ProviderSubscription & { standing: Standing }) | null = null;
  for (const one of subscriptions) {
    const standing = standingOf(factsOf(one));
    if (standing === null || !standing.hasBegun) continue;
    if (shown === null || counts({ ...one, standing }, shown)) shown = { ...one, standing };
  }
  return shown;
}

type WithStanding = { id: string; standing: Standing };

function counts(a: WithStanding, b: WithStanding): boolean {
  const aRuns = a.standing.status !== 'CANCELED';
  const bRuns = b.standing.status !== 'CANCELED';
  if (aRuns !== bRuns) return aRuns;
  if (a.standing.since !== b.standing.since) return a.standing.since > b.standing.since;
  return a.id > b.id;
}

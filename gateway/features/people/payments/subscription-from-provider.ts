import type { RowOf } from '#contract/resource.ts';
import type { subscription } from '#contract/resources/subscriptions.ts';
import type { PaymentProvider, ProviderName, ProviderSubscription } from './ports.ts';
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

/** What was agreed for a plan does not hold for another one. */
export const NOTHING_AGREED = {
  max_farms: null,
  max_ponds_per_farm: null,
  max_batches_per_pond: null,
  features: null,
} satisfies Partial<Row>;

/** The subscription that runs at this very provider; one of another provider is none here. */
export function runningAt(
  provider: Pick<PaymentProvider, 'name'>,
  row: Pick<Row, 'payment_provider' | 'status' | 'payment_subscription_id'>,
): string | null {
  if (row.payment_provider !== provider.name || row.status === 'CANCELED') return null;
  return row.payment_subscription_id;
}

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
  if (is === null || isBehindRow(row, was, is)) return {};
  const set: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(is)) {
    const isNew = was === null || was.payment_subscription_id !== is.payment_subscription_id;
    // both objects have the same keys
    if (isNew || was[field as keyof ProvidedFields] !== value) set[field] = value;
  }
  const isOtherPlan = 'plan' in set && set['plan'] !== row.plan;
  const whole = isOtherPlan ? { ...set, ...NOTHING_AGREED } : set;
  // keys and values are those of the row
  return Object.fromEntries(
    Object.entries(whole).filter(([field, value]) => row[field as keyof Row] !== value),
  ) as Partial<Row>;
}

/** The person has chosen FREE since: what is still told of the subscription that ended before is of the past. */
function isBehindRow(row: Row, was: Partial<ProvidedFields> | null, is: Partial<ProvidedFields>): boolean {
  const hadEnded = was?.status === 'CANCELED' && is.status === 'CANCELED';
  const isTheSame = was?.payment_subscription_id === is.payment_subscription_id;
  return hadEnded && isTheSame && row.payment_subscription_id !== is.payment_subscription_id;
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
    // what is cancelled already is not going to be
    cancel_at_period_end: standing.isCancelPlanned && standing.status !== 'CANCELED',
    past_due_since: standing.pastDueSince,
  };
}

/** Of all the subscriptions a person ever had the one that counts: one that runs, else the one that began last. */
export function shownOf(
  subscriptions: readonly ProviderSubscription[],
): (ProviderSubscription & { standing: Standing }) | null {
  let shown: (ProviderSubscription & { standing: Standing }) | null = null;
  for (const one of subscriptions) {
    const standing = begunStanding(one);
    if (standing === null) continue;
    if (shown === null || counts({ ...one, standing }, shown)) shown = { ...one, standing };
  }
  return shown;
}

/**
 * How a subscription stands that was paid or on trial once; null for one that never was, and for one without a plan of
 * ours: the same account at the provider may sell other things.
 */
export function begunStanding(one: Pick<ProviderSubscription, 'facts'>): Standing | null {
  const standing = standingOf(factsOf(one));
  return standing?.hasBegun === true && standing.plan !== null ? standing : null;
}

type WithStanding = { id: string; standing: Standing };

function counts(a: WithStanding, b: WithStanding): boolean {
  const aRuns = a.standing.status !== 'CANCELED';
  const bRuns = b.standing.status !== 'CANCELED';
  if (aRuns !== bRuns) return aRuns;
  if (a.standing.since !== b.standing.since) return a.standing.since > b.standing.since;
  return a.id > b.id;
}

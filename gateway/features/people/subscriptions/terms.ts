import { FEATURES, type Feature, type Features, PLAN_TERMS, type PlanLimits } from '#contract/plans.ts';
import type { RowOf } from '#contract/resource.ts';
import type { subscription } from '#contract/resources/subscriptions.ts';
import type { Plan } from '#contract/words.ts';
import { AppError } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { LapseTerms, SubscriptionRow } from './ports.ts';

/** What a subscription allows: what an administrator has set, else what its plan says. */
export function limitsOf(
  terms: Pick<SubscriptionRow, 'plan' | 'max_farms' | 'max_ponds_per_farm' | 'max_batches_per_pond'>,
): PlanLimits {
  const { limits } = PLAN_TERMS[terms.plan];
  return {
    max_farms: terms.max_farms ?? limits.max_farms,
    max_ponds_per_farm: terms.max_ponds_per_farm ?? limits.max_ponds_per_farm,
    max_batches_per_pond: terms.max_batches_per_pond ?? limits.max_batches_per_pond,
  };
}

export function featuresOf({ plan, features }: Pick<SubscriptionRow, 'plan' | 'features'>): Features {
  const flag = (name: Feature) => features?.[name] ?? PLAN_TERMS[plan].features[name];
  // one entry per word of the list
  return Object.fromEntries(FEATURES.map((name) => [name, flag(name)])) as Features;
}

/** What a change of plan sets: what was agreed for the plan before does not hold for the new one. */
export function planSet(plan: Plan) {
  return {
    plan,
    max_farms: null,
    max_ponds_per_farm: null,
    max_batches_per_pond: null,
    features: null,
  } satisfies Partial<SubscriptionRow>;
}

const GRACE_MS = 14 * 24 * 3600 * 1000;

/** Until when a missing payment refuses nothing; null: none is missing. */
export function graceEndOf(
  terms: Pick<SubscriptionRow, 'status' | 'past_due_since' | 'created_at' | 'updated_at'>,
): string | null {
  if (terms.status !== 'PAST_DUE') return null;
  const since = terms.past_due_since ?? terms.updated_at ?? terms.created_at;
  return isoOf(Date.parse(since) + GRACE_MS);
}

/**
 * Why this subscription allows no farm, pond or batch to be created, whatever its limits; null: it does. What exists is
 * read and run as ever. A clock that is not to be trusted ends nobody's grace.
 */
export function lapseOf(deps: Pick<Kernel, 'now' | 'clockQuality'>, terms: LapseTerms): AppError | null {
  if (terms.status === 'CANCELED') {
    return new AppError(
      403,
      'The subscription was cancelled: nothing new can be created until a plan is chosen. What exists stays and works.',
      { code: 'SUBSCRIPTION_CANCELED' },
    );
  }
  const graceEnd = graceEndOf(terms);
  if (graceEnd === null || deps.clockQuality() !== 'trusted' || deps.now() < Date.parse(graceEnd))
    return null;
  return new AppError(
    402,
    'A payment has been missing for more than 14 days: nothing new can be created until it is made. What exists stays and works.',
    { code: 'PAYMENT_REQUIRED' },
  );
}

/** Features by which something new is made. The others are reading, which no lapse refuses. */
const MAKING: ReadonlySet<Feature> = new Set(['api_access']);

/** Whether the plan includes a feature. Throws 402 or 403 when it does, but has lapsed, and the feature is not reading. */
export function holdsFeature(
  deps: Pick<Kernel, 'now' | 'clockQuality'>,
  row: LapseTerms & Pick<SubscriptionRow, 'features'>,
  feature: Feature,
): boolean {
  if (!featuresOf(row)[feature]) return false;
  const lapse = MAKING.has(feature) ? lapseOf(deps, row) : null;
  if (lapse !== null) throw lapse;
  return true;
}

export function noSubscription(): AppError {
  return new AppError(402, 'This account has no subscription: choose a plan first', {
    code: 'SUBSCRIPTION_REQUIRED',
  });
}

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

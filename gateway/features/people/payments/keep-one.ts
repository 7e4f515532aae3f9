import type { RowOf } from '#contract/resource.ts';
import type { subscription } from '#contract/resources/subscriptions.ts';
import { AppError } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import { NewestMap } from '#core/newest-map.ts';
import type { PaymentProvider, ProviderName, ProviderSubscription, Snapshot } from './ports.ts';
import { factsOf, type Standing, standingOf, withAnswer } from './provider-facts.ts';

export type KeepOneDeps = Pick<Kernel, 'now' | 'log'> & {
  provider: Pick<PaymentProvider, 'subscriptionNow' | 'endDouble' | 'knowsCustomer'>;
  endedDoubles: EndedDoubles;
};

/**
 * By their ids at the provider. A commit that comes too late is decided again, and what was ended for the first decision
 * looks then as if it had ended by itself: it is told all the same, each once.
 */
export type EndedDoubles = NewestMap<string, EndedDouble>;
export const newEndedDoubles = (): EndedDoubles => new NewestMap(MOST_REMEMBERED);
const MOST_REMEMBERED = 1_000;

export type EndedDouble = { subscriptionId: string; plan: Standing['plan']; keptPlan: Standing['plan'] };

/**
 * Of several subscriptions of one user that run at once, which two open pages can make, the one that was bought last
 * stays and the others are ended at the provider: nobody pays twice. Throws 503 when the provider does not answer; what
 * it does not take is tried again with the next event.
 */
export async function keepOne(
  deps: KeepOneDeps,
  all: readonly ProviderSubscription[],
): Promise<{ all: readonly ProviderSubscription[]; ended: EndedDouble[] }> {
  const { endedDoubles } = deps;
  const endedOf = (ones: readonly ProviderSubscription[]) =>
    ones.flatMap(({ id }) => endedDoubles.get(id) ?? []);
  if (all.filter(isRunning).length < 2) return { all, ended: endedOf(all) };
  // an end that is still on its way to us is no double
  const asked: ProviderSubscription[] = [];
  for (const one of all)
    asked.push(isRunning(one) ? await answered(deps, one, deps.provider.subscriptionNow) : one);
  const kept = shownOf(asked);
  const now: ProviderSubscription[] = [];
  for (const one of asked) {
    if (!isRunning(one) || kept === null || one.id === kept.id) {
      now.push(one);
      continue;
    }
    const after = await answered(deps, one, deps.provider.endDouble);
    now.push(after);
    const plan = begunStanding(one)?.plan ?? null;
    if (!isRunning(after))
      endedDoubles.set(one.id, { subscriptionId: one.id, plan, keptPlan: kept.standing.plan });
  }
  return { all: now, ended: endedOf(now) };
}

async function answered(
  deps: KeepOneDeps,
  one: ProviderSubscription,
  ask: (id: string) => Promise<Snapshot | null>,
): Promise<ProviderSubscription> {
  try {
    const answer = await sureOfMissing(deps, { id: one.id, customerId: one.customer_id }, await ask(one.id));
    return withAnswer(one, answer, deps.now());
  } catch (error) {
    // what is asked for again later must not keep the rest of what the event tells
    if (!(error instanceof AppError) || error.status === 503) throw error;
    deps.log.error(
      { err: error, subscription: one.id },
      'a subscription that runs beside another was not ended',
    );
    return one;
  }
}

/** It was paid or on trial once and has not ended. */
export function isRunning(one: ProviderSubscription): boolean {
  const standing = begunStanding(one);
  return standing !== null && standing.status !== 'CANCELED';
}

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
function shownOf(
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
function begunStanding(one: Pick<ProviderSubscription, 'facts'>): Standing | null {
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

type SureOfMissingDeps = Pick<Kernel, 'log'> & { provider: Pick<PaymentProvider, 'knowsCustomer'> };

/**
 * What the provider answered of a subscription. That it knows none of that id ends what a person pays for, and a key of
 * another account says so of everybody: it counts only where the provider knows who paid. Throws 422 PAYMENT_REFUSED
 * otherwise; then nothing is taken over.
 */
export async function sureOfMissing<Answer>(
  { provider, log }: SureOfMissingDeps,
  of: { id: string; customerId: string | null },
  answer: Answer | null,
): Promise<Answer | null> {
  if (answer !== null) return answer;
  if (of.customerId !== null && (await provider.knowsCustomer(of.customerId))) return null;
  log.error(
    { subscription: of.id },
    'the payment provider knows neither this subscription nor who pays for it: is its key that of another account?',
  );
  throw new AppError(
    422,
    'The payment provider does not know you, and nothing was changed. Please contact support',
    { code: 'PAYMENT_REFUSED' },
  );
}

import { AppError } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import { NewestMap } from '#core/newest-map.ts';
import type { PaymentProvider, ProviderSubscription, Snapshot } from './ports.ts';
import { type Standing, withAnswer } from './provider-facts.ts';
import { begunStanding, shownOf } from './subscription-from-provider.ts';
import { sureOfMissing } from './sure-of-missing.ts';

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

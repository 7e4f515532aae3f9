import { providerSubscription } from '#contract/resources/local-tables.ts';
import { put } from '#core/changes.ts';
import { AppError } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { perform } from '#core/use-case.ts';
import { askAll, type HearDeps, hear } from './hear-answers.ts';
import { sureOfMissing } from './keep-one.ts';
import type { Card, PaymentNews, ProviderSubscription } from './ports.ts';
import { factsOf, standingOf } from './provider-facts.ts';

// Events get lost: an address that was wrong for a week, an instance that was away for longer than the provider tries.
// So every subscription that runs is asked after a day after its paid month, every day while that is over, and when its
// card comes to an end.

export type LookAgainDeps = HearDeps & Pick<Kernel, 'clockQuality'>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MONTH_MS = 28 * DAY_MS;
/** One after the other: the rest has an hour to wait. */
const AT_A_TIME = 200;
/** One after the other: then it is the key, not what was asked. */
const MOST_FAILED = 3;

/** Asks the provider for what is due. By a clock that is not to be trusted nothing is. */
export async function lookAgain(deps: LookAgainDeps): Promise<void> {
  if (deps.clockQuality() !== 'trusted') return;
  const { name } = deps.provider;
  const now = deps.now();
  const due = await deps.queries.dueLooks({ provider: name, at: isoOf(now), limit: AT_A_TIME });
  let failed = 0;
  for (const one of due) {
    const came = await answerTo(deps, () => look(deps, one), one);
    failed = came === 'failed' ? failed + 1 : 0;
    if (came === 'away' || failed === MOST_FAILED) return;
  }
  // bought within a day, and nothing heard of it
  const buying = await deps.queries.buyersUnheard({
    provider: name,
    from: isoOf(now - DAY_MS),
    until: isoOf(now - HOUR_MS),
    limit: AT_A_TIME,
  });
  for (const row of buying) if ((await answerTo(deps, () => askAll(deps, row), null)) === 'away') return;
}

/** `away`: the provider does not answer, and nobody else needs to be asked for now. */
async function answerTo(
  deps: LookAgainDeps,
  ask: () => Promise<void>,
  one: ProviderSubscription | null,
): Promise<'told' | 'away' | 'failed'> {
  try {
    await ask();
    return 'told';
  } catch (error) {
    if (error instanceof AppError && error.extras.code === 'PAYMENT_PROVIDER_UNAVAILABLE') return 'away';
    deps.log.warn({ err: error, subscription: one?.id }, 'a subscription could not be asked after');
    if (one !== null) await postpone(deps, one);
    return 'failed';
  }
}

/** Others come before it is its turn again. */
async function postpone(deps: LookAgainDeps, { id, user_id: userId }: ProviderSubscription): Promise<void> {
  await perform(deps, null, async () => {
    const guard = await deps.guard('payments', userId);
    const known = await deps.queries.providerSubscriptionsOf(userId, deps.provider.name);
    const look_at = isoOf(deps.now() + DAY_MS);
    const later = known.filter((one) => one.id === id).map((one) => ({ ...one, look_at }));
    return {
      answer: undefined,
      changes: later.map((one) => put(providerSubscription, one)),
      guards: [guard],
    };
  });
}

async function look(
  deps: LookAgainDeps,
  { id, user_id: userId, customer_id: customerId }: ProviderSubscription,
) {
  const snapshot = await sureOfMissing(deps, { id, customerId }, await deps.provider.subscriptionNow(id));
  const card = snapshot?.card ?? null;
  await hear(deps, {
    userId,
    customerId,
    answers: [{ id, snapshot, lookAt: (heard) => isoOf(nextLook(heard, card, deps.now())) }],
    news: card === null || deps.now() < lastMonthOf(card) ? [] : [newsOfCard(card)],
    actor: null,
  });
}

/** Pure: when the provider is asked again. */
export function nextLook(
  { facts }: Pick<ProviderSubscription, 'facts'>,
  card: Card | null,
  now: number,
): number {
  const period = standingOf(factsOf({ facts }))?.period ?? null;
  // what is renewed is told within a day; while it is not, it may be told any day
  const moments = [period === null ? now + MONTH_MS : Math.max(Date.parse(period.end), now) + DAY_MS];
  if (card !== null) moments.push(...[lastMonthOf(card), overAt(card)].filter((moment) => moment > now));
  return Math.min(...moments);
}

const newsOfCard = ({ id: cardId, ...card }: Card): PaymentNews => ({
  kind: 'payment_method_expired',
  cardId,
  ...card,
});

/** A card is good until the end of its month. */
const lastMonthOf = ({ year, month }: Card): number => Date.UTC(year, month - 1, 1);
const overAt = ({ year, month }: Card): number => Date.UTC(year, month, 1);

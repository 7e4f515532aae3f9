import { isoOf } from '#core/kernel.ts';
import {
  FACT_RANKS,
  type Fact,
  type FactContent,
  type ProviderStatus,
  type ProviderSubscription,
  type Snapshot,
} from './ports.ts';

// The provider's events arrive late, twice and in any order. Each is kept as a fact at its place in time; how a
// subscription stands is told by all facts in their order, so the way they came does not matter.

/** How a subscription of the provider stands. */
export type Standing = {
  status: ProviderStatus | null;
  plan: NonNullable<FactContent['plan']> | null;
  currency: NonNullable<FactContent['currency']> | null;
  period: { start: string; end: string } | null;
  isCancelPlanned: boolean;
  pastDueSince: string | null;
  /** It was paid or on trial once: an attempt that never was says nothing of what the person has. */
  hasBegun: boolean;
  since: string;
};

const NOTHING: Standing = {
  status: null,
  plan: null,
  currency: null,
  period: null,
  isCancelPlanned: false,
  pastDueSince: null,
  hasBegun: false,
  since: '',
};

export function standingOf(facts: readonly Fact[]): Standing | null {
  if (facts.length === 0) return null;
  return facts.reduce(after, NOTHING);
}

function after(before: Standing, fact: Fact): Standing {
  const status = statusAfter(before.status, fact);
  const isPastDue = status === 'PAST_DUE';
  const started = fact.since ?? fact.at;
  return {
    status,
    plan: fact.plan ?? before.plan,
    currency: fact.currency ?? before.currency,
    period: fact.period ?? before.period,
    isCancelPlanned: fact.isCancelPlanned ?? before.isCancelPlanned,
    pastDueSince: isPastDue ? (before.pastDueSince ?? fact.at) : null,
    hasBegun: before.hasBegun || status === 'ACTIVE' || status === 'TRIALING' || isPastDue,
    since: before.since === '' || started < before.since ? started : before.since,
  };
}

function statusAfter(before: ProviderStatus | null, { status, payment }: Fact): ProviderStatus | null {
  // what has ended never comes back: a new purchase is a new subscription
  if (before === 'CANCELED') return before;
  if (status !== undefined) return status;
  if (payment === 'paid') return before === 'TRIALING' ? before : 'ACTIVE';
  if (payment === 'failed') return before === 'PENDING' ? before : 'PAST_DUE';
  return before;
}

/** Facts kept one by one; older ones are summed up in one. */
const KEPT = 40;

/** The facts with one more, in their order. */
export function withFact(facts: readonly Fact[], fact: Fact): Fact[] {
  const others = facts.filter(({ source }) => source !== fact.source);
  return summedUp([...others, fact].sort(inOrder));
}

function inOrder(a: Fact, b: Fact): number {
  return compare(a.at, b.at) || a.rank - b.rank || compare(a.source, b.source);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function summedUp(facts: Fact[]): Fact[] {
  if (facts.length <= KEPT) return facts;
  const old = facts.slice(0, facts.length - KEPT + 1);
  const last = old.at(-1);
  const standing = standingOf(old);
  if (last === undefined || standing === null) return facts;
  const { status, plan, currency, period, isCancelPlanned, since } = standing;
  const sum: Fact = {
    at: last.at,
    rank: last.rank,
    source: last.source,
    ...(status === null ? {} : { status }),
    ...(plan === null ? {} : { plan }),
    ...(currency === null ? {} : { currency }),
    ...(period === null ? {} : { period }),
    isCancelPlanned,
    since,
  };
  return [sum, ...facts.slice(old.length)];
}

/** Something that came before tells of a later time, and this one adds nothing to it. */
export function isOutdated(before: readonly Fact[], fact: Fact): boolean {
  const isLast = before.every((other) => inOrder(other, fact) < 0);
  if (isLast) return false;
  return JSON.stringify(standingOf(before)) === JSON.stringify(standingOf(withFact(before, fact)));
}

/**
 * The provider's times are whole seconds: two of one second that differ do not tell which was last, and only the
 * provider can.
 */
export function isUnclear(before: readonly Fact[], fact: Fact): boolean {
  if (fact.status === undefined) return false;
  const { asked } = FACT_RANKS;
  return before.some(
    (other) =>
      other.at === fact.at &&
      other.source !== fact.source &&
      other.status !== undefined &&
      (other.rank === fact.rank || other.rank === asked) &&
      contentOf(other) !== contentOf(fact),
  );
}

function contentOf({ status, plan, currency, period, isCancelPlanned }: Fact): string {
  return JSON.stringify([status, plan, currency, period, isCancelPlanned]);
}

/** What the provider answered to us, as a fact of that second. */
export function factOfAnswer(content: FactContent, atMs: number): Fact {
  const at = isoOf(atMs);
  return { ...content, at, rank: FACT_RANKS.asked, source: `${ANSWER}${at}` };
}

const ANSWER = 'answer:';

/** A subscription with what the provider answered of it. null: it knows none of that id, so nobody pays for it. */
export function withAnswer(
  one: ProviderSubscription,
  snapshot: Snapshot | null,
  nowMs: number,
): ProviderSubscription {
  const content: FactContent = snapshot?.content ?? { status: 'CANCELED' };
  const fact = factOfAnswer(content, snapshot?.at ?? nowMs);
  const facts = factsOf(one);
  // asked day after day it says the same: since when, and that it still does, tell as much as all of them
  const isRepeated = facts
    .slice(-2)
    .every((one) => one.source.startsWith(ANSWER) && one.at <= fact.at && contentOf(one) === contentOf(fact));
  const before = isRepeated && facts.length > 1 ? facts.slice(0, -1) : facts;
  return { ...one, facts: withFact(before, fact), updated_at: isoOf(nowMs) };
}

/** The facts of a stored subscription. */
export function factsOf({ facts }: { facts: readonly Record<string, unknown>[] }): Fact[] {
  // written by `withFact` alone
  return facts as Fact[];
}

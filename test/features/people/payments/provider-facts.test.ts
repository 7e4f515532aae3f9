import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextLook } from '#features/people/payments/look-again.ts';
import type { Fact } from '#features/people/payments/ports.ts';
import {
  factsOf,
  isOutdated,
  isUnclear,
  standingOf,
  withAnswer,
  withFact,
} from '#features/people/payments/provider-facts.ts';

const at = (second: number) => new Date(Date.UTC(2026, 2, 2, 12, 0, second)).toISOString();
const aFact = (fact: Partial<Fact> & { second: number }): Fact => {
  const { second, ...rest } = fact;
  return { at: at(second), rank: 2, source: `evt_${second}_${rest.rank ?? 2}`, ...rest };
};

const facts = fc
  .uniqueArray(
    fc.record({
      second: fc.integer({ min: 0, max: 12 }),
      rank: fc.constantFrom(0, 1, 2, 4),
      status: fc.constantFrom(undefined, 'PENDING', 'ACTIVE', 'TRIALING', 'PAST_DUE', 'CANCELED'),
      payment: fc.constantFrom(undefined, 'paid', 'failed'),
      plan: fc.constantFrom(undefined, 'BASIC', 'PROFESSIONAL'),
      isCancelPlanned: fc.constantFrom(undefined, true, false),
    }),
    { maxLength: 14, selector: ({ second, rank }) => `${second} ${rank}` },
  )
  .map((made) =>
    made.map((fact) => {
      const given = Object.fromEntries(Object.entries(fact).filter(([, value]) => value !== undefined));
      // the record above has these very fields
      return aFact(given as unknown as Parameters<typeof aFact>[0]);
    }),
  );

describe('how a subscription stands', () => {
  test('does not depend on the order, or the number of times, in which its events came', () => {
    fc.assert(
      fc.property(
        facts.chain((made) =>
          fc.tuple(fc.constant(made), fc.shuffledSubarray([...made, ...made], { minLength: made.length })),
        ),
        ([made, shuffled]) => {
          const told = [...shuffled, ...made];
          const inOrder = [...made].sort((a, b) => (a.at + a.rank < b.at + b.rank ? -1 : 1));
          expect(standingOf(told.reduce(withFact, []))).toEqual(standingOf(inOrder.reduce(withFact, [])));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('is not changed by a word that is outdated', () => {
    fc.assert(
      fc.property(facts, (made) => {
        const [fact, ...before] = made;
        if (fact === undefined) return;
        const known = before.reduce(withFact, []);
        if (isOutdated(known, fact)) expect(standingOf(withFact(known, fact))).toEqual(standingOf(known));
      }),
    );
  });

  test('stays the same however long its story: old words are summed up', () => {
    const story = Array.from({ length: 200 }, (_, second) =>
      aFact({ second, status: second % 3 === 0 ? 'PAST_DUE' : 'ACTIVE', plan: 'BASIC' }),
    );
    const kept = story.reduce(withFact, []);
    expect(kept.length).toBeLessThanOrEqual(40);
    expect(standingOf(kept)).toEqual({ ...standingOf(story), since: at(0) });
  });

  test('is late since the first failure, not the last word of it', () => {
    const story = [
      aFact({ second: 1, status: 'ACTIVE' }),
      aFact({ second: 5, rank: 0, payment: 'failed' }),
      aFact({ second: 6, status: 'PAST_DUE' }),
      aFact({ second: 9, status: 'PAST_DUE' }),
    ];
    expect(standingOf(story.toReversed().reduce(withFact, []))).toMatchObject({
      status: 'PAST_DUE',
      pastDueSince: at(5),
    });
  });

  test('is over when it was ended: a payment that comes in later brings nothing back', () => {
    const story = [
      aFact({ second: 1, status: 'ACTIVE' }),
      aFact({ second: 5, rank: 4, status: 'CANCELED' }),
      aFact({ second: 7, rank: 0, payment: 'paid' }),
    ];
    expect(standingOf(story)).toMatchObject({ status: 'CANCELED' });
  });

  test('is unclear when two words of one second differ, and only then', () => {
    const known = [aFact({ second: 5, status: 'ACTIVE', source: 'a' })];
    expect(isUnclear(known, aFact({ second: 5, status: 'PAST_DUE', source: 'b' }))).toBe(true);
    expect(isUnclear(known, aFact({ second: 5, status: 'ACTIVE', source: 'b' }))).toBe(false);
    expect(isUnclear(known, aFact({ second: 6, status: 'PAST_DUE', source: 'b' }))).toBe(false);
    // made before changed: the type tells
    expect(isUnclear(known, aFact({ second: 5, rank: 1, status: 'PENDING', source: 'b' }))).toBe(false);
  });
});

describe('a subscription that is asked after', () => {
  const DAY_MS = 86_400_000;
  const bought = Date.UTC(2026, 2, 2);
  const content = {
    status: 'ACTIVE' as const,
    plan: 'BASIC' as const,
    period: { start: new Date(bought).toISOString(), end: new Date(bought + 31 * DAY_MS).toISOString() },
  };
  const nothing = {
    id: 'sub_1',
    provider: 'stripe' as const,
    user_id: '00000000-0000-4000-8000-000000000001',
    customer_id: null,
    facts: [],
    updated_at: new Date(bought).toISOString(),
    look_at: null,
  };

  test('keeps the first and the last of answers that say the same: since when a payment is missing stays', () => {
    const ask = (one: typeof nothing, day: number, status: 'ACTIVE' | 'PAST_DUE' | null) =>
      withAnswer(
        one,
        status === null ? null : { at: bought + day * DAY_MS, content: { ...content, status } },
        bought + day * DAY_MS,
      ) as typeof nothing;
    let one = nothing;
    for (let day = 0; day < 90; day += 1) one = ask(one, day, day < 60 ? 'ACTIVE' : 'PAST_DUE');
    one = ask(one, 90, null);
    expect(factsOf(one).map(({ status, at }) => `${status} ${at.slice(0, 10)}`)).toEqual([
      'ACTIVE 2026-03-02',
      'ACTIVE 2026-04-30',
      'PAST_DUE 2026-05-01',
      'PAST_DUE 2026-05-30',
      'CANCELED 2026-05-31',
    ]);
    expect(standingOf(factsOf(one).slice(0, -1))?.pastDueSince?.slice(0, 10)).toBe('2026-05-01');
  });

  test('is asked a day after its month, every day once that is over, and as its card ends', () => {
    const one = withAnswer(nothing, { at: bought, content }, bought);
    const card = { id: 'pm_1', last4: '4242', year: 2026, month: 3 };
    const day = (from: number, withCard = false) =>
      new Date(nextLook(one, withCard ? card : null, bought + from * DAY_MS)).toISOString().slice(0, 10);
    expect([day(0), day(40), day(40.5)]).toEqual(['2026-04-03', '2026-04-12', '2026-04-12']);
    expect([day(-10, true), day(0, true), day(31, true)]).toEqual(['2026-03-01', '2026-04-01', '2026-04-03']);
  });
});

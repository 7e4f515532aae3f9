import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Fact } from '#features/payments/ports.ts';
import { isOutdated, isUnclear, standingOf, withFact } from '#features/payments/provider-facts.ts';

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

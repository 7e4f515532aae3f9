import { describe, expect, test } from 'vitest';
import type { WireChange } from '#contract/sync/wire.ts';
import { slices } from '../../gateway/sync/gateway/ask-pull.ts';
import { isDifference, readResync, writeResync } from '../../gateway/sync/gateway/ask-snapshot.ts';
import { type Claim, isAnotherLife, judgeClaim } from '../../gateway/sync/gateway/step.ts';
import { TUNING } from '../../gateway/sync/gateway/tuning.ts';

const A = 'a'.repeat(32);
const B = 'b'.repeat(32);
const at = (seq: number, chain = A) => ({ seq, chain });

/** We sent up to 20, 10 of them are known to be confirmed. */
function claim(changes: Partial<Claim> = {}): Claim {
  return { claimed: at(15), sent: at(10), acked: at(10), head: at(20), ownChain: A, ...changes };
}

describe('what the hosted instance says it has', () => {
  test.each<[string, Partial<Claim>, string]>([
    ['more than before, of the same history', {}, 'news'],
    ['what is known', { claimed: at(10) }, 'known'],
    ['less than is known by now, by an answer that was overtaken', { acked: at(18) }, 'known'],
    ['less than when it was asked', { claimed: at(9) }, 'the hosted instance lost changes it had confirmed'],
    ['more than there is', { claimed: at(21) }, 'this gateway lost changes it had sent'],
    ['the same number of another history', { claimed: at(15, B) }, 'both sides tell different histories'],
    [
      'the confirmed number of another history',
      { claimed: at(10, B) },
      'both sides tell different histories',
    ],
    [
      'a number whose row was forgotten long ago',
      { claimed: at(10), acked: at(12), ownChain: null },
      'known',
    ],
    ['a number whose row is missing', { ownChain: null }, 'the change log of this gateway has a hole'],
  ])('%s: %s', (_what, changes, told) => {
    const verdict = judgeClaim(claim(changes));
    expect(verdict.is === 'amiss' ? verdict.why : verdict.is).toBe(told);
  });

  test('another life of its database is known by its name, from the first on', () => {
    expect(isAnotherLife('', '1')).toBe(false);
    expect(isAnotherLife('1', '1')).toBe(false);
    expect(isAnotherLife('1', '2')).toBe(true);
  });
});

describe('how far a comparison got', () => {
  test('is read as it was written', () => {
    const progress = {
      why: 'fork',
      page: { epoch: 3, head: at(7), after: { entity: 4, id: 'x' }, historyFrom: null },
    };
    expect(readResync(writeResync(progress))).toEqual(progress);
    const heard = { why: 'farm bound', page: null, heard: { core: at(7), history: at(2) } };
    expect(readResync(writeResync(heard))).toEqual(heard);
  });

  test.each([
    [null, null],
    ['paired', { why: 'paired', page: null }],
    ['{"why":"half', { why: '{"why":"half', page: null }],
    ['{"why":"x","page":null}', { why: '{"why":"x","page":null}', page: null }],
  ])('%s', (stored, progress) => {
    expect(readResync(stored)).toEqual(progress);
  });

  test('its last part is known by its word', () => {
    expect(['difference 3 abc', 'forgetting'].map(isDifference)).toEqual([true, true]);
    expect(['difference of opinion'.slice(0, 10), 'paired', null].map(isDifference)).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe('what is merged at a time', () => {
  const change = (tx: number) => ({ tx }) as WireChange;
  const many = (count: number, tx: (n: number) => number) =>
    Array.from({ length: count }, (_, n) => change(tx(n)));
  const sizes = (rows: readonly WireChange[]) => slices(rows).map(({ length }) => length);

  test('at most 200 rows, cut where a transaction ends', () => {
    expect(TUNING.rowsPerUnit).toBe(200);
    expect(sizes(many(500, (n) => n))).toEqual([200, 200, 100]);
    expect(sizes(many(450, (n) => Math.floor(n / 150)))).toEqual([150, 150, 150]);
  });

  test('a transaction larger than that is cut all the same; nothing is one empty slice', () => {
    expect(sizes(many(500, () => 1))).toEqual([200, 200, 100]);
    expect(sizes([])).toEqual([0]);
  });
});

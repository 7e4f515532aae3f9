import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ACTIVITY_MS,
  afterAnswer,
  afterBoot,
  afterLoss,
  afterState,
  type DeviceActivity,
  NO_ACTIVITY,
} from '#core/device-activity.ts';

const SECOND = 1_000;
type Said = readonly [atS: number, bootId: string | undefined, uptimeS: number | undefined];

const booted = (said: readonly Said[]): DeviceActivity =>
  said.reduce(
    (activity, [atS, bootId, uptimeS]) => afterBoot(activity, { at: atS * SECOND, bootId, uptimeS }),
    NO_ACTIVITY,
  );
const seconds = (instants: readonly number[]) => instants.map((at) => at / SECOND);

describe('a board', () => {
  test.each<[string, readonly Said[], number[]]>([
    [
      'that runs on has not restarted',
      [
        [0, '1', 5],
        [30, '1', 35],
        [60, '1', 65],
      ],
      [],
    ],
    [
      'has restarted with a new boot id',
      [
        [0, '1', undefined],
        [12, '2', undefined],
        [24, '3', undefined],
      ],
      [12, 24],
    ],
    [
      'has restarted when its running time begins anew',
      [
        [0, undefined, 500],
        [30, undefined, 4],
      ],
      [30],
    ],
    [
      'has restarted when it runs for less than since its last word',
      [
        [0, undefined, 5],
        [20, undefined, 6],
      ],
      [20],
    ],
    [
      'has restarted with the same id when its running time falls',
      [
        [0, '1', 900],
        [30, '1', 3],
      ],
      [30],
    ],
    [
      'has not restarted because a message came late',
      [
        [0, '1', 100],
        [60, '1', 130],
        [61, '1', 161],
      ],
      [],
    ],
    [
      'has not restarted because a message without an id came late',
      [
        [0, undefined, 100],
        [60, undefined, 130],
      ],
      [],
    ],
    [
      'whose running time is told again from long ago tells nothing',
      [
        [0, undefined, 7],
        [100, undefined, 7],
      ],
      [],
    ],
    [
      'tells its id in one message and its running time in another',
      [
        [0, undefined, 5],
        [1, '17', undefined],
        [30, undefined, 35],
        [31, '17', undefined],
      ],
      [],
    ],
    [
      'whose clock runs a little fast has not restarted',
      [
        [0, undefined, 100],
        [1000, undefined, 1104],
      ],
      [],
    ],
  ])('%s', (_words, said, restarts) => {
    expect(seconds(booted(said).restarts)).toEqual(restarts);
  });

  test('that runs on is never taken for two, whenever and however late its messages come', () => {
    const aMessage = fc.record({
      afterS: fc.integer({ min: 1, max: 120 }),
      lateS: fc.integer({ min: 0, max: 40 }),
      hasId: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(aMessage, { maxLength: 40 }), (messages) => {
        let arrivesS = 0;
        let sentS = 0;
        const said = messages.map(({ afterS, lateS, hasId }): Said => {
          // one after the other, as over one connection
          arrivesS += afterS;
          sentS = Math.max(sentS, arrivesS - lateS);
          return [arrivesS, hasId ? 'a' : undefined, 1_000 + sentS];
        });
        const { restarts, returns } = booted(said);
        expect([restarts, returns]).toEqual([[], []]);
      }),
    );
  });
});

describe('two boards with one identity', () => {
  const turns = (fields: (which: 0 | 1, atS: number) => [string | undefined, number | undefined]) =>
    Array.from({ length: 8 }, (_, n): Said => {
      const which = n % 2 === 0 ? 0 : 1;
      return [n * 15, ...fields(which, n * 15)];
    });

  test.each([
    ['ids', (which: 0 | 1) => [which === 0 ? 'a' : 'b', undefined] as [string, undefined]],
    [
      'running times',
      (which: 0 | 1, at: number) => [undefined, (which === 0 ? 9_000 : 60) + at] as [undefined, number],
    ],
    [
      'both',
      (which: 0 | 1, at: number) =>
        [which === 0 ? 'a' : 'b', (which === 0 ? 9_000 : 60) + at] as [string, number],
    ],
    [
      'running times, their ids being the same',
      (which: 0 | 1, at: number) => ['1', (which === 0 ? 9_000 : 60) + at] as [string, number],
    ],
  ])('are told apart by their %s', (_words, fields) => {
    const { returns, restarts } = booted(turns(fields));
    expect([returns.length, restarts.length <= 1]).toEqual([6, true]);
  });
});

describe('a deferral', () => {
  const deferred = (promises: readonly (readonly [atS: number, untilS: number | undefined])[]) =>
    promises.reduce(
      (activity, [atS, untilS]) =>
        afterAnswer(activity, {
          at: atS * SECOND,
          ack: 'deferred',
          untilMs: untilS === undefined ? undefined : untilS * SECOND,
          epoch: 'e',
          version: 1,
          reason: undefined,
        }),
      NO_ACTIVITY,
    );

  test.each([
    [
      'that is counted down is one',
      [
        [0, 60],
        [10, 50],
        [20, 41],
      ],
      [],
    ],
    [
      'that is put off again is broken',
      [
        [0, 30],
        [10, 30],
        [20, 30],
      ],
      [10, 20],
    ],
    [
      'that creeps away is broken, too',
      [
        [0, 12],
        [5, 12],
        [10, 12],
        [15, 12],
      ],
      [10],
    ],
    [
      'without an end promises nothing',
      [
        [0, undefined],
        [10, undefined],
        [20, 30],
      ],
      [],
    ],
  ] as const)('%s', (_words, promises, broken) => {
    expect(seconds(deferred(promises).postponements)).toEqual(broken);
  });

  test('after a stop is another one', () => {
    const first = deferred([[0, 30]]);
    const stopped = afterState(first, 'ON', { at: 20 * SECOND, to: 'OFF', source: null });
    const again = afterAnswer(stopped, {
      at: 21 * SECOND,
      ack: 'deferred',
      untilMs: 60 * SECOND,
      epoch: 'e',
      version: 1,
      reason: undefined,
    });
    expect(again.postponements).toEqual([]);
  });
});

test('a stale answer tells nothing of the level that overtook it; an applied one ends a refusal', () => {
  const said = { at: 0, untilMs: undefined, epoch: 'e', version: 2, reason: 'door' } as const;
  const refused = afterAnswer(NO_ACTIVITY, { ...said, ack: 'refused' });
  const stale = afterAnswer(refused, { ...said, version: 1, ack: 'stale' });
  const applied = afterAnswer(refused, { ...said, ack: 'applied' });
  expect([refused.refusal?.reason, stale.refusal?.reason, applied.refusal]).toEqual(['door', 'door', null]);
});

test('what is older than the window is forgotten, and of what comes too often the latest is kept', () => {
  let activity = NO_ACTIVITY;
  for (let n = 0; n < 5_000; n += 1) activity = afterLoss(activity, n * SECOND);
  expect([activity.losses.length <= 150, activity.losses.at(-1)]).toEqual([true, 4_999 * SECOND]);
  const later = afterLoss(activity, 4_999 * SECOND + ACTIVITY_MS + 1);
  expect(later.losses).toHaveLength(1);
});

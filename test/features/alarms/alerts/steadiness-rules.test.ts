import { describe, expect, test } from 'vitest';
import { type DeviceActivity, NO_ACTIVITY } from '#core/device-activity.ts';
import { confirmationAfter, type FallOut } from '#features/alarms/alerts/confirm-rules.ts';
import {
  countsOf,
  isSteadyAgain,
  type MainsDip,
  mainsDips,
  unsteadyBy,
} from '#features/alarms/alerts/device-alert-rules.ts';
import { aDevice, listeningSince, START } from './builders.ts';

const MINUTE = 60_000;
const NOW = 60 * MINUTE;
const clock = { now: START + NOW, monotonic: NOW };

const ago = (...minutes: number[]) => minutes.map((each) => NOW - each * MINUTE);

function judged(
  activity: Partial<DeviceActivity>,
  given: { fallOuts?: readonly FallOut[]; since?: number; dips?: readonly MainsDip[] } = {},
) {
  const device = aDevice({ activity: { ...NO_ACTIVITY, ...activity } });
  const memory = confirmationAfter(undefined, device, { clock, isExcused: false });
  const { ON, OFF } = memory.missed;
  const missed = { ON, OFF: { ...OFF, fallOuts: given.fallOuts ?? [] } };
  const counts = countsOf(device, { missed }, { clock, since: given.since ?? 0, dips: given.dips ?? [] });
  const listening = listeningSince(0);
  return {
    kinds: unsteadyBy(counts).map(({ kind, times }) => [kind, times]),
    isSteady: isSteadyAgain(device, { missed }, { clock, listening }),
  };
}
const fallOuts = (isByHand: boolean, ...minutes: number[]) => ago(...minutes).map((at) => ({ at, isByHand }));

describe('a controller is unsteady', () => {
  test.each<[string, Partial<DeviceActivity>, unknown[]]>([
    ['after three restarts within a quarter of an hour', { restarts: ago(14, 7, 1) }, [['restarts', 3]]],
    ['not after three in a longer time', { restarts: ago(16, 7, 1) }, []],
    ['after three broken promises', { postponements: ago(3, 2, 1) }, [['deferrals', 3]]],
    ['after five connections that broke', { losses: ago(9, 8, 7, 6, 5) }, [['connections', 5]]],
    ['not after four', { losses: ago(9, 8, 7, 6) }, []],
    ['when two boards answer in turn', { returns: ago(2, 1, 0) }, [['two_boards', 3]]],
    [
      'for one reason that explains the others',
      { returns: ago(2, 1, 0), restarts: ago(3, 2, 1) },
      [['two_boards', 3]],
    ],
    [
      'by its restarts, which break its connections',
      { restarts: ago(3, 2, 1), losses: ago(5, 4, 3, 2, 1) },
      [['restarts', 3]],
    ],
    [
      'for two reasons that have nothing to do with each other',
      { restarts: ago(3, 2, 1), postponements: ago(3, 2, 1) },
      [
        ['restarts', 3],
        ['deferrals', 3],
      ],
    ],
  ])('%s', (_words, activity, kinds) => {
    expect(judged(activity).kinds).toEqual(kinds);
  });

  test('when its motor changes four times without an order, and nobody’s hand was at it', () => {
    expect([
      judged({}, { fallOuts: fallOuts(false, 4, 3, 2, 1) }).kinds,
      judged({}, { fallOuts: fallOuts(true, 4, 3, 2, 1) }).kinds,
    ]).toEqual([[['changes', 4]], []]);
  });

  test('only by what nothing else explains', () => {
    expect(judged({ restarts: ago(14, 7, 1) }, { since: NOW - 10 * MINUTE }).kinds).toEqual([]);
  });
});

test.each([
  ['four minutes after the last', ago(4), false],
  ['five minutes after the last', ago(5), true],
  ['not while it happens every few minutes', ago(9, 4.9), false],
])('it is steady again %s: %s', (_words, restarts, isIt) => {
  expect(judged({ restarts }).isSteady).toBe(isIt);
});

describe('a dip of the mains', () => {
  const points = (restarts: readonly number[][]) =>
    restarts.map((minutes, n) =>
      aDevice({
        controlPointId: `cp-${n}`,
        cod: `CP-${n}`,
        activity: { ...NO_ACTIVITY, restarts: ago(...minutes) },
      }),
    );
  const tooOften = (restarts: readonly number[][]) => {
    const devices = points(restarts);
    const dips = mainsDips(devices);
    return devices
      .filter(({ activity, controlPointId }) => {
        const device = aDevice({ activity, controlPointId });
        const { missed } = confirmationAfter(undefined, device, { clock, isExcused: false });
        return unsteadyBy(countsOf(device, { missed }, { clock, since: 0, dips })).length > 0;
      })
      .map(({ controlPointId }) => controlPointId);
  };

  test.each([
    ['is told by one of those who restarted with it', [[9, 6, 3], [9, 6, 3], [9, 6, 3], []], ['cp-0']],
    ['is none where one restarts alone', [[9, 6, 3], [], [], []], ['cp-0']],
    ['is none where fewer than half do', [[9, 6, 3], [9, 6, 3], [], [], []], ['cp-0', 'cp-1']],
    [
      'does not hide who restarts besides',
      [
        [9, 6, 3],
        [9, 6, 3, 2, 1, 0],
      ],
      ['cp-0', 'cp-1'],
    ],
  ])('%s', (_words, restarts, told) => {
    expect(tooOften(restarts)).toEqual(told);
  });
});

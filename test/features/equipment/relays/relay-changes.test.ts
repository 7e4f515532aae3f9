import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Change,
  causeOfChange,
  isGivenUp,
  recentSwitches,
  restartsOften,
  type SelfSwitch,
} from '#features/equipment/relays/relay-rules.ts';
import { aRelayDesk } from './a-relay-desk.ts';

const NOW = 10_000_000;
const aChange = (more: Partial<Change> = {}): Change => ({
  target: 'ON',
  before: 'ON',
  next: 'OFF',
  sent: null,
  switchedBy: null,
  hasErrors: false,
  autoOffS: 0,
  onForMs: null,
  ...more,
});

describe('why a relay left its target', () => {
  test.each<[string, Partial<Change>, ReturnType<typeof causeOfChange>]>([
    ['it says: a button', { switchedBy: 'hand' }, 'hand'],
    ['it says: its timer', { switchedBy: 'timer' }, 'timer'],
    ['it says: its start', { switchedBy: 'start' }, 'start'],
    ['it says: its protection', { switchedBy: 'protection' }, 'protection'],
    ['it says: a button, and that it is too hot', { switchedBy: 'hand', hasErrors: true }, 'protection'],
    [
      'it is too hot and goes ON: that is no protection',
      { target: 'OFF', before: 'OFF', next: 'ON', hasErrors: true },
      'hand',
    ],
    ['another program ordered it over the broker', { switchedBy: 'order' }, 'hand'],
    [
      'an order of ours that was overtaken shows late',
      { switchedBy: 'order', sent: { target: 'OFF', at: NOW - 2_000, tries: 1 } },
      null,
    ],
    ['it says nothing, and has no timer', {}, 'hand'],
    ['its timer of 30 s was just due', { autoOffS: 30, onForMs: 30_200 }, 'timer'],
    ['its timer of 50 min ran 13 s late', { autoOffS: 3_000, onForMs: 3_013_000 }, 'timer'],
    ['its timer of 30 s was due in 20 s', { autoOffS: 30, onForMs: 10_000 }, 'hand'],
    ['its timer was due long ago', { autoOffS: 30, onForMs: 300_000 }, 'hand'],
    ['it has a timer, and nobody saw when it went ON', { autoOffS: 30 }, 'timer'],
    ['its timer does not start a motor', { target: 'OFF', before: 'OFF', next: 'ON', autoOffS: 30 }, 'hand'],
    ['it went where it should', { target: 'OFF', switchedBy: 'hand' }, null],
    ['it did not change', { before: 'OFF' }, null],
    ['nobody knew how it stood', { before: null, switchedBy: 'hand' }, null],
  ])('%s', (_, change, by) => {
    expect(causeOfChange(aChange(change), NOW)).toBe(by);
  });
});

describe('a relay that switches itself', () => {
  const MINUTE = 60_000;
  const times = (by: SelfSwitch['by'], ...minutesAgo: number[]): SelfSwitch[] =>
    minutesAgo.map((ago) => ({ by, at: NOW - ago * MINUTE }));

  test('is told again three times within a quarter of an hour, for its protection within an hour', () => {
    expect([
      isGivenUp(times('timer', 3, 2, 1), NOW),
      isGivenUp(times('timer', 4, 3, 2, 1), NOW),
      isGivenUp(times('timer', 16, 3, 2, 1), NOW),
      isGivenUp(times('protection', 50, 40, 30, 1), NOW),
      isGivenUp(times('protection', 61, 40, 30, 1), NOW),
      isGivenUp(times('start', 4, 3, 2, 1), NOW),
    ]).toEqual([false, true, false, true, false, false]);
    expect([restartsOften(times('start', 2, 1), NOW), restartsOften(times('start', 3, 2, 1), NOW)]).toEqual([
      false,
      true,
    ]);
  });

  test('is told no more than three times in any quarter of an hour, however often it does so', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 600 }), { maxLength: 60 }), (gapsS) => {
        let now = NOW;
        let switches: SelfSwitch[] = [];
        const told: number[] = [];
        for (const gap of gapsS) {
          now += gap * 1_000;
          switches = [...recentSwitches(switches, now), { by: 'timer', at: now }];
          if (!isGivenUp(switches, now)) told.push(now);
        }
        for (const at of told) {
          expect(told.filter((other) => other > at - 15 * MINUTE && other <= at).length).toBeLessThanOrEqual(
            3,
          );
        }
      }),
    );
  });

  test('a Tasmota that got a timer since it was asked is asked again, named right, and its timer taken out twice at most', async () => {
    const desk = await aRelayDesk('tasmota');
    desk.listens();
    desk.tells('OFF');
    desk.level({ target: 'ON' });
    desk.tells('ON');
    desk.pass(30);
    desk.orders();
    desk.tells('OFF');
    expect(desk.reports.at(-1)).toMatchObject({ source: 'manual' });
    desk.hears('stat/pond-7/RESULT', { PulseTime1: { Set: 130, Remaining: 0 } });
    expect(desk.state.trouble).toMatchObject({ code: 'SWITCHED_BY_TIMER' });
    desk.pass(1);
    expect(desk.orders()).toEqual(['POWER1 ON']);
  });

  test('a motor that a hand stopped is started in an emergency after its rest, and the hand is named', async () => {
    const desk = await aRelayDesk('shelly', { minOffS: 60 });
    desk.listens();
    desk.tells('OFF');
    desk.level({ target: 'ON' });
    desk.tells('ON');
    desk.pass(600);
    desk.orders();
    desk.tells('OFF', 'button');
    desk.pass(120);
    expect([desk.orders(), desk.state.trouble?.code]).toEqual([[], 'SET_BY_HAND']);
    desk.state.overriding = 'EMERGENCY_OXYGEN';
    desk.pass(1);
    expect(desk.orders()).toEqual(['{"id":0,"on":true}']);
    desk.tells('ON');
    desk.pass(1);
    desk.tells('OFF', 'button');
    desk.pass(59);
    expect(desk.orders()).toEqual([]);
    desk.pass(2);
    expect(desk.orders()).toEqual(['{"id":0,"on":true}']);
  });
});

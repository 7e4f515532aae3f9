import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SwitchState } from '#contract/words.ts';
import { afterAnswer, afterState, type DeviceActivity, NO_ACTIVITY } from '#core/device-activity.ts';
import {
  CONFIRM_WINDOW_MS,
  type Confirmation,
  confirmationAfter,
  isConfirmed,
  isRefused,
  isUnconfirmed,
  whyUnconfirmed,
} from '#features/alarms/alerts/confirm-rules.ts';
import type { DeviceFacts } from '#features/alarms/alerts/ports.ts';
import { aDevice, START } from './builders.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const LOOK = 2 * SECOND;

type Seen = { memory: Confirmation; device: DeviceFacts; at: number };
type Change = Partial<DeviceFacts> | ((activity: DeviceActivity, at: number) => Partial<DeviceFacts>);

/** A control point as it is looked at every two seconds; what happens is set between the looks. */
function life(facts: Partial<DeviceFacts> = {}) {
  let device = aDevice({ target: 'ON', current: 'OFF', ...facts });
  let memory: Confirmation | undefined;
  let now = 0;
  const look = (isExcused = false): Seen => {
    memory = confirmationAfter(memory, device, { clock: { now: START + now, monotonic: now }, isExcused });
    return { memory, device, at: now };
  };
  look();
  return {
    /** Something is told or ordered now. */
    now(change: Change) {
      device = { ...device, ...(typeof change === 'function' ? change(device.activity, now) : change) };
    },
    says(to: SwitchState, source: 'manual' | null = null) {
      const activity = afterState(device.activity, device.current, { at: now, to, source });
      const currentSince = to === device.current ? device.currentSince : START + now;
      device = { ...device, activity, current: to, currentSince };
    },
    defers(untilS?: number) {
      const said = { at: now, epoch: 'e1', version: device.version, reason: undefined };
      const untilMs = untilS === undefined ? undefined : untilS * SECOND;
      device = { ...device, activity: afterAnswer(device.activity, { ...said, ack: 'deferred', untilMs }) };
    },
    pass(ms: number, isExcused = false): Seen {
      const end = now + ms;
      while (now + LOOK <= end) {
        now += LOOK;
        look(isExcused);
      }
      now = end;
      return look(isExcused);
    },
    /** Seconds until it is told, and no longer than that many. */
    toldAfter(mostS: number, between: (second: number) => void = () => undefined): number | null {
      for (let second = 0; second < mostS; second += 1) {
        between(second);
        const seen = this.pass(SECOND);
        if (isTold(seen)) return second + 1;
      }
      return null;
    },
  };
}

const isTold = ({ memory, at }: Seen) => isUnconfirmed(memory) && !isConfirmed(memory, at);
const why = ({ memory, device }: Seen) => whyUnconfirmed(memory, device);

describe('an order', () => {
  test.each([
    ['over MQTT', { via: 'mqtt' }, 15],
    ['over HTTP', { via: 'http' }, 75],
    ['to a controller that is away', { via: 'mqtt', isOnline: false }, 75],
    ['to one that was never there', { via: null, isOnline: false, current: null }, 75],
  ] as const)('%s is unconfirmed only after its time', (_words, facts, limitS) => {
    const point = life(facts);
    expect([isTold(point.pass(limitS * SECOND)), isTold(point.pass(1))]).toEqual([false, true]);
  });

  test('that is repeated again and again has no new time for it', () => {
    const point = life();
    expect(point.toldAfter(90, (second) => point.now({ version: second }))).toBe(16);
  });

  test('that is confirmed is over at once', () => {
    const point = life();
    point.pass(60 * SECOND);
    point.says('ON');
    const { memory, at } = point.pass(LOOK);
    expect(isConfirmed(memory, at)).toBe(true);
  });

  test('of who came back after a while has what is left of its time', () => {
    const point = life({ isOnline: false });
    point.pass(40 * SECOND);
    point.now({ isOnline: true });
    expect(point.toldAfter(60)).toBe(8);
  });

  test('that each time was confirmed in time is never told, however often it is given', () => {
    const point = life({ via: 'http' });
    const told: boolean[] = [];
    for (let times = 0; times < 20; times += 1) {
      const target = times % 2 === 0 ? 'ON' : 'OFF';
      point.now({ target, version: times + 2 });
      told.push(isTold(point.pass(28 * SECOND)));
      point.says(target);
      told.push(isTold(point.pass(12 * SECOND)));
    }
    expect(told).not.toContain(true);
  });

  test('that is given and taken back before it is followed is told all the same', () => {
    const point = life();
    const told = point.toldAfter(120, (second) => {
      if (second % 10 === 0) point.now({ target: second % 20 === 0 ? 'ON' : 'OFF', version: second });
    });
    expect(told).toBeLessThanOrEqual(60);
  });

  test('explained by a power failure begins anew after it', () => {
    const point = life();
    point.pass(14 * SECOND);
    point.pass(5 * MINUTE, true);
    expect([isTold(point.pass(15 * SECOND)), isTold(point.pass(LOOK))]).toEqual([false, true]);
  });
});

describe('a controller that puts an order off', () => {
  const limits = { minOnMs: 60 * SECOND, minOffMs: 60 * SECOND, startDelayMs: 20 * SECOND };

  test('for its rest and its slot is waited for', () => {
    const point = life({ limits });
    point.defers(80);
    const before = point.pass(80 * SECOND);
    point.says('ON');
    point.now({ activity: NO_ACTIVITY });
    expect([isTold(before), isTold(point.pass(LOOK))]).toEqual([false, false]);
  });

  test.each([
    ['by 30 s, again and again', 30, 10, 57],
    ['by two hours', 7_200, 3_600, 107],
    ['without saying until when', undefined, 10, 107],
  ] as const)(
    '%s is waited for as long as its first word and its settings allow',
    (_words, untilS, everyS, most) => {
      const point = life({ limits });
      const told = point.toldAfter(300, (second) => {
        if (second % everyS === 0) point.defers(untilS);
      });
      expect(told).toBeLessThanOrEqual(most);
      expect(told).toBeGreaterThan(15);
    },
  );

  test('and restarts each time is waited for once', () => {
    const point = life({ limits });
    const told = point.toldAfter(600, (second) => {
      if (second % 40 !== 0) return;
      point.now((activity, at) => ({ activity: { ...activity, restarts: [...activity.restarts, at] } }));
      point.defers(40);
    });
    expect(told).toBeLessThanOrEqual(130);
  });

  test('over HTTP rests after a stop that was ordered, and says nothing of it', () => {
    const point = life({ via: 'http', limits, target: 'OFF', current: 'ON' });
    point.says('OFF');
    point.pass(LOOK);
    point.now({ target: 'ON', version: 2 });
    expect(point.toldAfter(300)).toBeGreaterThanOrEqual(75 + 55);
  });
});

describe('a motor', () => {
  test('that falls out again and again is told, and is well only after a calm time', () => {
    const point = life({ current: 'ON' });
    const told = point.toldAfter(120, (second) => {
      if (second % 6 === 0) point.says(second % 12 === 0 ? 'OFF' : 'ON');
    });
    point.says('ON');
    const [early, late] = [point.pass(2 * MINUTE), point.pass(MINUTE + LOOK)];
    expect([
      told,
      why(early),
      isConfirmed(early.memory, early.at),
      isConfirmed(late.memory, late.at),
    ]).toEqual([28, 'fell_out', false, true]);
  });

  test('that fell out once and came back is well at once', () => {
    const point = life({ current: 'ON' });
    point.pass(MINUTE);
    point.says('OFF');
    const during = point.pass(20 * SECOND);
    point.says('ON');
    const after = point.pass(LOOK);
    expect([isTold(during), isConfirmed(after.memory, after.at)]).toEqual([true, true]);
  });

  test('that chatters faster than anybody looks is told, too', () => {
    const point = life({ current: 'ON' });
    const told = point.toldAfter(120, () => {
      point.says('OFF');
      point.pass(500);
      point.says('ON');
    });
    expect(told).not.toBeNull();
  });
});

describe('is told by its true name:', () => {
  const refusal = { at: 0, epoch: 'e1', version: 1, reason: 'door open' };

  test.each([
    ['never confirmed', {}, 'unconfirmed'],
    ['was confirmed before this run', { orderState: 'applied' }, 'fell_out'],
    ['never seen', { current: null, isOnline: false }, 'never_seen'],
    ['away', { isOnline: false }, 'absent'],
    ['refused', { activity: { ...NO_ACTIVITY, refusal } }, 'refused'],
    ['put off', { activity: { ...NO_ACTIVITY, deferral: { at: 0, until: 1, heldTo: 1 } } }, 'deferred'],
  ] as const)('%s', (_words, facts, name) => {
    expect(why(life(facts).pass(20 * SECOND))).toBe(name);
  });

  test('a refusal of an earlier level is none of this one, nor of one it follows', () => {
    const activity = { ...NO_ACTIVITY, refusal };
    expect(
      [{ version: 2 }, { epoch: 'e2' }, { current: 'ON' as const }, {}].map((facts) =>
        isRefused(aDevice({ target: 'ON', activity, ...facts })),
      ),
    ).toEqual([false, false, false, true]);
  });
});

describe('a control point that never reported', () => {
  const never = { current: null, via: null, isOnline: false } as const;
  test.each([
    ['exists', { target: 'OFF', wasOrdered: false, orderedBy: 'SCHEDULE' }, false],
    ['is wanted OFF by its schedule', { target: 'OFF', orderedBy: 'SCHEDULE' }, false],
    ['is ordered OFF', { target: 'OFF', orderedBy: 'LOCAL' }, true],
    ['is ordered ON from afar', { target: 'ON', orderedBy: 'REMOTE' }, true],
    ['is wanted ON for oxygen', { target: 'ON', orderedBy: 'SAFETY', hasKey: false }, true],
    ['has a schedule, and no key yet', { target: 'ON', orderedBy: 'SCHEDULE', hasKey: false }, false],
    ['has a schedule and a key', { target: 'ON', orderedBy: 'SCHEDULE', hasKey: true }, true],
    [
      'has a schedule, and animals in its pond',
      { target: 'ON', orderedBy: 'SCHEDULE', hasKey: false, isStocked: true },
      true,
    ],
  ] as const)('and %s: told %s', (_words, facts, isIt) => {
    expect(isTold(life({ ...never, ...facts }).pass(2 * MINUTE))).toBe(isIt);
  });
});

type Event = { afterMs: number; act: 'ON' | 'OFF' | 'defer' | 'away' | 'back' | 'restart' | 'order' };
const anEvent: fc.Arbitrary<Event> = fc.record({
  afterMs: fc.integer({ min: 100, max: 40 * SECOND }),
  act: fc.constantFrom('ON', 'OFF', 'defer', 'away', 'back', 'restart', 'order'),
});

test('whatever a controller says, a motor that is wanted ON and is not for long enough of a quarter of an hour is told', () => {
  const limits = { minOnMs: 0, minOffMs: 20 * SECOND, startDelayMs: 10 * SECOND };
  // the longest time to confirm, and what its settings let it wait; a look and a slice more
  const enoughMs = 75 * SECOND + 40 * SECOND + 15 * SECOND;
  fc.assert(
    fc.property(
      fc.array(anEvent, { minLength: 1, maxLength: 60 }),
      fc.constantFrom('mqtt' as const, 'http' as const),
      (events, via) => {
        const point = life({ limits, via, current: 'ON' });
        let isOn = true;
        let version = 1;
        const missing: { from: number; to: number }[] = [];
        let at = 0;
        for (const { afterMs, act } of events) {
          const seen = point.pass(afterMs);
          if (!isOn) missing.push({ from: at, to: at + afterMs });
          at += afterMs;
          const within = missing.reduce(
            (sum, { from, to }) =>
              sum + Math.max(0, to - Math.max(from, at - CONFIRM_WINDOW_MS + 20 * SECOND)),
            0,
          );
          if (!isOn && within > enoughMs) expect(isTold(seen)).toBe(true);
          if (act === 'ON' || act === 'OFF') {
            point.says(act);
            isOn = act === 'ON';
          }
          if (act === 'defer') point.defers(30);
          if (act === 'away') point.now({ isOnline: false });
          if (act === 'back') point.now({ isOnline: true });
          if (act === 'restart')
            point.now((activity, now) => ({
              activity: { ...activity, restarts: [...activity.restarts, now] },
            }));
          if (act === 'order') point.now({ version: (version += 1) });
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('a motor that is ON whenever it is wanted so is never told, whatever else it says', () => {
  fc.assert(
    fc.property(fc.array(anEvent, { maxLength: 60 }), (events) => {
      const point = life({ current: 'ON' });
      for (const { afterMs, act } of events) {
        expect(isTold(point.pass(afterMs))).toBe(false);
        if (act === 'defer') point.defers(30);
        if (act === 'away' || act === 'back') point.now({ isOnline: act === 'back' });
      }
    }),
    { numRuns: 100 },
  );
});

import { describe, expect, test } from 'vitest';
import { endedOrders, type ManualOrder } from '#features/control/schedules/manual-orders.ts';
import {
  latestEvent,
  type SafetyDemand,
  type WantedFacts,
  wantedState,
} from '#features/control/schedules/wanted-state.ts';
import { anOrder, aSchedule, facts, recife } from './builders.ts';

const thursday = (time: string) => recife(`2030-01-10T${time}`);
const night = aSchedule();
const emergency: SafetyDemand = {
  kind: 'EMERGENCY_OXYGEN',
  target: 'ON',
  since: thursday('11:00'),
  reason: 'oxygen 1.9 mg/L',
};
const enough: SafetyDemand = {
  kind: 'SET_POINT',
  target: 'OFF',
  since: thursday('11:00'),
  reason: 'oxygen 7 mg/L',
};
const scarce: SafetyDemand = {
  kind: 'SET_POINT',
  target: 'ON',
  since: thursday('11:30'),
  reason: 'oxygen 4 mg/L',
};

/** Target and cause on Thursday 10 January at each of these times: `ON schedule`. */
function through(given: Partial<WantedFacts>, ...times: string[]): string[] {
  return times.map((time) => {
    const { target, cause } = wantedState(facts({ schedules: [night], ...given, now: thursday(time) }));
    return `${time} ${target} ${cause.kind === 'order' ? cause.order.id : cause.kind}`;
  });
}

describe('who decides', () => {
  const everything: Partial<WantedFacts> = {
    lockedOut: true,
    safety: [emergency, enough],
    orders: [
      anOrder({ id: 'local', sequence: 1, origin: 'LOCAL', target: 'OFF', at: thursday('10:00') }),
      anOrder({ id: 'remote', sequence: 2, origin: 'REMOTE', target: 'ON', at: thursday('11:00') }),
    ],
  };
  const [local, remote] = everything.orders ?? [];

  test.each([
    ['a lock-out, over everything', everything, 'OFF lock_out'],
    ['then emergency oxygen', { ...everything, lockedOut: false }, 'ON safety'],
    ['then the local order', { ...everything, lockedOut: false, safety: [enough] }, 'OFF local'],
    ['then the remote order', { safety: [enough], orders: remote ? [remote] : [] }, 'ON remote'],
    ['then the oxygen set point', { safety: [scarce] }, 'ON safety'],
    ['then the schedule', {}, 'OFF schedule'],
    ['then the base', { schedules: [], base: { target: 'ON', at: 0 } }, 'ON base'],
  ] satisfies [string, Partial<WantedFacts>, string][])('%s', (_case, given, expected) => {
    expect(through(given, '12:00')).toEqual([`12:00 ${expected}`]);
  });

  test('only lack of oxygen is an emergency: a demand for OFF is none', () => {
    expect(
      through({ safety: [{ ...emergency, target: 'OFF' }], orders: local ? [local] : [] }, '12:00'),
    ).toEqual(['12:00 OFF local']);
  });

  test('of two set points at odds ON wins', () => {
    expect(wantedState(facts({ safety: [enough, scarce] }))).toEqual({
      target: 'ON',
      cause: { kind: 'safety', demand: scarce },
      since: scarce.since,
      next_change_at: null,
    });
  });

  test('of two schedules at the same instant ON wins, in whichever order they are listed', () => {
    const rest = aSchedule({ id: 'rest', action: 'OFF', end_time: null });
    for (const schedules of [
      [night, rest],
      [rest, night],
    ]) {
      expect(through({ schedules }, '17:59', '18:00', '23:00')).toEqual([
        '17:59 OFF schedule',
        '18:00 ON schedule',
        '23:00 ON schedule',
      ]);
    }
  });

  test('of overlapping ON schedules none ends the other', () => {
    const noon = aSchedule({
      id: 'noon',
      start_time: recife('2030-01-07T12:00'),
      end_time: recife('2030-01-07T19:00'),
    });
    const short = aSchedule({
      id: 'short',
      start_time: recife('2030-01-07T20:00'),
      end_time: recife('2030-01-07T21:00'),
    });
    const schedules = [night, noon, short];
    expect(through({ schedules }, '11:59', '12:00', '18:30', '19:00', '20:30', '21:00')).toEqual([
      '11:59 OFF schedule',
      '12:00 ON schedule',
      '18:30 ON schedule',
      '19:00 ON schedule',
      '20:30 ON schedule',
      '21:00 ON schedule',
    ]);
    const { cause } = wantedState(facts({ schedules, now: thursday('22:00') }));
    expect(cause).toEqual({
      kind: 'schedule',
      event: { at: thursday('21:00'), action: 'ON', schedule_id: 'night', edge: 'start' },
    });
  });
});

describe('the answer tells since when and until when', () => {
  test('a lock-out: only a person ends it', () => {
    const locked = facts({ lockedOut: true, schedules: [night] });
    expect(wantedState(locked)).toEqual({
      target: 'OFF',
      cause: { kind: 'lock_out' },
      since: locked.now,
      next_change_at: null,
    });
  });

  test('the schedule: since its event, until the next', () => {
    expect(wantedState(facts({ schedules: [night], now: thursday('23:00') }))).toEqual({
      target: 'ON',
      cause: {
        kind: 'schedule',
        event: { at: thursday('18:00'), action: 'ON', schedule_id: 'night', edge: 'start' },
      },
      since: thursday('18:00'),
      next_change_at: recife('2030-01-11T06:00'),
    });
  });

  test('the base: until the first event', () => {
    const { since, next_change_at } = wantedState(facts({ schedules: [night], now: recife('2030-01-02') }));
    expect({ since, next_change_at }).toEqual({
      since: recife('2030-01-01'),
      next_change_at: night.start_time,
    });
  });

  test('an order: until the next event, or its own time', () => {
    const order = anOrder({ at: thursday('12:00') });
    const timed = anOrder({ at: thursday('12:00'), until: thursday('20:00') });
    const until = (orders: ManualOrder[]) =>
      wantedState(facts({ schedules: [night], orders, now: thursday('13:00') })).next_change_at;
    expect([until([order]), until([timed])]).toEqual([thursday('18:00'), thursday('20:00')]);
  });

  test('after a timed order the schedule decides since its end, not since the morning', () => {
    const timed = anOrder({ at: thursday('12:00'), until: thursday('13:00') });
    const after = wantedState(facts({ schedules: [night], orders: [timed], now: thursday('14:00') }));
    expect({ cause: after.cause.kind, since: after.since }).toEqual({
      cause: 'schedule',
      since: thursday('13:00'),
    });
    const evening = wantedState(facts({ schedules: [night], orders: [timed], now: thursday('19:00') }));
    expect(evening.since).toBe(thursday('18:00'));
  });
});

describe('an order without an end', () => {
  const on = anOrder({ id: 'on', sequence: 1, at: thursday('12:00') });

  test('holds until the next schedule event', () => {
    expect(
      through({ orders: [{ ...on, target: 'OFF', at: recife('2030-01-09T20:00') }] }, '05:59', '06:00'),
    ).toEqual(['05:59 OFF on', '06:00 OFF schedule']);
    expect(through({ orders: [on] }, '12:00', '17:59', '18:00')).toEqual([
      '12:00 ON on',
      '17:59 ON on',
      '18:00 ON schedule',
    ]);
  });

  test('given at the very instant of an event, answers it and holds', () => {
    const off = anOrder({ id: 'off', target: 'OFF', at: thursday('18:00') });
    expect(through({ orders: [off] }, '18:00', '23:00')).toEqual(['18:00 OFF off', '23:00 OFF off']);
  });

  test('holds over a pause that ends at another level as over one that does not', () => {
    const pause = aSchedule({
      id: 'pause',
      start_time: recife('2030-01-07T20:00'),
      end_time: recife('2030-01-07T21:00'),
    });
    const off = anOrder({ id: 'off', target: 'OFF', at: thursday('19:00') });
    // the level the schedules ask for stays ON, and yet somebody else decides from 20:00 on
    expect(through({ schedules: [night, pause], orders: [off] }, '19:59', '20:00', '21:00')).toEqual([
      '19:59 OFF off',
      '20:00 ON schedule',
      '21:00 ON schedule',
    ]);
    const late = { ...off, at: thursday('20:30') };
    expect(through({ schedules: [night, pause], orders: [late] }, '20:59', '21:00')).toEqual([
      '20:59 OFF off',
      '21:00 ON schedule',
    ]);
  });

  test('is not ended by an end from before the schedules were changed', () => {
    const changed: Partial<WantedFacts> = { orders: [on], base: { target: 'OFF', at: thursday('14:00') } };
    const noon = aSchedule({ id: 'noon', end_time: recife('2030-01-08T13:00') });
    expect(through({ ...changed, schedules: [noon] }, '14:00', '17:59', '18:00')).toEqual([
      '14:00 ON on',
      '17:59 ON on',
      '18:00 ON schedule',
    ]);
  });

  test('is ended by a window that asks for ON, though it was entered in its middle', () => {
    const off = anOrder({ id: 'off', target: 'OFF', at: thursday('10:00') });
    const base = { target: 'OFF', at: thursday('20:00') } as const;
    expect(through({ orders: [off], base }, '20:00')).toEqual(['20:00 ON schedule']);
    // whoever stopped the motor within the window has seen it run
    const since = { ...off, at: thursday('19:00') };
    expect(through({ orders: [since], base }, '20:00')).toEqual(['20:00 OFF off']);
  });

  test('without any schedule holds for good', () => {
    const state = wantedState(facts({ orders: [on], now: recife('2040-01-01') }));
    expect({ target: state.target, next: state.next_change_at }).toEqual({ target: 'ON', next: null });
  });

  test('gives way to the next order of its rank, by sequence, not by the clock that was set back between them', () => {
    const later = anOrder({ id: 'later', sequence: 2, target: 'OFF', at: thursday('11:00') });
    expect(through({ orders: [later, on] }, '13:00')).toEqual(['13:00 OFF later']);
  });

  test('with a time that is still to come, after the clock was set back, holds already', () => {
    const ahead = anOrder({ id: 'ahead', at: thursday('15:00') });
    const dusk = facts({
      schedules: [night],
      orders: [{ ...ahead, at: thursday('18:30') }],
      now: thursday('14:00'),
    });
    expect(wantedState(dusk).next_change_at).toBe(recife('2030-01-11T06:00'));
    expect(through({ orders: [ahead] }, '14:00', '18:00')).toEqual(['14:00 ON ahead', '18:00 ON schedule']);
  });
});

describe('a local and a remote order', () => {
  const local = anOrder({ id: 'local', sequence: 1, target: 'OFF', at: thursday('10:00') });
  const remote = anOrder({ id: 'remote', sequence: 2, origin: 'REMOTE', at: thursday('11:00') });

  test('the remote one given while a local one holds is outranked', () => {
    expect(through({ orders: [local, remote] }, '12:00', '18:00')).toEqual([
      '12:00 OFF local',
      '18:00 ON schedule',
    ]);
  });

  test('the remote one holds once the local one has run out', () => {
    const short = { ...local, until: thursday('13:00') };
    expect(through({ orders: [short, remote] }, '12:00', '13:00')).toEqual([
      '12:00 OFF local',
      '13:00 ON remote',
    ]);
  });

  test('a later local one replaces the remote one for good', () => {
    const earlier = { ...remote, sequence: 0, at: thursday('09:00'), until: thursday('23:00') };
    expect(through({ orders: [earlier, local] }, '09:30', '12:00', '18:00')).toEqual([
      // The local order is among the facts, so it counts at 09:30 as well.
      '09:30 OFF local',
      '12:00 OFF local',
      '18:00 ON schedule',
    ]);
  });

  test('a remote one never replaces a local one', () => {
    const long = { ...local, until: thursday('20:00') };
    expect(through({ orders: [long, remote] }, '19:00', '20:00')).toEqual([
      '19:00 OFF local',
      '20:00 ON schedule',
    ]);
  });
});

describe('an order for some time', () => {
  const pause = anOrder({
    id: 'pause',
    sequence: 2,
    target: 'OFF',
    at: thursday('17:00'),
    until: thursday('20:00'),
  });

  test('holds exactly so long, whatever the schedules do meanwhile, and then the schedule decides', () => {
    expect(through({ orders: [pause] }, '17:00', '18:00', '19:59', '20:00')).toEqual([
      '17:00 OFF pause',
      '18:00 OFF pause',
      '19:59 OFF pause',
      '20:00 ON schedule',
    ]);
  });

  test('covers an earlier open order, which holds again if no event came since', () => {
    const open = anOrder({ id: 'open', sequence: 1, at: thursday('12:00') });
    const short = { ...pause, at: thursday('13:00'), until: thursday('14:00') };
    expect(through({ orders: [open, short] }, '13:30', '14:00')).toEqual([
      '13:30 OFF pause',
      '14:00 ON open',
    ]);
    expect(
      wantedState(facts({ schedules: [night], orders: [open, short], now: thursday('15:00') })).since,
    ).toBe(thursday('14:00'));
  });

  test('covers an earlier open order, which an event under the cover has ended', () => {
    const open = anOrder({ id: 'open', sequence: 1, target: 'OFF', at: thursday('12:00') });
    expect(through({ orders: [open, pause] }, '20:00')).toEqual(['20:00 ON schedule']);
  });

  test('covers an earlier timed order, which keeps the rest of its time', () => {
    const long = anOrder({ id: 'long', sequence: 1, at: thursday('10:00'), until: thursday('23:00') });
    expect(through({ orders: [long, pause] }, '18:00', '20:00', '23:00')).toEqual([
      '18:00 OFF pause',
      '20:00 ON long',
      '23:00 ON schedule',
    ]);
  });

  test('replaced by an open order does not come back when that one ends', () => {
    const long = anOrder({
      id: 'long',
      sequence: 1,
      target: 'OFF',
      at: thursday('10:00'),
      until: thursday('23:00'),
    });
    const open = anOrder({ id: 'open', sequence: 3, at: thursday('12:00') });
    expect(through({ orders: [long, open] }, '12:00', '18:00')).toEqual([
      '12:00 ON open',
      '18:00 ON schedule',
    ]);
  });

  test('does not bring back what an open order before it had replaced', () => {
    const first = anOrder({ id: 'first', sequence: 1, target: 'ON', at: thursday('10:00') });
    const second = anOrder({ id: 'second', sequence: 2, target: 'OFF', at: thursday('11:00') });
    const timed = anOrder({
      id: 'timed',
      sequence: 3,
      target: 'ON',
      at: thursday('12:00'),
      until: thursday('13:00'),
    });
    expect(through({ orders: [first, second, timed] }, '12:30', '13:00')).toEqual([
      '12:30 ON timed',
      '13:00 OFF second',
    ]);
  });
});

describe('orders that are over', () => {
  test('are named, so that they can be forgotten before a schedule changes', () => {
    const gone = anOrder({ id: 'gone', sequence: 1, at: thursday('09:00'), until: thursday('10:00') });
    const replaced = anOrder({ id: 'replaced', sequence: 2, origin: 'REMOTE', at: thursday('09:30') });
    const open = anOrder({ id: 'open', sequence: 3, at: thursday('12:00') });
    const covered = anOrder({ id: 'covered', sequence: 4, origin: 'REMOTE', at: thursday('13:00') });
    const orders = [gone, replaced, open, covered];
    const endedAt = (time: string) => {
      const at = facts({ schedules: [night], orders, now: thursday(time) });
      return endedOrders(orders, at.now, latestEvent(at)).map(({ id }) => id);
    };
    expect(endedAt('14:00')).toEqual(['gone', 'replaced']);
    expect(endedAt('18:00')).toEqual(['gone', 'replaced', 'open', 'covered']);
  });
});

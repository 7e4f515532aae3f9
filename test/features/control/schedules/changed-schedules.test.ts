import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { endedByChange } from '#features/control/schedules/keep-what-holds.ts';
import { endedOrders } from '#features/control/schedules/manual-orders.ts';
import type { ScheduleRule } from '#features/control/schedules/schedule-events.ts';
import {
  baseAfterChange,
  latestEvent,
  rulesBefore,
  type WantedFacts,
  wantedState,
} from '#features/control/schedules/wanted-state.ts';
import { drawsOf } from '#test/turn.ts';
import { ALWAYS, anOrder, aSchedule, facts, RECIFE, recife } from './builders.ts';
import { type Diary, diary, someSchedules } from './diary.ts';
import { notedEvents, wallMinutes } from './reference-model.ts';

const thursday = (time: string) => recife(`2030-01-10T${time}`);
const night = aSchedule();

describe('changing schedules while they run', () => {
  const running = facts({ schedules: [night], now: thursday('20:00') });
  const pause = aSchedule({
    id: 'pause',
    action: 'OFF',
    start_time: recife('2030-01-07T19:00'),
    end_time: recife('2030-01-07T21:00'),
  });
  /** Target at these times after the schedules became these. */
  const after = (before: WantedFacts, schedules: ScheduleRule[], isApplied: boolean, ...times: number[]) => {
    const { now, zone } = before;
    const base = baseAfterChange(
      rulesBefore(before, () => 0),
      { now, zone, schedules },
      isApplied,
    );
    return times.map((at) => wantedState({ ...before, schedules, base, now: at }).target);
  };
  const friday = (time: string) => recife(`2030-01-11T${time}`);

  test('a new end of tonight holds', () => {
    const longer = aSchedule({ end_time: recife('2030-01-08T07:00') });
    expect(after(running, [longer], false, running.now, friday('06:59'), friday('07:00'))).toEqual([
      'ON',
      'ON',
      'OFF',
    ]);
  });

  test('an end moved before now does not stop the motor until the next event, unless it shall', () => {
    const shorter = aSchedule({ end_time: recife('2030-01-07T19:00') });
    const times = [running.now, friday('17:59'), friday('18:30'), friday('19:00')];
    expect(after(running, [shorter], false, ...times)).toEqual(['ON', 'ON', 'ON', 'OFF']);
    expect(after(running, [shorter], true, ...times)).toEqual(['OFF', 'OFF', 'ON', 'OFF']);
  });

  test('deleted or paused, the last schedule leaves what runs running', () => {
    expect(after(running, [], false, running.now, recife('2031-01-01'))).toEqual(['ON', 'ON']);
    expect(after(running, [{ ...night, is_active: false }], false, friday('07:00'))).toEqual(['ON']);
    const asleep = { ...running, now: thursday('12:00') };
    expect(after(asleep, [], false, thursday('12:00'), thursday('20:00'))).toEqual(['OFF', 'OFF']);
  });

  test('a pause entered in its middle waits, unless it shall act', () => {
    const times = [running.now, thursday('20:59'), thursday('21:00'), friday('18:30'), friday('19:30')];
    expect(after(running, [night, pause], false, ...times)).toEqual(['ON', 'ON', 'ON', 'ON', 'OFF']);
    expect(after(running, [night, pause], true, ...times)).toEqual(['OFF', 'OFF', 'ON', 'ON', 'OFF']);
  });

  test('a pause taken away in its middle starts the motor at once', () => {
    const paused = facts({ schedules: [night, pause], now: thursday('20:00') });
    expect(wantedState(paused).target).toBe('OFF');
    expect(after(paused, [night], false, paused.now, friday('06:00'))).toEqual(['ON', 'OFF']);
    const short = { ...pause, end_time: recife('2030-01-07T19:30') };
    expect(after(paused, [night, short], false, paused.now, friday('06:00'))).toEqual(['ON', 'OFF']);
  });

  test('a pause that was the only schedule ends when it is taken away, unless it was entered in its own middle', () => {
    const paused = facts({ schedules: [pause], now: thursday('20:00'), base: { target: 'ON', at: 0 } });
    expect(after(paused, [], false, paused.now, friday('12:00'))).toEqual(['ON', 'ON']);
    expect(after(paused, [{ ...pause, is_active: false }], false, paused.now)).toEqual(['ON']);
    const late = rulesBefore(paused, () => thursday('19:30'));
    expect(baseAfterChange(late, { ...paused, schedules: [] }, false).target).toBe('OFF');
  });

  test('a schedule entered in its own night runs now', () => {
    const empty = facts({ now: thursday('20:08') });
    expect(after(empty, [night], false, empty.now, friday('05:59'), friday('06:00'))).toEqual([
      'ON',
      'ON',
      'OFF',
    ]);
    const endless = aSchedule({ end_time: null });
    expect(after(empty, [endless], false, empty.now)).toEqual(['ON']);
    const byDay = facts({ now: thursday('12:00') });
    expect(after(byDay, [night], false, byDay.now, thursday('17:59'), thursday('18:00'))).toEqual([
      'OFF',
      'OFF',
      'ON',
    ]);
  });

  test('a change that touches nothing of now changes nothing now', () => {
    const noon = aSchedule({ id: 'noon', start_time: thursday('12:00'), end_time: thursday('13:00') });
    const base = baseAfterChange(
      rulesBefore(running, () => 0),
      { ...running, schedules: [night, noon] },
      true,
    );
    expect(base).toEqual({ target: 'ON', at: running.now });
  });

  test('one that rows of an earlier program left as it stood goes on as it stands', () => {
    // "daily 18:00 to 06:00" whose end was moved at 20:00: its past did not count, the base kept it running
    const moved = facts({
      schedules: [aSchedule({ effective_from: thursday('20:00') })],
      base: { target: 'ON', at: thursday('20:00') },
      now: thursday('23:00'),
    });
    expect(wantedState(moved)).toMatchObject({ target: 'ON', next_change_at: friday('06:00') });
    // "apply now" ended an order older than the window
    const applied = facts({
      schedules: [aSchedule({ effective_from: ALWAYS })],
      orders: [anOrder({ target: 'OFF', at: thursday('17:00') })],
      base: { target: 'ON', at: thursday('20:00') },
      now: thursday('23:00'),
    });
    expect(wantedState(applied).target).toBe('ON');
    // what an old change had masked does not start anything by itself
    const masked = facts({
      schedules: [aSchedule({ start_time: thursday('08:00'), end_time: null, repeat_pattern: 'ONCE' })],
      base: { target: 'OFF', at: thursday('10:00') },
      now: thursday('23:00'),
    });
    expect(wantedState(masked)).toMatchObject({
      target: 'OFF',
      cause: { kind: 'base' },
      next_change_at: null,
    });
  });
});

/** As the rows stand after it. */
function changed(before: Diary, schedules: readonly ScheduleRule[], isApplied: boolean): Diary {
  const after = { now: before.now, zone: before.zone, schedules, isApplied };
  const over = new Set([
    ...endedOrders(before.orders, before.now, latestEvent(before)),
    ...endedByChange(before.orders, before.now, after),
  ]);
  return {
    ...before,
    schedules,
    base: baseAfterChange(
      rulesBefore(before, () => 0),
      after,
      isApplied,
    ),
    orders: before.orders.filter((order) => !over.has(order)),
  };
}

describe('orders of people, when schedules change', () => {
  const on = aSchedule({ id: 'on', start_time: thursday('18:00'), end_time: null, repeat_pattern: 'ONCE' });
  const off = { ...on, id: 'off', action: 'OFF' } as const;
  const ordered = (target: 'ON' | 'OFF', time: string): Diary => ({
    ...facts({ now: thursday('20:00'), orders: [anOrder({ target, at: thursday(time) })] }),
    schedules: [],
  });
  const then = (before: Diary, rule: ScheduleRule, isApplied: boolean) =>
    wantedState(changed(before, [rule], isApplied)).target;

  test('older than what then asks for ON are over, newer ones hold', () => {
    expect(then(ordered('OFF', '17:00'), on, false)).toBe('ON');
    expect(then(ordered('OFF', '19:00'), on, false)).toBe('OFF');
  });

  test('hold against what then asks for OFF, unless that is to be applied and they are older', () => {
    expect(then(ordered('ON', '17:00'), off, false)).toBe('ON');
    expect(then(ordered('ON', '17:00'), off, true)).toBe('OFF');
    expect(then(ordered('ON', '19:00'), off, true)).toBe('ON');
  });
});

describe('any change of any schedules', () => {
  const wall = wallMinutes(RECIFE, recife('2029-12-31'), recife('2030-03-01'));

  test('never stops a motor by itself, and starts it where the schedules now say so', () => {
    fc.assert(
      fc.property(diary, someSchedules, (before, schedules) => {
        const after = changed(before, schedules, false);
        const events = notedEvents(schedules, wall);
        const says = events.findLast(({ at }) => at <= before.now)?.action ?? null;
        if (wantedState(before).target === 'ON') expect(wantedState(after).target).toBe('ON');
        const withoutOrders = { ...after, orders: [] };
        const isPause = rulesBefore(before, () => 0).isPause && says === null;
        const heldLevel = isPause ? 'ON' : wantedState({ ...before, orders: [] }).target;
        expect(wantedState(withoutOrders).target).toBe(says === 'ON' ? 'ON' : heldLevel);
        // until the next event, and from then on the schedules decide
        const next = events.find(({ at }) => at > before.now);
        if (next === undefined) return;
        expect(wantedState({ ...withoutOrders, now: next.at - 1 }).target).toBe(
          wantedState(withoutOrders).target,
        );
        expect(wantedState({ ...withoutOrders, now: next.at }).target).toBe(next.action);
        expect(wantedState(withoutOrders).next_change_at).toBe(next.at);
      }),
      { numRuns: drawsOf(400) },
    );
  });

  test('that is to be applied does at once what the schedules then say', () => {
    fc.assert(
      fc.property(diary, someSchedules, (before, schedules) => {
        const after = changed({ ...before, orders: [] }, schedules, true);
        const says = notedEvents(schedules, wall).findLast(({ at }) => at <= before.now)?.action;
        const held = rulesBefore(before, () => 0).isPause
          ? 'ON'
          : wantedState({ ...before, orders: [] }).target;
        expect(wantedState(after).target).toBe(says ?? held);
      }),
      { numRuns: drawsOf(200) },
    );
  });

  test('made twice is made once', () => {
    fc.assert(
      fc.property(diary, someSchedules, fc.boolean(), (before, schedules, isApplied) => {
        const once = changed(before, schedules, isApplied);
        const twice = changed(once, schedules, isApplied);
        expect(wantedState(twice).target).toBe(wantedState(once).target);
      }),
      { numRuns: drawsOf(200) },
    );
  });
});

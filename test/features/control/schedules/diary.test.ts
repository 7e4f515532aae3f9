import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endedOrders, type ManualOrder } from '#features/control/schedules/manual-orders.ts';
import type { ScheduleRule } from '#features/control/schedules/schedule-events.ts';
import { latestEvent, wantedState } from '#features/control/schedules/wanted-state.ts';
import { drawsOf } from '#test/turn.ts';
import { RECIFE, recife } from './builders.ts';
import { type Diary, diary } from './diary.ts';
import { type Noted, notedEvents, wallMinutes } from './reference-model.ts';

// A farm's diary, played from its first page: what a person would do who stands beside the switch all the time.
type Page = { at: number; order?: ManualOrder; event?: Noted };

const WALL = wallMinutes(RECIFE, recife('2029-12-31'), recife('2030-03-01'));

function played({ now, schedules, orders, base }: Diary): string {
  const events = notedEvents(schedules, WALL).filter(({ at }) => at <= now);
  const last = events.at(-1);
  // a window that asks for ON counts at once; all else that was before the last change waits for the next event
  const asksForOn = last !== undefined && last.action === 'ON' && isWindowOf(schedules, last);
  const counting = events.filter((event) => event.at > base.at || (asksForOn && event === last));
  const pages: Page[] = [
    ...counting.map((event) => ({ at: event.at, event })),
    // At the same instant the event comes first and the order answers it.
    ...orders.map((order) => ({ at: order.at, order })),
  ].sort((a, b) => a.at - b.at);
  let level: string = base.target;
  let pile: ManualOrder[] = [];
  for (const { order, event } of pages) {
    if (event) {
      level = event.action;
      // what was entered in its middle ends orders for OFF alone
      const ends = (held: ManualOrder) => event.at > base.at || held.target === 'OFF';
      pile = pile.filter((held) => held.until !== null || !ends(held));
    }
    if (order) {
      const isLower = (held: ManualOrder) => order.origin === 'LOCAL' || held.origin === 'REMOTE';
      if (order.until === null) pile = pile.filter((held) => !isLower(held));
      pile.push(order);
    }
  }
  const held = pile.filter((order) => order.until === null || now < order.until);
  const top = held.findLast((order) => order.origin === 'LOCAL') ?? held.at(-1);
  return top ? `${top.target} ${top.id}` : level;
}

const isWindowOf = (schedules: readonly ScheduleRule[], { schedule_id, edge }: Noted) =>
  edge === 'start' && schedules.find(({ id }) => id === schedule_id)?.end_time !== null;

test('the state computed from the facts is the one that playing the whole diary arrives at', () => {
  fc.assert(
    fc.property(diary, (given) => {
      const { target, cause } = wantedState(given);
      expect(cause.kind === 'order' ? `${target} ${cause.order.id}` : target).toBe(played(given));
    }),
    { numRuns: drawsOf(600) },
  );
});

test('nothing changes before next_change_at, and forgetting ended orders changes nothing', () => {
  fc.assert(
    fc.property(diary, fc.integer({ min: 0, max: 72 }), (given, hoursLater) => {
      const state = wantedState(given);
      const wait = given.now + hoursLater * 3_600_000;
      const quiet = Math.max(given.now, Math.min(wait, (state.next_change_at ?? wait + 1) - 1));
      const ended = new Set(endedOrders(given.orders, given.now, latestEvent(given)));
      const kept = given.orders.filter((order) => !ended.has(order));
      expect(wantedState({ ...given, now: quiet }).cause).toEqual(state.cause);
      expect(wantedState({ ...given, orders: kept }).cause).toEqual(state.cause);
      const { cause, target } = wantedState({ ...given, now: wait });
      expect(wantedState({ ...given, now: wait, orders: kept })).toMatchObject({ cause, target });
      const changed = state.next_change_at && wantedState({ ...given, now: state.next_change_at }).cause;
      expect(changed).not.toEqual(state.cause);
    }),
    { numRuns: drawsOf(1500) },
  );
});

import fc from 'fast-check';
import type { ScheduleRule } from '#features/control/schedules/schedule-events.ts';
import type { WantedFacts } from '#features/control/schedules/wanted-state.ts';
import { anOrder, aSchedule, facts, recife } from './builders.ts';

/** What a farm's control point rests on, at random. */
export type Diary = WantedFacts & { schedules: readonly ScheduleRule[] };

const hour = (max: number) => fc.integer({ min: 0, max }).map((n) => recife('2030-01-01') + n * 3_600_000);
const length = (start: number, hours: number | null) => (hours === null ? null : start + hours * 3_600_000);

export const someSchedules: fc.Arbitrary<ScheduleRule[]> = fc
  .array(
    fc.record({
      start_time: hour(200),
      hours: fc.option(fc.integer({ min: 1, max: 23 }), { nil: null }),
      action: fc.constantFrom('ON', 'OFF'),
      repeat_pattern: fc.constantFrom('ONCE', 'DAILY', 'WEEKLY', 'MONTHLY'),
      days_of_week: fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 1 }),
    }),
    { maxLength: 4 },
  )
  .map((rules) =>
    rules.map(({ hours, ...rule }, i) =>
      aSchedule({ ...rule, id: `s${i}`, end_time: length(rule.start_time, hours) }),
    ),
  );
const someOrders = fc.array(
  fc.record({
    at: hour(500),
    target: fc.constantFrom('ON', 'OFF'),
    origin: fc.constantFrom('LOCAL', 'REMOTE'),
    hours: fc.option(fc.integer({ min: 1, max: 60 }), { nil: null }),
  }),
  { maxLength: 6 },
);

const level = fc.constantFrom('ON', 'OFF');
// no stamps from the future: a clock that was set back is another story (follow-clock-step.ts)
export const diary = fc
  .record({ schedules: someSchedules, someOrders, now: hour(600), base: hour(300), level })
  .map((given): Diary => {
    const orders = given.someOrders
      .filter((order) => order.at <= given.now)
      .sort((a, b) => a.at - b.at)
      .map(({ hours, ...order }, i) =>
        anOrder({ ...order, id: `o${i}`, sequence: i, until: length(order.at, hours) }),
      );
    const base = { target: given.level, at: Math.min(given.base, given.now) };
    return { ...facts({ now: given.now, orders, base }), schedules: given.schedules };
  });

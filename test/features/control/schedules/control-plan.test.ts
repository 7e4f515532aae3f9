import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TimelineSegment } from '#contract/resources/control-points.ts';
import type { ControlPoint, ControlView, Order } from '#features/control/control-view.ts';
import { manualOrdersOf, ruleFactsOf } from '#features/control/schedules/control-facts.ts';
import { createControlPlans, type PlanDeps } from '#features/control/schedules/control-plan.ts';
import { type SafetyDemand, wantedState } from '#features/control/schedules/wanted-state.ts';
import { aView, scheduleRowOf } from './a-view.ts';
import { aSchedule, RECIFE, recife } from './builders.ts';
import { diary } from './diary.ts';

const thursday = (time: string) => recife(`2030-01-10T${time}`);
const friday = (time: string) => recife(`2030-01-11T${time}`);
const iso = (ms: number) => new Date(ms).toISOString();
const night = aSchedule({ id: '0195a000-0000-7000-8000-0000000000aa' });
const emergency: SafetyDemand = {
  kind: 'EMERGENCY_OXYGEN',
  target: 'ON',
  since: thursday('11:00'),
  reason: 'oxygen 1.9 mg/L',
};

function viewWith(schedules: readonly (typeof night)[], changes: Partial<ControlPoint> = {}): ControlView {
  const view = aView('0195a000-0000-7000-8000-0000000000cc');
  const base = { base_target: 'OFF', base_at: iso(recife('2030-01-01')) } as const;
  return {
    ...view,
    zone: RECIFE,
    schedules: schedules.map(scheduleRowOf),
    row: { ...view.row, ...base, ...changes },
  };
}

function anOrderRow(changes: Partial<Order>): Order {
  return {
    id: '0195a000-0000-7000-8000-0000000000bb',
    control_point_id: '0195a000-0000-7000-8000-0000000000cc',
    target_status: 'OFF',
    origin: 'LOCAL',
    issued_by: null,
    reason: null,
    version: 2,
    epoch: 'epoch-1',
    issued_at: iso(thursday('19:00')),
    hold_until: null,
    state: 'APPLIED',
    state_at: iso(thursday('19:00')),
    clock_quality: 'trusted',
    rev: 1,
    ...changes,
  };
}

const plansAt = (now: number, more: Partial<PlanDeps> = {}) =>
  createControlPlans({
    now: () => now,
    clockQuality: () => 'trusted',
    safetyOf: () => [],
    isRunByGateway: () => false,
    untrustedSince: () => null,
    ...more,
  });

/** `01-10 18:00 ON SCHEDULE`, each from its beginning. */
const told = (segments: Iterable<TimelineSegment>) =>
  [...segments].map(
    ({ from, target, cause }) =>
      `${iso(Date.parse(from) - 3 * 3_600_000)
        .slice(5, 16)
        .replace('T', ' ')} ${target} ${cause}`,
  );

describe('the plan of a control point', () => {
  test('a schedule: since its start, until it switches', () => {
    expect(plansAt(thursday('23:00')).planOf(viewWith([night]))).toEqual({
      cause: 'SCHEDULE',
      since: iso(thursday('18:00')),
      until: iso(friday('06:00')),
      then: 'OFF',
      scheduled: 'ON',
      off_schedule: false,
    });
  });

  test('passes over events that leave the level as it is', () => {
    const inner = aSchedule({
      id: '0195a000-0000-7000-8000-0000000000ab',
      start_time: recife('2030-01-07T20:00'),
      end_time: recife('2030-01-07T21:00'),
    });
    const plan = plansAt(thursday('18:30')).planOf(viewWith([night, inner]));
    expect([plan.until, plan.then]).toEqual([iso(friday('06:00')), 'OFF']);
  });

  test('an order against the schedule: off it, until the next event, whatever that asks for', () => {
    const view = { ...viewWith([night]), manualOrders: [anOrderRow({})] };
    expect(plansAt(thursday('20:03')).planOf(view)).toMatchObject({
      cause: 'LOCAL_ORDER',
      since: iso(thursday('19:00')),
      // at six the schedule says OFF, as the order does: the motor next starts at eighteen
      until: iso(friday('18:00')),
      then: 'ON',
      scheduled: 'ON',
      off_schedule: true,
    });
    const timed = {
      ...view,
      manualOrders: [anOrderRow({ hold_until: iso(thursday('20:30')), origin: 'REMOTE' })],
    };
    expect(plansAt(thursday('20:03')).planOf(timed)).toMatchObject({
      cause: 'REMOTE_ORDER',
      until: iso(thursday('20:30')),
      then: 'ON',
      off_schedule: true,
    });
  });

  test('a lock-out, an emergency and the base are only ended by something new', () => {
    const locked = viewWith([night], { locked_out: true, lock_out_at: iso(thursday('17:30')) });
    const nobody = { until: null, then: null };
    const now = thursday('20:00');
    expect(plansAt(now).planOf(locked)).toMatchObject({
      ...nobody,
      cause: 'LOCK_OUT',
      since: iso(thursday('17:30')),
      scheduled: 'ON',
      off_schedule: false,
    });
    expect(plansAt(now, { safetyOf: () => [emergency] }).planOf(viewWith([night]))).toMatchObject({
      ...nobody,
      cause: 'EMERGENCY_OXYGEN',
      since: iso(emergency.since),
    });
    expect(plansAt(now).planOf(viewWith([]))).toMatchObject({ ...nobody, cause: 'BASE', scheduled: null });
  });

  test('what a change of schedules left running runs until the next event', () => {
    const shorter = aSchedule({ id: night.id, end_time: recife('2030-01-07T19:00') });
    const view = viewWith([shorter], { base_target: 'ON', base_at: iso(thursday('20:00')) });
    expect(plansAt(thursday('21:00')).planOf(view)).toMatchObject({
      cause: 'BASE',
      since: iso(thursday('20:00')),
      until: iso(friday('19:00')),
      then: 'OFF',
    });
  });

  test('without a clock to trust nobody knows until when', () => {
    const plans = plansAt(thursday('20:00'), { clockQuality: () => 'estimated' });
    const nobody = { until: null, then: null, scheduled: null, off_schedule: false };
    expect(plans.planOf(viewWith([night]))).toMatchObject({ ...nobody, cause: 'FAIL_SAFE' });
    expect(plans.planOf(viewWith([night], { locked_out: true }))).toMatchObject({
      ...nobody,
      cause: 'LOCK_OUT',
    });
    expect(told(plans.timelineOf(viewWith([night], { fail_safe: 'ON' }), { hours: 48, most: 10 }))).toEqual([
      '01-10 20:00 ON FAIL_SAFE',
    ]);
  });

  test('a siren sounds for an alarm, and has no schedule', () => {
    const siren = viewWith([night], { is_siren: true });
    expect(plansAt(thursday('20:00')).planOf(siren)).toMatchObject({
      cause: 'BASE',
      until: null,
      scheduled: null,
    });
    const alarm: SafetyDemand = { kind: 'ALARM', target: 'ON', since: thursday('19:00'), reason: 'critical' };
    expect(plansAt(thursday('20:00'), { safetyOf: () => [alarm] }).planOf(siren)).toMatchObject({
      cause: 'ALARM',
    });
  });

  test('is worked out anew when time, water or the control point changed', () => {
    const state = { now: thursday('20:00'), safety: [] as SafetyDemand[] };
    const plans = plansAt(0, { now: () => state.now, safetyOf: () => state.safety });
    const view = viewWith([night]);
    const first = plans.planOf(view);
    expect(plans.planOf(view)).toBe(first);
    state.safety = [emergency];
    expect(plans.planOf(view).cause).toBe('EMERGENCY_OXYGEN');
    state.safety = [];
    state.now = friday('06:00');
    expect(plans.planOf(view)).toMatchObject({ until: iso(friday('18:00')), then: 'ON' });
    expect(plans.planOf({ ...view, schedules: [] }).cause).toBe('BASE');
  });
});

const elsewhere = { isRunByGateway: () => true };

describe('on a hosted instance, for a farm that a gateway runs', () => {
  test('the rows tell who decides, and until when', () => {
    const view = viewWith([night], { target_status: 'ON', target_origin: 'SCHEDULE' });
    expect(plansAt(thursday('20:00'), elsewhere).planOf(view)).toMatchObject({
      cause: 'SCHEDULE',
      until: iso(friday('06:00')),
    });
  });

  test.each([
    ['water asked', { target_origin: 'SAFETY', do_on: 4 }, 'SET_POINT'],
    ['water was in an emergency', { target_origin: 'SAFETY', do_emergency: 2 }, 'EMERGENCY_OXYGEN'],
    ['its clock is not to be trusted', { target_origin: 'SAFETY' }, 'FAIL_SAFE'],
    ['somebody ordered, and the order is not here yet', { target_origin: 'LOCAL' }, 'LOCAL_ORDER'],
  ] satisfies [string, Partial<ControlPoint>, string][])(
    'what it switched because %s is told as its own',
    (_why, row, cause) => {
      const view = viewWith([night], {
        ...row,
        target_status: 'ON',
        last_command_at: iso(thursday('11:10')),
      });
      const plans = plansAt(thursday('12:00'), elsewhere);
      expect(plans.planOf(view)).toEqual({
        cause,
        since: iso(thursday('11:10')),
        until: null,
        then: null,
        scheduled: 'OFF',
        off_schedule: cause === 'LOCAL_ORDER',
      });
      expect(told(plans.timelineOf(view, { hours: 24, most: 10 }))).toEqual([
        `01-10 12:00 ON ${cause}`,
        '01-10 18:00 ON SCHEDULE',
        '01-11 06:00 OFF SCHEDULE',
      ]);
    },
  );

  test('what it told on its live connection goes before older rows', () => {
    const view = viewWith([night], { target_status: 'OFF', target_origin: 'SCHEDULE', version: 3 });
    view.presence.remote = {
      isOnline: true,
      link: { believedUntil: Number.POSITIVE_INFINITY },
      target: { target_status: 'ON', version: 4, epoch: view.row.epoch },
    };
    const plans = plansAt(thursday('12:00'), elsewhere);
    expect(told(plans.timelineOf(view, { hours: 1, most: 10 }))[0]).toContain('ON');
    expect(plans.planOf(view).until).toBeNull();
  });
});

describe('the timeline', () => {
  test('tells night and day, a pause, and an order that a timed one covers', () => {
    const pause = aSchedule({
      id: '0195a000-0000-7000-8000-0000000000ab',
      action: 'OFF',
      start_time: recife('2030-01-07T20:00'),
      end_time: recife('2030-01-07T21:30'),
    });
    const view = {
      ...viewWith([night, pause]),
      manualOrders: [
        anOrderRow({ target_status: 'ON', issued_at: iso(thursday('12:00')) }),
        anOrderRow({
          id: '0195a000-0000-7000-8000-0000000000bc',
          version: 3,
          issued_at: iso(thursday('13:00')),
          hold_until: iso(thursday('14:00')),
        }),
      ],
    };
    const segments = [...plansAt(thursday('13:30')).timelineOf(view, { hours: 24, most: 100 })];
    expect(told(segments)).toEqual([
      '01-10 13:30 OFF LOCAL_ORDER',
      '01-10 14:00 ON LOCAL_ORDER',
      '01-10 18:00 ON SCHEDULE',
      '01-10 20:00 OFF SCHEDULE',
      '01-10 21:30 ON SCHEDULE',
      '01-11 06:00 OFF SCHEDULE',
    ]);
    expect(segments.map(({ order_id }) => order_id?.slice(-2) ?? null)).toEqual([
      'bc',
      'bb',
      null,
      null,
      null,
      null,
    ]);
    expect(segments.map(({ schedule_id }) => schedule_id?.slice(-2) ?? null)).toEqual([
      null,
      null,
      'aa',
      'ab',
      'aa',
      'aa',
    ]);
    expect(segments.at(-1)?.until).toBe(iso(friday('13:30')));
  });

  test('at every instant says what the gateway would do then, without gap or overlap', () => {
    const parts = fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { maxLength: 12 });
    fc.assert(
      fc.property(diary, parts, (given, asked) => {
        const view: ControlView = {
          ...viewWith(given.schedules, { base_target: given.base.target, base_at: iso(given.base.at) }),
          manualOrders: given.orders.map((order) =>
            anOrderRow({
              id: order.id,
              version: order.sequence,
              target_status: order.target,
              origin: order.origin,
              issued_at: iso(order.at),
              hold_until: order.until === null ? null : iso(order.until),
            }),
          ),
        };
        const plans = plansAt(given.now);
        const segments = [...plans.timelineOf(view, { hours: 192, most: 2000 })];
        const end = given.now + 192 * 3_600_000;
        expect(segments[0]?.from).toBe(iso(given.now));
        expect(segments.at(-1)?.until).toBe(iso(end));
        for (const [n, { until }] of segments.slice(0, -1).entries())
          expect(segments[n + 1]?.from).toBe(until);
        const facts = {
          ...ruleFactsOf(view, given.now),
          orders: manualOrdersOf(view, given.now),
          lockedOut: false,
          safety: [],
        };
        const instants = asked.map((part) => Math.floor(given.now + part * (end - given.now)));
        for (const { from, until } of segments) instants.push(Date.parse(from), Date.parse(until) - 1);
        for (const now of instants) {
          const wanted = wantedState({ ...facts, now });
          const shown = segments.find(({ from, until }) => iso(now) >= from && iso(now) < until);
          expect(shown?.target).toBe(wanted.target);
          expect(shown?.order_id ?? null).toBe(wanted.cause.kind === 'order' ? wanted.cause.order.id : null);
        }
        // the plan tells the first turn of it
        const { until, then } = plans.planOf(view);
        const turn = segments.find(({ target }) => target !== segments[0]?.target);
        if (turn !== undefined) expect([until, then]).toEqual([turn.from, turn.target]);
        else expect(until === null || until >= iso(end)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  test('of an order that somebody thinks of is what comes once it is given', () => {
    const asked = fc.record({
      target: fc.constantFrom('ON' as const, 'OFF' as const),
      forS: fc.option(fc.integer({ min: 1, max: 604_800 })),
      isForced: fc.boolean(),
    });
    fc.assert(
      fc.property(diary, asked, (given, order) => {
        const orders = given.orders.map((each) =>
          anOrderRow({
            id: each.id,
            version: each.sequence,
            target_status: each.target,
            origin: each.origin,
            issued_at: iso(each.at),
            hold_until: each.until === null ? null : iso(each.until),
          }),
        );
        const view: ControlView = {
          ...viewWith(given.schedules, { base_target: given.base.target, base_at: iso(given.base.at) }),
          manualOrders: orders,
        };
        const it = anOrderRow({
          version: Number.MAX_SAFE_INTEGER,
          target_status: order.target,
          issued_at: iso(given.now),
          hold_until: order.forS === null ? null : iso(given.now + order.forS * 1_000),
        });
        const plans = plansAt(given.now);
        const span = { hours: 192, most: 2000 };
        const plain = ({ order_id, ...segment }: TimelineSegment) => ({
          ...segment,
          order_id: order_id === it.id ? null : order_id,
        });
        expect([...plans.timelineOf(view, span, order)]).toEqual(
          [...plans.timelineOf({ ...view, manualOrders: [...orders, it] }, span)].map(plain),
        );
        // nothing was ordered
        expect(view.manualOrders).toBe(orders);
      }),
      { numRuns: 150 },
    );
  });

  test('of an order from afar gives way to what people at the farm ordered, unless it is forced', () => {
    const plans = plansAt(thursday('20:03'), elsewhere);
    const view = { ...viewWith([night]), manualOrders: [anOrderRow({})] };
    const asked = { target: 'ON', forS: null, isForced: false } as const;
    const first = (isForced: boolean) =>
      told(plans.timelineOf(view, { hours: 1, most: 10 }, { ...asked, isForced }))[0];
    expect(first(false)).toBe('01-10 20:03 OFF LOCAL_ORDER');
    expect(first(true)).toBe('01-10 20:03 ON LOCAL_ORDER');
  });

  test('of two hundred schedules ends after as many segments as were asked for, and is worked out piece by piece', () => {
    const many = Array.from({ length: 200 }, (_, n) => {
      const start_time = recife('2029-01-01') + n * 7 * 60_000;
      return aSchedule({
        id: `0195a000-0000-7000-8000-${String(n).padStart(12, '0')}`,
        action: n % 3 === 0 ? 'OFF' : 'ON',
        start_time,
        end_time: start_time + 5 * 60_000,
      });
    });
    const plans = plansAt(thursday('12:00'));
    const run = () => {
      const view = viewWith(many);
      const segments = plans.timelineOf(view, { hours: 192, most: 2000 })[Symbol.iterator]();
      let [count, longestMs] = [0, 0];
      for (;;) {
        // an answer leaves in pieces of some two hundred segments, and others get their turn between two
        const began = process.cpuUsage();
        for (let n = 0; n < 200; n += 1) {
          if (segments.next().done === true) return { count, longestMs };
          count += 1;
        }
        const { user, system } = process.cpuUsage(began);
        longestMs = Math.max(longestMs, (user + system) / 1000);
      }
    };
    run();
    const { count, longestMs } = run();
    expect(count).toBe(2000);
    expect(longestMs).toBeLessThan(50);
  });
});

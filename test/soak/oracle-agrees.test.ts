import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endedByChange } from '#features/control/schedules/keep-what-holds.ts';
import { endedOrders, type ManualOrder } from '#features/control/schedules/manual-orders.ts';
import type { ScheduleRule } from '#features/control/schedules/schedule-events.ts';
import {
  type Base,
  baseAfterChange,
  latestEvent,
  rulesBefore,
  wantedState,
} from '#features/control/schedules/wanted-state.ts';
import type { ScheduleBody, Write } from '../../scripts/soak/history.ts';
import { expectedAt } from '../../scripts/soak/oracle/expected.ts';
import type { Effect } from '../../scripts/soak/resolve.ts';
import { anOrder, aPoint, iso, T0 } from './evidence.ts';

// The oracle of the fault campaign knows nothing of the gateway's rules. Here lives of control points are played by
// both: schedules that come, change and go, and orders between them.

const ZONE = 'America/Fortaleza';
const MINUTE = 60_000;

const someBody = fc
  .record({
    action: fc.constantFrom('ON', 'OFF'),
    // around the act, today or a day ago
    start: fc.oneof(fc.integer({ min: -20, max: 40 }), fc.integer({ min: -1_460, max: -1_400 })),
    minutes: fc.option(fc.integer({ min: 1, max: 60 }), { nil: null, freq: 3 }),
    repeat_pattern: fc.constantFrom('ONCE', 'DAILY'),
    is_active: fc.constantFrom(true, true, true, false),
  })
  .map(({ start, minutes, ...rest }) => (now: number): ScheduleBody => {
    const at = now + start * MINUTE;
    const end_time = minutes === null ? null : iso(at + minutes * MINUTE);
    return { ...rest, start_time: iso(at), end_time, description: 'd' };
  });

type Act =
  | { kind: 'order'; target: 'ON' | 'OFF'; for_s: number | null }
  | { kind: 'schedule_change'; id: string; schedule: (now: number) => ScheduleBody }
  | { kind: 'schedule_delete'; id: string };
const id = fc.constantFrom('s1', 's2', 's3');
const anAct: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    kind: fc.constant('order' as const),
    target: fc.constantFrom('ON', 'OFF'),
    for_s: fc.option(
      fc.integer({ min: 1, max: 40 }).map((minutes) => minutes * 60),
      { nil: null },
    ),
  }),
  fc.record({ kind: fc.constant('schedule_change' as const), id, schedule: someBody }),
  fc.record({ kind: fc.constant('schedule_delete' as const), id }),
);
const aLife = fc.array(fc.record({ act: anAct, after: fc.integer({ min: 0, max: 30 }) }), { maxLength: 12 });

/** The gateway's own memory of a control point, after each act. */
function gateway() {
  let schedules: readonly ScheduleRule[] = [];
  let base: Base = { target: 'OFF', at: T0 };
  let orders: readonly ManualOrder[] = [];
  const enteredAt = new Map<string, number>();
  const facts = (now: number) => ({ now, zone: ZONE, schedules, base });
  return {
    order(now: number, sequence: number, { target, for_s }: Extract<Act, { kind: 'order' }>) {
      const until = for_s === null ? null : now + for_s * 1000;
      orders = [...orders, { id: `o${sequence}`, at: now, sequence, target, origin: 'LOCAL', until }];
    },
    change(now: number, ruleId: string, body: ScheduleBody | null) {
      const others = schedules.filter((rule) => rule.id !== ruleId);
      const after = {
        now,
        zone: ZONE,
        schedules: body === null ? others : [...others, ruleFrom(ruleId, body, now)],
      };
      const over = new Set([
        ...endedOrders(orders, now, latestEvent(facts(now))),
        ...endedByChange(orders, now, { ...after, isApplied: false }),
      ]);
      const before = rulesBefore(facts(now), (id) => enteredAt.get(id) ?? now);
      if (!enteredAt.has(ruleId)) enteredAt.set(ruleId, now);
      base = baseAfterChange(before, after, false);
      orders = orders.filter((order) => !over.has(order));
      schedules = after.schedules;
    },
    target: (now: number) => wantedState({ ...facts(now), lockedOut: false, safety: [], orders }).target,
  };
}

function ruleFrom(ruleId: string, body: ScheduleBody, now: number): ScheduleRule {
  return {
    id: ruleId,
    action: body.action,
    start_time: Date.parse(body.start_time),
    end_time: body.end_time === null ? null : Date.parse(body.end_time),
    repeat_pattern: body.repeat_pattern,
    days_of_week: null,
    is_active: body.is_active,
    effective_from: now,
  };
}

test('the oracle and the rules of the gateway tell the same life of a control point', () => {
  fc.assert(
    fc.property(aLife, (life) => {
      const real = gateway();
      const effects: Effect[] = [];
      let now = T0;
      for (const [n, { act, after }] of life.entries()) {
        now += after * MINUTE;
        const body = act.kind === 'schedule_change' ? { schedule: act.schedule(now) } : null;
        const id = act.kind === 'order' ? 'cp-1' : act.id;
        const made = { ...anOrder({ version: n + 1 }), ...act, ...body, id, at: now };
        // the acts are writes with the fields of their kind
        effects.push({ write: made as Write, at: now, version: n + 1 });
        if (act.kind === 'order') real.order(now, n + 1, act);
        else real.change(now, act.id, body?.schedule ?? null);
        const next = life[n + 1]?.after ?? 200;
        for (let minute = 0; minute < next; minute += 1) {
          const at = now + minute * MINUTE;
          const { target } = expectedAt({ point: aPoint(), effects }, at);
          expect([n, minute, target]).toEqual([n, minute, real.target(at)]);
        }
      }
    }),
    { numRuns: 250 },
  );
});

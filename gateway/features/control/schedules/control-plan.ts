import type { ControlPlan, PlanCause, TimelineSegment } from '#contract/resources/control-points.ts';
import type { SwitchState } from '#contract/words.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { type ZoneClock, zoneClocks } from '#core/zone-clock.ts';
import { type ControlView, newerTarget, targetOf } from '../control-view.ts';
import { manualOrdersOf, ruleFactsOf } from './control-facts.ts';
import { untrustedWish } from './follow-clock-step.ts';
import type { ManualOrder } from './manual-orders.ts';
import { layOut } from './schedule-windows.ts';
import {
  rulesState,
  type SafetyDemand,
  sirenWish,
  type WantedFacts,
  type WantedState,
  type Wish,
  wantedState,
} from './wanted-state.ts';

export type PlanDeps = Pick<Kernel, 'now' | 'clockQuality'> & {
  /** What the water asks of a control point, and an alarm of a siren. */
  safetyOf: (controlPointId: string) => readonly SafetyDemand[];
  /** While the clock is not to be trusted: the last instant at which it was, ms since 1970; null: never. */
  untrustedSince: () => number | null;
  /** Hosted instance: a gateway runs the farm, and knows what the water asks; here only its rows are known. */
  isRunByGateway: (farmId: string) => boolean;
};

export type ControlPlans = {
  planOf: (view: ControlView) => ControlPlan;
  /**
   * From now on for so long, if nothing new comes but the order `asked` about; worked out while it is read. Ends early
   * after `most`.
   */
  timelineOf: (
    view: ControlView,
    span: { hours: number; most: number },
    asked?: AskedOrder | null,
  ) => Iterable<TimelineSegment>;
};

/** An order that a person thinks of giving now. `forS`: for so many seconds; null: without an end. */
export type AskedOrder = { target: SwitchState; forS: number | null; isForced: boolean };

/** What decides at one instant. */
type Moment = Pick<TimelineSegment, 'target' | 'cause' | 'schedule_id' | 'order_id'> & {
  since: number;
  /** When time alone will next change who decides; null: never, or nobody here can know. */
  nextAt: number | null;
};
/** `facts` null: nothing is known of the time ahead. */
type Outlook = Moment & { facts: WantedFacts | null; isByRow: boolean };

/** Who asks for ON may change often while the target never does: looked for so far, schedules times events. */
const MOST_LOOKED_AT = 20_000;
const MOST_STEPS = 500;
const HOUR_MS = 3_600_000;
const ASKED = 'asked';

/** What control points will do, told by the function that switches them (wanted-state.ts). */
export function createControlPlans(deps: PlanDeps): ControlPlans {
  const clockOfZone = zoneClocks();
  const known = new WeakMap<ControlView, KnownPlan>();

  function planOf(view: ControlView): ControlPlan {
    const now = deps.now();
    const safety = deps.safetyOf(view.row.id);
    // what a gateway last told of itself changes in place, and the end of a temporary order moves with the clock
    const isTimed = view.manualOrders.some(({ hold_until }) => hold_until !== null);
    const isKept = !isTimed && !deps.isRunByGateway(view.row.farm_id);
    const kept = isKept ? known.get(view) : undefined;
    const isTrusted = deps.clockQuality() === 'trusted';
    if (kept !== undefined && holds(kept, { now, safety, isTrusted })) return kept.plan;
    const outlook = outlookOf(view, now);
    const steps = Math.min(MOST_STEPS, Math.ceil(MOST_LOOKED_AT / Math.max(1, view.schedules.length)));
    const plan = asPlan(outlook, now, steps);
    if (isKept) known.set(view, { plan, safety, isTrusted, from: now, until: outlook.nextAt });
    return plan;
  }

  function outlookOf(view: ControlView, now: number, asked: AskedOrder | null = null): Outlook {
    const safety = deps.safetyOf(view.row.id);
    const alone = { facts: null, isByRow: false };
    if (view.row.is_siren) return { ...ofWish(view, sirenWish(view, safety), 'BASE'), ...alone };
    const isElsewhere = deps.isRunByGateway(view.row.farm_id);
    if (!isElsewhere && deps.clockQuality() !== 'trusted') {
      const facts = { now, safety, trustedUntil: deps.untrustedSince() ?? now };
      return { ...ofWish(view, untrustedWish(view, facts), 'FAIL_SAFE'), ...alone };
    }
    const known = factsOf(view, { now, safety, zone: clockOfZone(view.zone) });
    const orders = asked === null ? [] : [asGiven(asked, now, isElsewhere)];
    const facts = { ...known, orders: [...orders, ...known.orders] };
    const moment = asMoment(wantedState(facts), view);
    const target = (newerTarget(view) ?? targetOf(view)).target_status;
    // water that asks, or orders that are still on their way here: the gateway knows better
    const isByRow = isElsewhere && asked === null && moment.target !== target;
    return { ...moment, ...(isByRow ? byItsRow(view, target) : {}), facts, isByRow };
  }

  function* timelineOf(
    view: ControlView,
    { hours, most }: { hours: number; most: number },
    asked: AskedOrder | null = null,
  ): Iterable<TimelineSegment> {
    const now = deps.now();
    const end = now + hours * HOUR_MS;
    const outlook = outlookOf(view, now, asked);
    const { facts } = outlook;
    let moment: Moment = outlook;
    let from = now;
    let told = 0;
    for (let at = now; told < most; ) {
      const nextAt = Math.min(moment.nextAt ?? end, end);
      const next =
        nextAt < end && facts !== null ? asMoment(wantedState({ ...facts, now: nextAt }), view) : null;
      if (next === null || !isSame(moment, next)) {
        yield asSegment(moment, from, nextAt);
        told += 1;
        from = nextAt;
      }
      if (next === null || nextAt <= at) return;
      at = nextAt;
      moment = next;
    }
  }

  return { planOf, timelineOf };
}

type KnownPlan = {
  plan: ControlPlan;
  safety: readonly SafetyDemand[];
  isTrusted: boolean;
  from: number;
  until: number | null;
};

function holds(
  kept: KnownPlan,
  { now, safety, isTrusted }: { now: number; safety: readonly SafetyDemand[]; isTrusted: boolean },
): boolean {
  const isSameWater = kept.safety === safety || kept.safety.length + safety.length === 0;
  const isWithin = now >= kept.from && (kept.until === null || now < kept.until);
  return isSameWater && isWithin && kept.isTrusted === isTrusted;
}

function factsOf(
  view: ControlView,
  { now, safety, zone }: { now: number; safety: readonly SafetyDemand[]; zone: ZoneClock },
): WantedFacts {
  const { schedules, base } = ruleFactsOf(view, now);
  return {
    now,
    zone,
    base,
    schedules: layOut(schedules, zone),
    lockedOut: view.row.locked_out,
    safety,
    orders: manualOrdersOf(view, now),
  };
}

/** From afar it counts for less than what people at the farm ordered, unless it is forced. */
function asGiven({ target, forS, isForced }: AskedOrder, at: number, isFromAfar: boolean): ManualOrder {
  return {
    id: ASKED,
    at,
    sequence: Number.MAX_SAFE_INTEGER,
    target,
    origin: isFromAfar && !isForced ? 'REMOTE' : 'LOCAL',
    until: forS === null ? null : at + forS * 1_000,
  };
}

function asPlan(outlook: Outlook, now: number, steps: number): ControlPlan {
  const { facts, target, cause } = outlook;
  const change = facts === null || outlook.isByRow ? null : nextTurn(outlook, facts, steps);
  const rules = facts === null ? null : rulesState({ ...facts, now });
  const scheduled = rules === null || rules.decision === null ? null : rules.target;
  const isOrdered = cause === 'LOCAL_ORDER' || cause === 'REMOTE_ORDER';
  return {
    cause,
    since: isoOf(outlook.since),
    until: change === null ? null : isoOf(change.at),
    then: change?.target ?? null,
    scheduled,
    off_schedule: isOrdered && scheduled !== null && target !== scheduled,
  };
}

/** When the target itself changes, and to what; null: not by time alone, or not within the steps that are looked at. */
function nextTurn(
  moment: Moment,
  facts: WantedFacts,
  steps: number,
): { at: number; target: SwitchState } | null {
  let at = moment.nextAt;
  for (let step = 0; at !== null && step < steps; step += 1) {
    const wanted = wantedState({ ...facts, now: at });
    if (wanted.target !== moment.target) return { at, target: wanted.target };
    at = wanted.next_change_at;
  }
  return null;
}

function asMoment(wanted: WantedState, { row }: ControlView): Moment {
  const { target, cause, since, next_change_at: nextAt } = wanted;
  const plain = { target, since, nextAt, schedule_id: null, order_id: null };
  switch (cause.kind) {
    case 'lock_out':
      return { ...plain, cause: 'LOCK_OUT', since: Date.parse(row.lock_out_at ?? '') || since };
    case 'safety':
      return { ...plain, cause: cause.demand.kind };
    case 'order':
      return {
        ...plain,
        cause: `${cause.order.origin}_ORDER`,
        order_id: cause.order.id === ASKED ? null : cause.order.id,
      };
    case 'schedule':
      return { ...plain, cause: 'SCHEDULE', schedule_id: cause.event.schedule_id };
    case 'base':
      return { ...plain, cause: 'BASE' };
  }
}

/** Where no time is told or none counts: a siren, or a clock that is not to be trusted. */
function ofWish(view: ControlView, wish: Wish | null, otherwise: PlanCause): Moment {
  const { target_status, last_command_at } = targetOf(view);
  const { row } = view;
  const cause = row.locked_out ? 'LOCK_OUT' : (causeOfWish(wish) ?? otherwise);
  const since = (row.locked_out ? row.lock_out_at : null) ?? last_command_at ?? row.created_at;
  const target = wish?.target ?? target_status;
  return { target, cause, since: Date.parse(since), nextAt: null, schedule_id: null, order_id: null };
}

function causeOfWish(wish: Wish | null): PlanCause | null {
  const demand = wish?.details['demand'];
  if (demand === 'EMERGENCY_OXYGEN' || demand === 'SET_POINT' || demand === 'ALARM') return demand;
  if (wish?.origin === 'LOCAL') return 'LOCAL_ORDER';
  return wish?.origin === 'REMOTE' ? 'REMOTE_ORDER' : null;
}

/** What a gateway switched for reasons that are not known here. */
function byItsRow({ row }: ControlView, target: SwitchState): Omit<Moment, 'nextAt'> {
  const since = Date.parse(row.last_command_at ?? row.created_at);
  return { target, cause: causeOfRow(row), since, schedule_id: null, order_id: null };
}

function causeOfRow(row: ControlView['row']): PlanCause {
  switch (row.target_origin) {
    case 'LOCAL':
      return 'LOCAL_ORDER';
    case 'REMOTE':
      return 'REMOTE_ORDER';
    case 'SAFETY':
      if (row.locked_out) return 'LOCK_OUT';
      if (row.do_on !== null) return 'SET_POINT';
      return row.do_emergency === null ? 'FAIL_SAFE' : 'EMERGENCY_OXYGEN';
    default:
      return 'SCHEDULE';
  }
}

function isSame(a: Moment, b: Moment): boolean {
  return (
    a.target === b.target &&
    a.cause === b.cause &&
    a.schedule_id === b.schedule_id &&
    a.order_id === b.order_id
  );
}

function asSegment(moment: Moment, from: number, until: number): TimelineSegment {
  const { target, cause, schedule_id, order_id } = moment;
  return { from: isoOf(from), until: isoOf(until), target, cause, schedule_id, order_id };
}

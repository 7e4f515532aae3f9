import { controlPoint, order } from '#contract/resources/control-points.ts';
import { schedule } from '#contract/resources/schedules.ts';
import type { SwitchState } from '#contract/words.ts';
import { type Change, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { NewestMap } from '#core/newest-map.ts';
import { perform } from '#core/use-case.ts';
import { clockOf, type Zone } from '#core/zone-clock.ts';
import { type ControlView, type ControlViews, type Order, targetOf } from '../control-view.ts';
import { BELIEVED_AHEAD_MS, manualOrdersOf, ruleFactsOf, storedManualOrders } from './control-facts.ts';
import { type ManualOrder, standingOrders } from './manual-orders.ts';
import {
  compareEvents,
  lastEventAtOrBefore,
  type ScheduleEvent,
  type ScheduleRule,
} from './schedule-events.ts';
import { type OrderEnd, type SafetyDemand, strongest, type Wish, wantedState } from './wanted-state.ts';

type StampDeps = Pick<Kernel, 'now' | 'clockQuality' | 'commit' | 'pause' | 'random' | 'log'> & {
  views: ControlViews & { refresh: (id: string) => Promise<ControlView | null> };
};

type Stamps = {
  /** The clock was set by so many milliseconds; called right after. */
  follow: (steppedBy: number) => Promise<void>;
  /**
   * Looks once, at the first trusted look of a run, for what an earlier run stamped with a clock that was ahead, and
   * does what a step left undone.
   */
  look: () => Promise<void>;
};

/** By how much a stamp is to be moved; 0: it stays. */
type Shift = (stampedAt: number, id: string) => number;
type Moved = { id: string; to: string; shift: number };

/** Instants read a moment ago may lie a little ahead. */
const AHEAD_MS = 2_000;
/** Each for itself: whoever else changes a control point meanwhile makes only that one be decided again. */
const POINTS_AT_ONCE = 50;
/** Rows whose way back is known; whoever sets the clock decides how often it steps. */
const MOST_MOVED = 100_000;
/** Steps that wait while the disk takes nothing: a clock that steps every minute does so for half a day. */
const MOST_OWED = 1_000;

/**
 * Orders and schedules are compared by their times. What was given while the clock was an hour ahead lies in the future
 * once it is right again, and would keep tonight's aeration from starting until then. So it keeps its age instead: a
 * step back takes along what it left ahead, and a step forward after it (it was the step back that was wrong) brings
 * just that back. Stamps more than a day ahead count as long past anyway (control-facts).
 */
export function createStamps(deps: StampDeps): Stamps {
  /** What was moved in this run, by row: the stamp it got, and by how much. */
  const movedById = new NewestMap<string, { to: string; by: number }>(MOST_MOVED);
  let hasLooked = false;
  /** Steps that could not be followed to the end. What was moved already is not ahead any more: once more does no harm. */
  let owed: number[] = [];

  async function move(by: Shift): Promise<void> {
    const ids = [...deps.views.all()].map(({ row }) => row.id);
    let rows = 0;
    const failures: unknown[] = [];
    for (let from = 0; from < ids.length; from += POINTS_AT_ONCE) {
      const some = await Promise.allSettled(
        ids.slice(from, from + POINTS_AT_ONCE).map((id) => movePoint(id, by)),
      );
      for (const each of some) {
        if (each.status === 'fulfilled') rows += each.value;
        else failures.push(each.reason);
      }
    }
    if (rows > 0) deps.log.warn({ rows }, 'orders and schedules keep their age over a step of the clock');
    if (failures.length > 0) throw failures[0];
  }

  /** The number of rows moved. */
  async function movePoint(id: string, by: Shift): Promise<number> {
    let moved: Moved[] = [];
    let isRerun = false;
    const { committed } = await perform(deps, null, async () => {
      moved = [];
      const view = isRerun ? await deps.views.refresh(id) : deps.views.byId(id);
      isRerun = true;
      return { answer: undefined, changes: view === null ? [] : changesOf(view, by, moved) };
    });
    for (const each of moved) {
      movedById.set(each.id, { to: each.to, by: (movedById.get(each.id)?.by ?? 0) + each.shift });
    }
    return committed.rows.length;
  }

  function changesOf(view: ControlView, by: Shift, noted: Moved[]): Change[] {
    const { row } = view;
    const moved = (id: string, stamp: string) => {
      const shift = by(Date.parse(stamp), id);
      if (shift === 0) return null;
      const to = isoOf(Date.parse(stamp) + shift);
      noted.push({ id, to, shift });
      return { to, shift };
    };
    const base = moved(`base ${row.id}`, row.base_at);
    const command = row.last_command_at === null ? null : moved(`command ${row.id}`, row.last_command_at);
    const ofPoint = {
      ...(base === null ? {} : { base_at: base.to }),
      ...(command === null ? {} : { last_command_at: command.to }),
    };
    return [
      ...(base === null && command === null ? [] : [update(controlPoint, row, ofPoint)]),
      ...view.manualOrders.flatMap((given) => {
        if (given.hold_until !== null && view.endOf !== undefined) return shownAnew(view, given);
        const at = moved(given.id, given.issued_at);
        if (at === null) return [];
        const { hold_until } = given;
        const until = hold_until === null ? null : isoOf(Date.parse(hold_until) + at.shift);
        return [update(order, given, { issued_at: at.to, hold_until: until })];
      }),
      ...view.schedules.flatMap((rule) => {
        const from = moved(rule.id, rule.effective_from);
        return from === null ? [] : [update(schedule, rule, { effective_from: from.to })];
      }),
    ];
  }

  /** The end of a temporary order is counted without this clock; its row shows it by the clock as it is now. */
  function shownAnew(view: ControlView, given: Order): Change[] {
    const shown = Date.parse(given.hold_until ?? '');
    const until = view.endOf?.(given) ?? shown;
    const isOver = until <= deps.now() && shown <= deps.now();
    const shift = until - shown;
    if (isOver || Math.abs(shift) <= AHEAD_MS) return [];
    const issued_at = isoOf(Date.parse(given.issued_at) + shift);
    return [update(order, given, { issued_at, hold_until: isoOf(until) })];
  }

  const isAhead = (stampedAt: number) => {
    const aheadMs = stampedAt - deps.now();
    return aheadMs > AHEAD_MS && aheadMs <= BELIEVED_AHEAD_MS;
  };

  /** How far a step forward brings a row back that a step back had moved; it must not have changed since. */
  function backBy(steppedBy: number, id: string, stampedAt: number): number {
    const before = movedById.get(id);
    if (before === undefined || before.by >= 0 || Date.parse(before.to) !== stampedAt) return 0;
    return Math.min(steppedBy, -before.by);
  }

  /** One after the other: a step may come while the one before it is still followed. */
  let working: Promise<unknown> = Promise.resolve();
  const inTurn = (act: () => Promise<void>): Promise<void> => {
    const done = working.then(act);
    working = done;
    return done;
  };

  async function followOwed(): Promise<void> {
    // `owed` is replaced, never changed: what comes meanwhile has its own turn
    for (const steppedBy of owed) {
      // after a far step stamps count as long past; only the ends of temporary orders are shown anew
      const isFar = Math.abs(steppedBy) > BELIEVED_AHEAD_MS;
      await move((stampedAt, id) => {
        if (isFar) return 0;
        return steppedBy > 0 ? backBy(steppedBy, id, stampedAt) : isAhead(stampedAt) ? steppedBy : 0;
      });
      owed = owed.slice(1);
    }
  }

  /** True when it was done. */
  async function trying(act: () => Promise<void>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      deps.log.warn(
        { err: error },
        'orders and schedules could not follow a step of the clock; it is tried again',
      );
      return false;
    }
  }

  return {
    async follow(steppedBy) {
      owed = [...owed, steppedBy].slice(-MOST_OWED);
      await inTurn(async () => void (await trying(followOwed)));
    },
    async look() {
      if (deps.clockQuality() !== 'trusted' || (hasLooked && owed.length === 0)) return;
      await inTurn(async () => {
        if (!(await trying(followOwed)) || hasLooked) return;
        // by how much that clock was wrong nobody knows: what it stamped was given just now at the latest
        hasLooked = await trying(() =>
          move((stampedAt) => (isAhead(stampedAt) ? deps.now() - stampedAt : 0)),
        );
      });
    },
  };
}

export type MissedEvent = { event: ScheduleEvent; lateness_ms: number };

/** Most missed events told for one control point, the latest: after a clock step from 1970 there are thousands. */
export const MAX_MISSED = 50;

/**
 * What happened on one control point's schedules after the instant last looked at, up to and including now, in order:
 * for the log (`schedule_trigger`) after a stop, a power cut or a clock step, and with a lateness near zero on an
 * ordinary tick. What to do is not told here: `wantedState` at now is acted on, once. A clock set back misses nothing.
 */
export function missedEvents(
  facts: { zone: Zone; schedules: readonly ScheduleRule[] },
  sinceMs: number,
  nowMs: number,
): MissedEvent[] {
  const clock = clockOf(facts.zone);
  return facts.schedules
    .flatMap((rule) => latestEvents(rule, clock, sinceMs, nowMs))
    .sort(compareEvents)
    .slice(-MAX_MISSED)
    .map((event) => ({ event, lateness_ms: nowMs - event.at }));
}

/** Walks back from now, so that the length of the stop does not matter. */
function latestEvents(rule: ScheduleRule, zone: Zone, sinceMs: number, nowMs: number): ScheduleEvent[] {
  const events: ScheduleEvent[] = [];
  let event = lastEventAtOrBefore(rule, zone, nowMs);
  while (event !== null && event.at > sinceMs && events.length < MAX_MISSED) {
    events.push(event);
    event = lastEventAtOrBefore(rule, zone, event.at - 1);
  }
  return events;
}

/** `trustedUntil`: the last instant the rules were looked at by a trusted clock, ms since 1970. */
type UntrustedFacts = { now: number; safety: readonly SafetyDemand[]; trustedUntil: number };

/**
 * What to do while the clock is not to be trusted: no schedule can be read off it, so the control point's fail-safe
 * decides. A person's temporary order holds for what is left of it, which is counted without that clock; one without end
 * holds if it was given since then, because one from before may long be over, and nobody can tell. Oxygen knows the age of
 * what it heard since then without that clock, and what it asks for goes before the fail-safe.
 */
export function untrustedWish(view: ControlView, facts: UntrustedFacts): Wish {
  const { row } = view;
  const { now, safety } = facts;
  const reason = 'the clock is not to be trusted';
  if (row.locked_out)
    return { target: 'OFF', origin: 'SAFETY', reason: 'locked out', holdUntil: null, details: {} };
  const emergency = safety.find((demand) => demand.kind === 'EMERGENCY_OXYGEN' && demand.target === 'ON');
  if (emergency) return asDemanded(emergency);
  const holding = untrustedOrder(view, facts);
  if (holding !== null)
    return {
      target: holding.target,
      origin: holding.origin,
      reason: 'an order of a person',
      holdUntil: holding.until,
      details: {},
    };
  const setPoint = strongest(safety.filter((demand) => demand.kind === 'SET_POINT'));
  if (setPoint) return asDemanded(setPoint);
  switch (row.fail_safe) {
    case 'ON':
    case 'OFF':
      return {
        target: row.fail_safe,
        origin: 'SAFETY',
        reason,
        holdUntil: null,
        details: { fail_safe: row.fail_safe },
      };
    case 'HOLD':
      return { target: heldTarget(view, facts), origin: 'SAFETY', reason, holdUntil: null, details: {} };
    case 'SCHEDULE': {
      // asked for: the best time there is
      const wanted = wantedState({
        ...ruleFactsOf(view, now),
        lockedOut: false,
        safety,
        orders: manualOrdersOf(view, now),
      });
      return {
        target: wanted.target,
        origin: 'SCHEDULE',
        reason: `schedule by an estimated time: ${reason}`,
        holdUntil: null,
        details: {},
      };
    }
  }
}

/** As `orderEnd`, while the clock is not to be trusted. */
export function untrustedOrderEnd(view: ControlView, facts: UntrustedFacts): OrderEnd | null {
  const target = untrustedWish(view, facts).target;
  let at = decidingEnd(view, facts);
  while (at !== null) {
    const after = untrustedWish(view, { ...facts, now: at }).target;
    if (after !== target) return { at, then: after };
    const next = decidingEnd(view, { ...facts, now: at });
    at = next !== null && next > at ? next : null;
  }
  return null;
}

function decidingEnd(view: ControlView, facts: UntrustedFacts): number | null {
  const isStronger =
    view.row.locked_out ||
    facts.safety.some((demand) => demand.kind === 'EMERGENCY_OXYGEN' && demand.target === 'ON');
  return isStronger ? null : (untrustedOrder(view, facts)?.until ?? null);
}

function untrustedOrder(view: ControlView, { now, trustedUntil }: UntrustedFacts): ManualOrder | null {
  const sinceUntrusted = new Set(
    storedManualOrders(view)
      .filter(
        ({ clock_quality, issued_at }) =>
          clock_quality === 'estimated' && Date.parse(issued_at) >= trustedUntil,
      )
      .map(({ id }) => id),
  );
  const isInForce = ({ id, until }: ManualOrder) => (until === null ? sinceUntrusted.has(id) : until > now);
  return standingOrders(manualOrdersOf(view, now)).find(isInForce) ?? null;
}

/** The last trusted time is written this often at least. */
const WRITTEN_LATE_MS = 60_000;

/**
 * What HOLD holds: what the rules wanted when the clock was last trusted, never a pause or a temporary start that is over.
 * Aeration that the water asked for goes on: what was known of the water then is not known any more.
 */
function heldTarget(view: ControlView, { now, trustedUntil }: UntrustedFacts): SwitchState {
  const { target_status, target_origin } = targetOf(view);
  if (target_origin === 'SAFETY' && target_status === 'ON') return 'ON';
  const orders = manualOrdersOf(view, now).filter(({ until }) => until === null);
  // before the power went the time may have been known for longer than it was written
  const believed = Math.max(now, trustedUntil) + WRITTEN_LATE_MS;
  const known = storedManualOrders(view).flatMap(({ clock_quality, issued_at }) => {
    const at = Date.parse(issued_at);
    return clock_quality === 'trusted' && at <= believed ? [at] : [];
  });
  const facts = { ...ruleFactsOf(view, now), now: Math.max(trustedUntil, ...known) };
  return wantedState({ ...facts, lockedOut: false, safety: [], orders }).target;
}

function asDemanded({ kind, target, reason, details }: SafetyDemand): Wish {
  return { target, origin: 'SAFETY', reason, holdUntil: null, details: { demand: kind, ...details } };
}

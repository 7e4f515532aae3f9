import type { Origin, SwitchState } from '#contract/words.ts';
import type { Change, GuardSeen } from '#core/changes.ts';
import { AppError, StorageUnavailable } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import { perform } from '#core/use-case.ts';
import {
  type ControlView,
  type ControlViews,
  type OverridingReason,
  targetOf,
  type UnsavedTarget,
} from '../control-view.ts';
import { manualOrdersOf, ruleFactsOf } from './control-facts.ts';
import { type MissedEvent, missedEvents, untrustedWish } from './follow-clock-step.ts';
import { nextScheduleEvent } from './schedule-events.ts';
import { createShownReasons, overridingReason } from './schedule-rules.ts';
import { startSlots, type WantedStart } from './start-slots.ts';
import { createToldEvents } from './told-events.ts';
import { triggerAudit } from './trigger-audit.ts';
import {
  asWish,
  type SafetyDemand,
  sirenWish,
  type WantedState,
  type Wish,
  wantedState,
} from './wanted-state.ts';

export type ExecutorDeps = Kernel & {
  /** Pauses between two starts, and between two tries to save, are measured on it: no step of the clock lengthens them. */
  monotonic: () => number;
  views: ControlViews & { refresh: (id: string) => Promise<ControlView | null> };
  /** The one way a target changes; decides rows, does not write. */
  giveOrder: (
    view: ControlView,
    order: {
      target: SwitchState;
      origin: Origin;
      issuedBy: null;
      reason: string;
      holdUntil: number | null;
      details: Record<string, unknown>;
    },
  ) => { changes: Change[]; unsaved: UnsavedTarget };
  /** The rows of orders that the disk did not take when they were given. */
  saveUnsaved: (view: ControlView) => Change[];
  setUnsaved: (id: string, unsaved: UnsavedTarget | null) => void;
  sendUnsaved: (controlPointId: string) => void;
  /** What the water asks for, per control point. */
  safetyOf: (controlPointId: string) => readonly SafetyDemand[];
  startStepMs: number;
  /** Reasons over every order that an earlier run told last, as it noted them. */
  shownReasons: () => Promise<readonly { id: string; value: string }[]>;
  /**
   * Where another instance may come to run a farm: guards of an order, read before what it rests on; null: this
   * instance runs the farm no more. Absent where it always does.
   */
  permitFor?: (view: ControlView) => Promise<readonly GuardSeen[] | null>;
};

/** A tick does at most this much; what is left over is done by the next, a second later. */
const ACTIONS_PER_TICK = 100;
/** A disk that did not take an order is asked again this often. */
const SAVE_RETRY_MS = 5_000;

export type Executor = {
  /**
   * Looks at every control point and acts where the target is not what it should be. Never throws, never overlaps.
   * Answers whether it switched anything.
   */
  tick: () => Promise<boolean>;
  /** The last instant looked at while the clock was trusted; kept over a restart, so that what was missed is told. */
  lookedAt: () => number | null;
  /** What HOLD goes by: the last instant at which the clock was trusted. null: it is, or nothing was looked at yet. */
  untrustedSince: () => number | null;
};

/** What one look decided. */
type Decided = {
  /** The order to give; null: none. */
  wish: Wish | null;
  /** What goes before every order and hand now. */
  reason: OverridingReason | null;
};
type Work = Decided & { view: ControlView; missed: MissedEvent[] };
type Plan = {
  view: ControlView;
  safety: readonly SafetyDemand[];
  wanted: WantedState;
  computedAt: number;
  /** The first start or end of any schedule after it, whatever decides; null: none. */
  nextEventAt: number | null;
};

/** Drives targets by level: at any instant, after whatever stop or clock step, one look gives the one state to act on. */
export function createExecutor(deps: ExecutorDeps, startedWith: { lookedAt: number | null }): Executor {
  const plansById = new Map<string, Plan>();
  const lastStartByGroup = new Map<string, number>();
  const saveTriedAt = new Map<string, number>();
  const told = createToldEvents(deps, startedWith);
  const reasons = createShownReasons({ monotonic: deps.monotonic, stored: deps.shownReasons });
  const trust: { until: number | null } = { until: startedWith.lookedAt };
  let isTicking = false;
  const isTrusted = () => deps.clockQuality() === 'trusted';

  async function tick(): Promise<boolean> {
    if (isTicking) return false;
    isTicking = true;
    try {
      await reasons
        .load()
        .catch((error: unknown) => deps.log.warn({ err: error }, 'what was told last could not be read'));
      return await lookAtAll();
    } catch (error) {
      deps.log.error({ err: error }, 'a look at the schedules failed; the next one is in a second');
      return false;
    } finally {
      isTicking = false;
    }
  }

  async function lookAtAll(): Promise<boolean> {
    const now = deps.now();
    if (isTrusted()) trust.until = now;
    else trust.until ??= now;
    const mayTell = isTrusted() && told.mayTell();
    const acting: Work[] = [];
    const telling: Work[] = [];
    const starts: (Work & { wish: Wish })[] = [];
    const simulated: Work[] = [];
    for (const view of deps.views.all()) {
      const looked = lookAt(view, now, mayTell);
      if (looked === null) continue;
      const { wish, reason } = looked;
      const work = { ...looked, view };
      const isToNote = reasons.isOther(view.row.id, reason);
      // no motors: they wait for no start slot, and take none from a motor
      if (wish !== null && view.row.is_siren) acting.unshift(work);
      else if (wish !== null && view.row.is_simulated) simulated.push(work);
      else if (wish !== null && isStart(view, wish)) starts.push({ ...work, wish });
      else if (wish !== null || isUnsaved(view) || isToNote) acting.push(work);
      else if (looked.missed.length > 0) telling.push(work);
    }
    const due = dueStarts(starts);
    for (const start of starts) {
      // shrimp that suffocate go before everything else
      if (due.has(start.view.row.id) && isEmergency(start.wish)) acting.unshift(start);
      else if (due.has(start.view.row.id)) acting.push(start);
      else if (start.missed.length > 0) telling.push({ ...start, wish: null });
    }
    // acting first: what is only to be told may wait for the next look
    const work = [...acting, ...simulated, ...telling];
    const now1 = work.slice(0, ACTIONS_PER_TICK);
    const areStored = await Promise.all(now1.map((item) => act(item.view.row.id, item)));
    const withStory = now1.filter(({ missed }) => missed.length > 0);
    const stored = new Set(now1.filter((_item, place) => areStored[place] === true));
    if (mayTell) {
      told.keep(now, {
        told: withStory.filter((item) => stored.has(item)).map(({ view }) => view.row.id),
        refused: new Map(
          withStory.filter((item) => !stored.has(item)).map(({ view, missed }) => [view.row.id, missed]),
        ),
        isWhole: work.length <= ACTIONS_PER_TICK,
      });
    }
    for (const known of [plansById, saveTriedAt])
      for (const id of known.keys()) if (deps.views.byId(id) === null) known.delete(id);
    await forgetGone();
    return now1.some(({ wish }) => wish !== null);
  }

  /** What was noted of control points that are gone. */
  async function forgetGone(): Promise<void> {
    const gone = reasons.ids().filter((id) => deps.views.byId(id) === null);
    const changes = gone.flatMap((id) => reasons.changes(id, null));
    // what a disk does not take now goes after the next start
    for (const id of gone) reasons.record(id, null, { isStored: true });
    if (changes.length > 0) await deps.commit({ changes, actor: null });
  }

  /** null: a fault of ours. One control point must not keep the others from theirs. */
  function lookAt(view: ControlView, now: number, mayTell: boolean): Omit<Work, 'view'> | null {
    try {
      const { id } = view.row;
      const missed = mayTell
        ? [...told.refusedOf(id, now), ...eventsSince(view, told.sinceOf(id, now), now)]
        : [];
      return { missed, ...decide(view, now) };
    } catch (error) {
      deps.log.error(
        { err: error, controlPointId: view.row.id },
        'a look at one control point failed; the others go on, and the next look is in a second',
      );
      return null;
    }
  }

  /** An order where the target is to change, and where its reason is news though the target stays. */
  function decide(view: ControlView, now: number): Decided {
    const wish = view.row.is_siren
      ? sirenWish(view, deps.safetyOf(view.row.id))
      : isTrusted()
        ? trustedWish(view, now)
        : untrustedWish(view, {
            now,
            safety: deps.safetyOf(view.row.id),
            trustedUntil: trust.until ?? now,
          });
    if (wish === null) return { wish, reason: null };
    const reason = overridingReason(view, wish);
    const isOrder = wish.target !== targetOf(view).target_status || reasons.needsOrder(view, reason);
    return { wish: isOrder ? wish : null, reason };
  }

  function trustedWish(view: ControlView, now: number): Wish {
    const safety = deps.safetyOf(view.row.id);
    const plan = plansById.get(view.row.id);
    const isValid =
      plan !== undefined &&
      plan.view === view &&
      (plan.safety === safety || plan.safety.length + safety.length === 0) &&
      now >= plan.computedAt &&
      // an order for a time ends by the clock that only grows
      (plan.wanted.cause.kind !== 'order' || plan.wanted.cause.order.until === null) &&
      (plan.wanted.next_change_at === null || now < plan.wanted.next_change_at);
    if (isValid) return asWish(plan.wanted, now);
    const facts = ruleFactsOf(view, now);
    const wanted = wantedState({
      ...facts,
      lockedOut: view.row.locked_out,
      safety,
      orders: manualOrdersOf(view, now),
    });
    const nextEventAt = nextScheduleEvent(facts.schedules, facts.zone, now)?.at ?? null;
    plansById.set(view.row.id, { view, safety, wanted, computedAt: now, nextEventAt });
    return asWish(wanted, now);
  }

  function eventsSince(view: ControlView, since: number, now: number): MissedEvent[] {
    if (view.row.is_siren || view.schedules.length === 0 || now <= since) return [];
    const plan = plansById.get(view.row.id);
    const nothingDue =
      plan?.view === view &&
      plan.computedAt <= since &&
      (plan.nextEventAt === null || plan.nextEventAt > now);
    return nothingDue ? [] : missedEvents(ruleFactsOf(view, now), since, now);
  }

  function dueStarts(starts: readonly { view: ControlView; wish: Wish }[]): Set<string> {
    const now = deps.monotonic();
    const due = new Set<string>();
    // a start that lies further back holds up nobody; groups are named by people
    for (const [key, at] of lastStartByGroup) if (now - at >= deps.startStepMs) lastStartByGroup.delete(key);
    const startsByFarm = new Map<string, (typeof starts)[number][]>();
    for (const start of starts) {
      const ofFarm = startsByFarm.get(start.view.row.farm_id);
      if (ofFarm === undefined) startsByFarm.set(start.view.row.farm_id, [start]);
      else ofFarm.push(start);
    }
    for (const [farmId, ofFarm] of startsByFarm) {
      const keyOf = (group: string | null) => `${farmId} ${group ?? ''}`;
      const groups = new Set(ofFarm.map(({ view }) => view.row.start_group));
      const lastStartAtByGroup = new Map<string | null, number>();
      for (const group of groups) {
        const last = lastStartByGroup.get(keyOf(group));
        if (last !== undefined) lastStartAtByGroup.set(group, last);
      }
      const waiting = ofFarm.map(asStart);
      for (const { id, start_at } of startSlots({
        now,
        waiting,
        lastStartAtByGroup,
        stepMs: deps.startStepMs,
      })) {
        if (start_at > now) continue;
        due.add(id);
        lastStartByGroup.set(keyOf(deps.views.byId(id)?.row.start_group ?? null), start_at);
      }
    }
    return due;
  }

  /** False when it is not on disk, and is to be tried again. */
  async function act(id: string, work: Work): Promise<boolean> {
    let isRerun = false;
    let unsaved: UnsavedTarget | null = null;
    let noted: { reason: OverridingReason | null } | null = null;
    const note = (isStored: boolean) => void (noted && reasons.record(id, noted.reason, { isStored }));
    try {
      await perform(deps, null, async () => {
        const view = isRerun ? await deps.views.refresh(id) : deps.views.byId(id);
        noted = null;
        if (view === null) return { answer: undefined };
        const guards = deps.permitFor === undefined ? [] : await deps.permitFor(view);
        if (guards === null) return { answer: undefined };
        // somebody was quicker: what they did (a lock-out, an order) counts
        const { wish, reason } = isRerun && work.wish !== null ? decide(view, deps.now()) : work;
        isRerun = true;
        const given = orderFor(view, wish);
        unsaved = given?.unsaved ?? null;
        if (unsaved !== null || reasons.isOther(id, reason)) noted = { reason };
        return {
          answer: undefined,
          guards,
          changes: [
            ...(given?.changes ?? []),
            ...reasons.changes(id, reason),
            ...work.missed.map((event) => triggerAudit(deps, view, event, unsaved !== null)),
          ],
        };
      });
      note(true);
      return true;
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) {
        deps.log.error({ err: error, controlPointId: id }, 'an order of the schedule failed');
        // others who kept changing the same rows do not make the story untrue; a fault of ours would only recur
        return !(error instanceof AppError);
      }
      if (unsaved === null) return false;
      deps.setUnsaved(id, unsaved);
      deps.sendUnsaved(id);
      note(false);
      deps.log.warn(
        { controlPointId: id, reason: error.reason },
        'an order could not be saved; it was sent all the same',
      );
      return false;
    }
  }

  /** The order for a wish, or the late saving of orders that so far are only in memory. */
  function orderFor(
    view: ControlView,
    wish: Wish | null,
  ): { changes: Change[]; unsaved: UnsavedTarget | null } | null {
    if (wish !== null) return deps.giveOrder(view, { ...wish, issuedBy: null });
    const now = deps.monotonic();
    const triedAt = saveTriedAt.get(view.row.id) ?? Number.NEGATIVE_INFINITY;
    if (!isUnsaved(view) || now - triedAt < SAVE_RETRY_MS) return null;
    saveTriedAt.set(view.row.id, now);
    return { changes: deps.saveUnsaved(view), unsaved: null };
  }

  return {
    tick,
    lookedAt: told.lookedAt,
    untrustedSince: () => (isTrusted() ? null : (trust.until ?? deps.now())),
  };
}

function asStart({ view, wish }: { view: ControlView; wish: Wish }): WantedStart {
  const { id, start_group, start_order } = view.row;
  const place = isEmergency(wish) ? Number.NEGATIVE_INFINITY : start_order;
  return { id, start_group, start_order: place, power_kw: view.powerKw };
}

/** A motor that runs already takes no start slot when it is only told why. */
function isStart(view: ControlView, { target }: Wish): boolean {
  return target === 'ON' && (targetOf(view).target_status === 'OFF' || view.presence.current !== 'ON');
}

function isEmergency({ details }: Wish): boolean {
  return details['demand'] === 'EMERGENCY_OXYGEN';
}

/** Something of it waits in memory for the disk. */
const isUnsaved = ({ unsaved, unsavedLock = null }: ControlView): boolean =>
  unsaved !== null || unsavedLock !== null;

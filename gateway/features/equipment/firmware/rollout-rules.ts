import type { RolloutWait, TargetReason, TargetState } from '#contract/resources/firmware.ts';
import { timeOfDayOfWall, wallOf, type Zone } from '#core/zone-clock.ts';
import type { Rollout, Target } from './ports.ts';
import { isOver, OPEN, RESTARTING, UNDER_WAY } from './rollout-book.ts';
import { compareVersions } from './store-firmware.ts';

// Who is asked next, who may restart now, who took too long: data in, data out.

/** A controller that tells nothing of its download for so long is asked anew later. */
const DOWNLOAD_SILENT_MS = 10 * 60_000;
/** A controller that was told to install and says nothing. */
const UNANSWERED_MS = 5 * 60_000;
/** Restart, connect, prove itself, or go back: a controller that is silent longer is lost. */
const RESTART_MS = 15 * 60_000;
/** One that was called back and is there has heard so; had it begun to restart, it would have said so by then. */
const CALLED_BACK_MS = 60_000;
/** Downloads that break off are tried so often. */
export const MOST_ATTEMPTS = 3;

/** The farm as it stands at this moment. */
export type Moment = {
  nowMs: number;
  /** False: the time of day is not known, so no window is open. */
  isClockTrusted: boolean;
  zone: Zone;
  /** Active alarms during which nothing restarts, in words. */
  alarms: readonly string[];
  /** The control point; null: it is gone. */
  controller: (controlPointId: string) => Controller | null;
  /** Ponds of which another rollout restarts a controller. */
  busyPonds: ReadonlySet<string>;
  /** For how long a target stands where it is, without the time during which the gateway could hear nobody. */
  standsForMs: (target: Target) => number;
  /** The same, or since its controller last told of its download. */
  silentForMs: (target: Target) => number;
  /** For how long a target stands where it is, whatever the clock did meanwhile. */
  ageMs: (target: Target) => number;
};
export type Controller = { isConnected: boolean; version: string | null; ponds: readonly string[] };

export type TargetChange = {
  target: Target;
  set: { state: TargetState; reason?: TargetReason | null; wave?: number | null; attempt?: number };
};
export type RolloutStep = {
  changes: TargetChange[];
  state: 'done' | 'stopped' | null;
  wait: RolloutWait | null;
};

/** One look at a rollout that is not over. */
export function nextStep(rollout: Rollout, targets: readonly Target[], moment: Moment): RolloutStep {
  const late = targets.flatMap((target) => overdue(rollout, target, moment));
  if (late.length > 0) return { changes: late, state: null, wait: null };
  if (isOver(rollout)) return nothing(null);
  if (failuresAmong(targets) > rollout.max_failures) {
    return { changes: withdrawn(targets, 'ROLLOUT_STOPPED'), state: 'stopped', wait: null };
  }
  if (!targets.some(({ state }) => OPEN.includes(state))) return { changes: [], state: 'done', wait: null };
  const held = heldBack(rollout, moment);
  if (rollout.state === 'paused' || held !== null) {
    // a restart that has not begun does not begin during an alarm, nor at night
    const back = targets.filter(({ state }) => state === 'approved');
    return {
      changes: back.map((target) => ({ target, set: { state: 'ready' } })),
      state: null,
      wait: rollout.state === 'paused' ? null : held,
    };
  }
  const underWay = targets.filter(({ state }) => UNDER_WAY.includes(state));
  if (underWay.length > 0) return approve(underWay, moment);
  return nextWave(rollout, targets, moment);
}

/** Controllers that did not take it. */
export function failuresAmong(targets: readonly Pick<Target, 'state'>[]): number {
  return targets.filter(({ state }) => state === 'failed' || state === 'rolled_back').length;
}

/**
 * Ends what has not begun to restart. A controller that was allowed to is called back, and counts as restarting until it
 * is known that it does not.
 */
export function withdrawn(targets: readonly Target[], reason: TargetReason): TargetChange[] {
  return targets
    .filter(({ state }) => OPEN.includes(state) && state !== 'installing' && state !== 'confirming')
    .map((target) => ({
      target,
      set: { state: target.state === 'approved' ? 'approved' : 'cancelled', reason },
    }));
}

/**
 * The controller stops its motor for the restart, or may: one that went away while it was ready may have been allowed to,
 * and that taken back too late.
 */
export function mayRestart({ state }: Target, controller: Controller | null): boolean {
  return RESTARTING.includes(state) || (state === 'ready' && controller?.isConnected === false);
}

const nothing = (wait: RolloutWait | null): RolloutStep => ({ changes: [], state: null, wait });

function overdue(rollout: Rollout, target: Target, moment: Moment): TargetChange[] {
  const { state, attempt } = target;
  if (!OPEN.includes(state)) return [];
  const controller = moment.controller(target.control_point_id);
  const forMs = moment.standsForMs(target);
  const change = (set: TargetChange['set']) => [{ target, set }];
  if (controller === null) return change({ state: 'cancelled', reason: 'REMOVED' });
  switch (state) {
    case 'offered':
    case 'downloading':
      if (moment.silentForMs(target) < DOWNLOAD_SILENT_MS) return [];
      return attempt >= MOST_ATTEMPTS
        ? change({ state: 'failed', reason: 'DOWNLOAD_FAILED' })
        : change({ state: 'waiting', reason: 'DOWNLOAD_FAILED', wave: null, attempt: attempt + 1 });
    case 'ready':
      // the others are not kept waiting for it; it has its turn again once it is back
      return controller.isConnected || forMs < RESTART_MS ? [] : change({ state: 'waiting', wave: null });
    case 'approved':
      if (isOver(rollout) && controller.isConnected)
        return forMs < CALLED_BACK_MS ? [] : change({ state: 'cancelled', reason: target.reason });
      // one that went away may be restarting: its word of that may have got lost
      return forMs < (controller.isConnected ? UNANSWERED_MS : RESTART_MS)
        ? []
        : change({ state: 'failed', reason: 'LOST' });
    case 'installing':
    case 'confirming':
      return forMs < RESTART_MS ? [] : change({ state: 'failed', reason: 'LOST' });
    default:
      return [];
  }
}

/** Why nothing may begin or restart on the whole farm now; null: nothing stands against it. */
function heldBack(rollout: Rollout, moment: Moment): RolloutWait | null {
  if (moment.alarms.length > 0) return 'OXYGEN_ALARM';
  const { window_from: from, window_to: to } = rollout;
  if (from === null || to === null) return null;
  if (!moment.isClockTrusted) return 'CLOCK_UNTRUSTED';
  return isWithin(timeOfDayOfWall(wallOf(moment.zone, moment.nowMs)), from, to) ? null : 'OUTSIDE_WINDOW';
}

/** A window may lie over midnight; one that ends when it begins is the whole day. */
function isWithin(timeOfDayMs: number, from: string, to: string): boolean {
  const [begin, end] = [msOf(from), msOf(to)];
  if (begin === end) return true;
  return begin < end ? timeOfDayMs >= begin && timeOfDayMs < end : timeOfDayMs >= begin || timeOfDayMs < end;
}

function msOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return (hours * 60 + minutes) * 60_000;
}

/** Lets those restart that have fetched and checked it, never two of one pond. */
function approve(underWay: readonly Target[], moment: Moment): RolloutStep {
  const busy = new Set(moment.busyPonds);
  for (const target of underWay) {
    const controller = moment.controller(target.control_point_id);
    if (mayRestart(target, controller)) addPonds(busy, controller);
  }
  const changes: TargetChange[] = [];
  const isAnyThere = underWay.some((one) => moment.controller(one.control_point_id)?.isConnected === true);
  let wait: RolloutWait = isAnyThere ? 'WAVE_RUNNING' : 'NOBODY_CONNECTED';
  for (const target of underWay) {
    const controller = moment.controller(target.control_point_id);
    if (target.state !== 'ready' || controller === null || !controller.isConnected) continue;
    if (controller.ponds.some((pond) => busy.has(pond))) {
      wait = 'POND_BUSY';
      continue;
    }
    addPonds(busy, controller);
    changes.push({ target, set: { state: 'approved' } });
  }
  return { changes, state: null, wait };
}

function addPonds(busy: Set<string>, controller: Controller | null): void {
  for (const pond of controller?.ponds ?? []) busy.add(pond);
}

/** The next wave, of those who can now: the canaries until one of them runs it, then as many as a wave takes. */
function nextWave(rollout: Rollout, targets: readonly Target[], moment: Moment): RolloutStep {
  const waiting = targets.filter(({ state }) => state === 'waiting').sort((a, b) => a.place - b.place);
  const skipped = waiting.flatMap((target) => needless(rollout, target, moment));
  if (skipped.length > 0) return { changes: skipped, state: null, wait: null };
  const asked = targets.filter(({ wave }) => wave !== null);
  if (asked.some((target) => moment.ageMs(target) < rollout.soak_s * 1000)) return nothing('SOAKING');
  const size = targets.some(({ state }) => state === 'done') ? rollout.wave_size : rollout.canary_size;
  const wave = Math.max(-1, ...asked.map((target) => target.wave ?? -1)) + 1;
  const busy = new Set(moment.busyPonds);
  const chosen: TargetChange[] = [];
  let wait: RolloutWait = 'NOBODY_CONNECTED';
  for (const target of waiting) {
    const controller = moment.controller(target.control_point_id);
    if (chosen.length === size) break;
    if (!controller?.isConnected) continue;
    if (controller.ponds.some((pond) => busy.has(pond))) {
      wait = 'POND_BUSY';
      continue;
    }
    addPonds(busy, controller);
    chosen.push({ target, set: { state: 'offered', wave, reason: null } });
  }
  return { changes: chosen, state: null, wait: chosen.length > 0 ? 'WAVE_RUNNING' : wait };
}

function needless(rollout: Rollout, target: Target, moment: Moment): TargetChange[] {
  const runs = moment.controller(target.control_point_id)?.version ?? null;
  if (runs === null) return [];
  if (runs === rollout.version) {
    return [{ target, set: { state: 'skipped', reason: 'ALREADY_RUNS_IT' } }];
  }
  const isNewer = (compareVersions(runs, rollout.version) ?? 0) > 0;
  return isNewer && !rollout.allow_older ? [{ target, set: { state: 'skipped', reason: 'RUNS_NEWER' } }] : [];
}

import type { ReportSource, SwitchState } from '#contract/words.ts';

// What a controller showed of itself in the last quarter of an hour, as far as it tells whether it works steadily. Kept
// beside its presence, because a state that is looked at every few seconds shows neither how often it changed nor who
// else spoke in between. Instants are ms on the monotonic clock.

/** How far back it is remembered. */
export const ACTIVITY_MS = 15 * 60_000;
/** Most instants kept of a kind: some ten a minute, far beyond what is unsteady. */
const MOST_KEPT = 150;
/** Two boards that restart now and then are still told apart. */
const MOST_BOARDS = 4;
/** When a board started is known no better than this: a message may be a minute on its way. */
const SAME_BOOT_MS = 60_000;
/** A board that started after its last report says so by more than what rounding makes of it. */
const ROUNDING_MS = 2_000;
/** A promised time that moves by less is the same promise, counted anew. */
const SAME_PROMISE_MS = 5_000;

export type StateChange = { at: number; to: SwitchState; source: ReportSource | null };

/** It said that it will carry a level out later. */
export type Deferral = {
  at: number;
  /** When, by its word; null: it did not say. */
  until: number | null;
  /** The promise it is held to: small steps of later words do not carry it away. */
  heldTo: number | null;
};

/** It said that it will not. */
export type Refusal = { at: number; epoch: string; version: number; reason: string | null };

/** A start of a board, by its own word. */
type Boot = {
  id: string | null;
  /** How long it had been running when it last said so; null: it never did. */
  uptime: { seconds: number; at: number; bootedAt: number } | null;
};

export type DeviceActivity = {
  /** Changes of the reported state, oldest first; the others likewise. */
  changes: readonly StateChange[];
  restarts: readonly number[];
  /** Reports of a start that another had followed already: two boards use one identity. */
  returns: readonly number[];
  /** Deferrals that moved the time they had promised before. */
  postponements: readonly number[];
  /** Connections that broke. */
  losses: readonly number[];
  /** The last word on a level, where that was not that it is applied. */
  deferral: Deferral | null;
  refusal: Refusal | null;
  /** Starts heard of, the one that spoke last first. */
  boots: readonly Boot[];
};

export const NO_ACTIVITY: DeviceActivity = {
  changes: [],
  restarts: [],
  returns: [],
  postponements: [],
  losses: [],
  deferral: null,
  refusal: null,
  boots: [],
};

/** After a report of its state. `before`: the state as it was known until then. */
export function afterState(
  activity: DeviceActivity,
  before: SwitchState | null,
  { at, to, source }: StateChange,
): DeviceActivity {
  if (before === null || before === to) return activity;
  return { ...activity, changes: kept([...activity.changes, { at, to, source }], at, (change) => change.at) };
}

/** After a report that names the start of its board, by an id, by how long it has been running, or by both. */
export function afterBoot(
  activity: DeviceActivity,
  said: { at: number; bootId: string | undefined; uptimeS: number | undefined },
): DeviceActivity {
  const { at, uptimeS } = said;
  const [latest = null] = activity.boots;
  const uptime = uptimeS === undefined ? null : { seconds: uptimeS, at, bootedAt: at - uptimeS * 1000 };
  // what a relay said of its running time long ago comes again with each of its states
  const isNews = uptime !== null && uptime.seconds !== latest?.uptime?.seconds;
  const now: Boot = { id: said.bootId ?? null, uptime: isNews ? uptime : null };
  if (now.id === null && now.uptime === null) return activity;
  const known = activity.boots.find((boot) => runsOn(boot, now) === true) ?? null;
  const goesOn = known ?? (latest !== null && runsOn(latest, now) === null ? latest : null);
  const boots = [
    goesOn === null ? now : merged(goesOn, now),
    ...activity.boots.filter((other) => other !== goesOn),
  ].slice(0, MOST_BOARDS);
  if (latest === null || goesOn === latest) return { ...activity, boots };
  if (goesOn !== null) return { ...activity, boots, returns: noted(activity.returns, at) };
  // one that was running while another spoke is another board, and the first of its reports tells nothing more
  return hasStartedSince(latest, now)
    ? { ...activity, boots, restarts: noted(activity.restarts, at) }
    : { ...activity, boots };
}

/** After its answer to a level. */
export function afterAnswer(
  activity: DeviceActivity,
  said: {
    at: number;
    ack: 'applied' | 'deferred' | 'refused' | 'stale';
    untilMs: number | undefined;
    epoch: string;
    version: number;
    reason: string | undefined;
  },
): DeviceActivity {
  const { at, ack, epoch, version } = said;
  switch (ack) {
    case 'deferred': {
      const until = said.untilMs === undefined ? null : at + said.untilMs;
      const promise = promiseOf(activity);
      const isMoved = promise !== null && until !== null && until > promise + SAME_PROMISE_MS;
      const postponements = isMoved ? noted(activity.postponements, at) : activity.postponements;
      const heldTo = isMoved ? until : (promise ?? until);
      return { ...activity, deferral: { at, until, heldTo }, refusal: null, postponements };
    }
    case 'refused':
      return { ...activity, deferral: null, refusal: { at, epoch, version, reason: said.reason ?? null } };
    case 'applied':
      return { ...activity, deferral: null, refusal: null };
    // of a level that another had overtaken: it tells nothing of that other one
    case 'stale':
      return activity;
  }
}

export function afterLoss(activity: DeviceActivity, at: number): DeviceActivity {
  return { ...activity, losses: noted(activity.losses, at) };
}

/** The latest of all that was counted; null: nothing was. */
export function latestEvent({ restarts, returns, postponements, losses }: DeviceActivity): number | null {
  const last = [restarts, returns, postponements, losses].flatMap((instants) => instants.at(-1) ?? []);
  return last.length === 0 ? null : Math.max(...last);
}

/** Whether a board goes on running by what it says now; null: nobody can tell. */
function runsOn(boot: Boot, now: Boot): boolean | null {
  const isNamed = boot.id !== null && now.id !== null;
  if (isNamed && boot.id !== now.id) return false;
  if (boot.uptime === null || now.uptime === null) return isNamed ? true : null;
  const { seconds, bootedAt, at } = boot.uptime;
  if (now.uptime.seconds < seconds || now.uptime.bootedAt < bootedAt - SAME_BOOT_MS) return false;
  // a message may have been long on its way, but not since before the one that came last
  return isNamed || now.uptime.bootedAt <= at + ROUNDING_MS;
}

function merged(boot: Boot, now: Boot): Boot {
  const bootedAt = Math.min(
    boot.uptime?.bootedAt ?? Number.POSITIVE_INFINITY,
    now.uptime?.bootedAt ?? Number.POSITIVE_INFINITY,
  );
  return {
    id: now.id ?? boot.id,
    uptime: now.uptime === null ? boot.uptime : { ...now.uptime, bootedAt },
  };
}

/** Whether this start can have followed that one, on the same board. */
function hasStartedSince(boot: Boot, now: Boot): boolean {
  if (boot.uptime === null || now.uptime === null) return true;
  return now.uptime.bootedAt > boot.uptime.at - ROUNDING_MS;
}

/** What it promised before and is still bound by; null: nothing. */
function promiseOf({ deferral, changes, restarts }: DeviceActivity): number | null {
  if (deferral === null) return null;
  // a stop, a start or a restart begins another rest
  const began = Math.max(changes.at(-1)?.at ?? 0, restarts.at(-1) ?? 0);
  return began <= deferral.at ? deferral.heldTo : null;
}

function noted(instants: readonly number[], at: number): readonly number[] {
  return kept([...instants, at], at, (instant) => instant);
}

function kept<Event>(events: readonly Event[], now: number, atOf: (event: Event) => number): Event[] {
  return events.filter((event) => now - atOf(event) <= ACTIVITY_MS).slice(-MOST_KEPT);
}

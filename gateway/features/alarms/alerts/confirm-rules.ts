import type { ReportSource, SwitchState } from '#contract/words.ts';
import type { Clock, DeviceFacts } from './ports.ts';

// Whether a control point is what it is wanted to be, judged over a window: all the time counts in which it is not,
// however often it comes back in between, and whoever keeps it from it. Instants are monotonic ms.

/** An order is confirmed within this long: a push and its answer, or two polls and a half. */
const CONFIRM_MS = { mqtt: 15_000, http: 75_000 } as const;
/** The window in which that time is added up. */
export const CONFIRM_WINDOW_MS = 15 * 60_000;
/** Time is added up in slices of this length. */
const SLICE_MS = 10_000;
/** What a controller may be late with beyond its own minimum times and its start slot. */
const DEFERRAL_SLACK_MS = 10_000;
/** Who fell out more than once is well when nothing happened for this long. */
export const CALM_MS = 3 * 60_000;
/** A look that comes later than this was late by our own fault; what lies between is nobody's. */
const LATE_LOOK_MS = 5_000;
/** As many budgets as fit into either time to confirm. */
const BUDGET = CONFIRM_MS.http;
const COST = { slow: 1, fast: BUDGET / CONFIRM_MS.mqtt } as const;

/** What is remembered of a control point between two looks. */
export type Confirmation = {
  target: SwitchState;
  current: SwitchState | null;
  lookedAt: number;
  /** Since when it is as wanted; null: it is not. */
  metSince: number | null;
  /** It has been as wanted since it is wanted so. */
  hasBeenMet: boolean;
  /** What it last did as it was ordered to: its own rest begins there. */
  obeyed: { at: number; to: SwitchState } | null;
  missed: Readonly<Record<SwitchState, Missed>>;
};

/** Of one wanted state. */
type Missed = {
  /** How much of the budget was used, by slices, oldest first. */
  slices: readonly { at: number; used: number }[];
  /** How long its own deferrals were waited for, likewise. */
  waits: readonly { at: number; used: number }[];
  /** Until when it said first that it would wait; null: it did not. */
  promisedUntil: number | null;
  promisedAt: number;
  /** When it fell out of what it had been already. */
  fallOuts: readonly FallOut[];
  /** `currentSince` when the trouble began that goes on: names it, however often the state changes in it. */
  since: number | null;
};

export type FallOut = { at: number; isByHand: boolean };

const NOTHING: Missed = {
  slices: [],
  waits: [],
  promisedUntil: null,
  promisedAt: 0,
  fallOuts: [],
  since: null,
};

/** What is remembered after this look. `isExcused`: something else explains it, and its time begins anew after that. */
export function confirmationAfter(
  before: Confirmation | undefined,
  device: DeviceFacts,
  { clock, isExcused }: { clock: Clock; isExcused: boolean },
): Confirmation {
  const { target, current } = device;
  const now = clock.monotonic;
  const last = before ?? firstLook(device, now);
  const isSame = last.target === target;
  const missed = { ...last.missed };
  // who was as wanted when something else was wanted of it has a clean slate
  if (!isSame && last.metSince !== null) missed[last.target] = NOTHING;
  const course = isSame && !isExcused ? courseSince(last, device, now) : [];
  const windowed = isExcused ? NOTHING : withPromise(withinWindow(missed[target], now), device, now);
  const timed = missingIn(course, device, now).reduce(
    (sum, stretch) => withStretch(sum, stretch, device, last),
    windowed,
  );
  const falls = fallsIn(course, last, target);
  const fallOuts = [...timed.fallOuts, ...falls];
  const metSince = isMissing(device)
    ? null
    : (metIn(course, target) ?? (isSame ? last.metSince : null) ?? now);
  const isNew = !isSame || isExcused || before === undefined || isConfirmed(last, now);
  missed[target] = {
    ...timed,
    fallOuts,
    promisedUntil: metSince === null ? timed.promisedUntil : null,
    since: isNew && (metSince === null || falls.length > 0) ? device.currentSince : timed.since,
  };
  return {
    target,
    current,
    lookedAt: now,
    metSince,
    hasBeenMet: metSince !== null || (isSame && last.hasBeenMet) || fallOuts.length > 0,
    obeyed: obeyedAfter(last, device),
    missed,
  };
}

/** After a time in which nobody listened: what is counted goes on from now. */
export function resumedConfirmation(before: Confirmation, now: number): Confirmation {
  return { ...before, lookedAt: now };
}

/** True when it was not as wanted for too long, of the last quarter of an hour. */
export function isUnconfirmed({ target, missed }: Confirmation): boolean {
  return sumOf(missed[target].slices) > BUDGET;
}

/** True when it is as wanted, and did not fall out again and again a moment ago. */
export function isConfirmed({ target, metSince, missed }: Confirmation, now: number): boolean {
  if (metSince === null) return false;
  return missed[target].fallOuts.length <= 1 || now - metSince >= CALM_MS;
}

/** When the state changed last before the trouble that goes on, by the instance's clock; it names the alert. */
export function troubleSince({ target, missed }: Confirmation): number | null {
  return missed[target].since;
}

export function confirmWithinMs({ via, isOnline }: Pick<DeviceFacts, 'via' | 'isOnline'>): number {
  return via === 'mqtt' && isOnline ? CONFIRM_MS.mqtt : CONFIRM_MS.http;
}

/** How long it may put a level off by what its settings allow. */
export function longestDeferralMs({ target, limits }: Pick<DeviceFacts, 'target' | 'limits'>): number {
  const { minOnMs, minOffMs, startDelayMs } = limits;
  return (target === 'ON' ? minOffMs + startDelayMs : minOnMs) + DEFERRAL_SLACK_MS;
}

export type WhyUnconfirmed = 'refused' | 'never_seen' | 'absent' | 'deferred' | 'fell_out' | 'unconfirmed';

/** Why it is not as wanted, by its true name. */
export function whyUnconfirmed(memory: Confirmation, device: DeviceFacts): WhyUnconfirmed {
  if (isRefused(device)) return 'refused';
  if (device.current === null) return 'never_seen';
  if (!device.isOnline) return 'absent';
  if (device.activity.deferral !== null) return 'deferred';
  return memory.hasBeenMet || device.orderState === 'applied' ? 'fell_out' : 'unconfirmed';
}

/** True when the controller said of this very level that it will not follow it. */
export function isRefused({ target, current, epoch, version, activity }: DeviceFacts): boolean {
  const { refusal } = activity;
  return current !== target && refusal !== null && refusal.version === version && refusal.epoch === epoch;
}

/**
 * Whether it is not as it is wanted. One that never reported misses nothing while nobody has asked for anything: a
 * control point may be entered long before its controller hangs on the wall.
 */
function isMissing(device: DeviceFacts): boolean {
  const { current, target, orderedBy, wasOrdered, hasKey, isStocked } = device;
  if (current !== null) return current !== target;
  const isOfPerson = wasOrdered && (orderedBy === 'LOCAL' || orderedBy === 'REMOTE');
  if (target === 'OFF') return isOfPerson;
  return isOfPerson || orderedBy === 'SAFETY' || hasKey || isStocked;
}

function firstLook(device: DeviceFacts, now: number): Confirmation {
  const { target, current } = device;
  return {
    target,
    current,
    lookedAt: now,
    metSince: isMissing(device) ? null : now,
    hasBeenMet: false,
    obeyed: null,
    missed: { ON: NOTHING, OFF: NOTHING },
  };
}

type State = { at: number; to: SwitchState | null; source: ReportSource | null };
type Stretch = { from: number; to: number };

/** The states between two looks, by what it reported; the first is the one it had. */
function courseSince(last: Confirmation, { current, activity }: DeviceFacts, now: number): State[] {
  const from = Math.max(last.lookedAt, now - LATE_LOOK_MS);
  const since = activity.changes.filter(({ at }) => at >= last.lookedAt && at <= now);
  const to = since.findLast(({ at }) => at <= from)?.to ?? last.current;
  const course: State[] = [{ at: from, to, source: null }, ...since.filter(({ at }) => at > from)];
  // what another process heard comes without its instant
  return course.at(-1)?.to === current ? course : [...course, { at: now, to: current, source: null }];
}

/** Where it was not as wanted. */
function missingIn(course: readonly State[], device: DeviceFacts, now: number): Stretch[] {
  return course.flatMap(({ at, to }, place) => {
    const isMet = !isMissing({ ...device, current: to });
    const end = course[place + 1]?.at ?? now;
    return isMet || end <= at ? [] : [{ from: at, to: end }];
  });
}

/** When it fell out of what it had been already. */
function fallsIn(
  course: readonly State[],
  last: Pick<Confirmation, 'current'>,
  target: SwitchState,
): FallOut[] {
  return course.flatMap(({ at, to, source }, place) => {
    const before = place === 0 ? last.current : (course[place - 1]?.to ?? null);
    return before === target && to !== target ? [{ at, isByHand: source === 'manual' }] : [];
  });
}

/** When it last came to be as wanted; null: it was all the time, or is not. */
function metIn(course: readonly State[], target: SwitchState): number | null {
  const place = course.findLastIndex(({ to }) => to !== target);
  return place === -1 ? null : (course[place + 1]?.at ?? null);
}

/** What its own rest and slot explain is waited for, as long as its settings allow; the rest uses up the budget. */
function withStretch(
  missed: Missed,
  { from, to }: Stretch,
  device: DeviceFacts,
  { obeyed }: Pick<Confirmation, 'obeyed'>,
): Missed {
  const leftMs = Math.max(0, longestDeferralMs(device) - sumOf(missed.waits));
  const waitsUntil = Math.min(from + leftMs, waitingUntil(missed, device, obeyed));
  const waited = Math.max(0, Math.min(to, waitsUntil) - from);
  const counted = to - from - waited;
  const cost = device.via === 'mqtt' && device.isOnline ? COST.fast : COST.slow;
  return {
    ...missed,
    waits: added(missed.waits, from, waited),
    slices: added(missed.slices, to - counted, counted * cost),
  };
}

/** Until when it is not expected to follow. */
function waitingUntil(missed: Missed, device: DeviceFacts, obeyed: Confirmation['obeyed']): number {
  if (device.activity.deferral !== null && missed.promisedUntil !== null)
    return missed.promisedUntil + DEFERRAL_SLACK_MS;
  // over HTTP nobody says that a motor rests: what stopped or started by order just now does
  if (device.via !== 'http' || obeyed === null || obeyed.to === device.target)
    return Number.NEGATIVE_INFINITY;
  return obeyed.at + (device.target === 'ON' ? device.limits.minOffMs : device.limits.minOnMs);
}

/** The first word counts: a promise that is put off again is broken. A restart begins another rest. */
function withPromise(missed: Missed, { activity }: DeviceFacts, now: number): Missed {
  const { deferral, restarts } = activity;
  if (deferral === null) return missed.promisedUntil === null ? missed : { ...missed, promisedUntil: null };
  const hasRestarted = (restarts.at(-1) ?? Number.NEGATIVE_INFINITY) > missed.promisedAt;
  if (missed.promisedUntil !== null && !hasRestarted) return missed;
  return { ...missed, promisedUntil: deferral.until ?? Number.POSITIVE_INFINITY, promisedAt: now };
}

function obeyedAfter(last: Confirmation, { target, current, activity }: DeviceFacts): Confirmation['obeyed'] {
  if (current === null || current !== target || last.current === current) return last.obeyed;
  return { at: activity.changes.at(-1)?.at ?? last.lookedAt, to: current };
}

type Slices = Missed['slices'];

function added(slices: Slices, at: number, used: number): Slices {
  if (used <= 0) return slices;
  const last = slices.at(-1);
  if (last === undefined || at - last.at >= SLICE_MS) return [...slices, { at, used }];
  return [...slices.slice(0, -1), { at: last.at, used: last.used + used }];
}

function withinWindow(missed: Missed, now: number): Missed {
  if (missed === NOTHING) return missed;
  const isRecent = (at: number) => now - at <= CONFIRM_WINDOW_MS;
  return {
    ...missed,
    slices: missed.slices.filter(({ at }) => isRecent(at)),
    waits: missed.waits.filter(({ at }) => isRecent(at)),
    fallOuts: missed.fallOuts.filter(({ at }) => isRecent(at)),
  };
}

const sumOf = (slices: Slices): number => slices.reduce((sum, { used }) => sum + used, 0);

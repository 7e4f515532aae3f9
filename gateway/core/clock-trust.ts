import { isoOf } from './kernel.ts';

// A box without a battery clock starts in the past after a power cut, and a clock may step while it runs. Schedules are
// read off the clock, so the program knows whether to trust it. Time itself is wall time corrected by what is known to
// be wrong with it; between looks it follows the monotonic clock.

/** What speaks for the machine's clock. null: nothing is known. */
export type ClockEvidence = {
  /** The machine says that its clock is synchronised over the network. */
  isSynchronised: boolean | null;
  /** A clock with a battery. */
  hasBatteryClock: boolean | null;
  /** When the machine was asked, ms on the monotonic clock; absent: just now. */
  askedAt?: number;
};

export type ClockPolicy = {
  mode: 'auto' | 'yes' | 'no';
  /** No clock before the program was written is right. */
  notBefore: number;
};

export type ClockState = {
  trust: 'trusted' | 'untrusted';
  /** Why, for the operator. */
  reason:
    | 'synchronised'
    | 'battery_clock'
    | 'plausible'
    | 'configured'
    | 'before_last_known_time'
    | 'not_synchronised'
    | 'stepped'
    | 'set_by_operator'
    | 'hosted_time';
  /** Added to the wall clock, ms: not 0 while the wall clock is known to be wrong. */
  correction: number;
  /** Last look: wall and monotonic. */
  wall: number;
  monotonic: number;
};

type ClockChange = { state: ClockState; steppedBy: number };

/** A presence flush apart, and the shutdown of a machine: a wall this much behind the floor is the same time. */
const FLOOR_TOLERANCE_MS = 2 * 60_000;
/** Wall and monotonic clock drift apart by less than this between two looks, a second apart. */
export const STEP_MS = 2_000;
const FAR_STEP_MS = 24 * 3_600_000;
/** A person reads the time off a watch. */
const SET_BY_HAND_MS = 10 * 60_000;
/** A signed answer may have been that long on its way. */
const HOSTED_MS = 10_000;

/** Judges the clock at the start of the program. `floor` is the last time known to be good, of an earlier run. */
export function startClock(
  policy: ClockPolicy,
  look: { wall: number; monotonic: number },
  floor: number | null,
  evidence: ClockEvidence,
): ClockState {
  const least = Math.max(policy.notBefore, floor === null ? 0 : floor - FLOOR_TOLERANCE_MS);
  if (look.wall < least && policy.mode !== 'yes') {
    return {
      ...look,
      trust: 'untrusted',
      reason: 'before_last_known_time',
      correction: Math.max(floor ?? 0, policy.notBefore) - look.wall,
    };
  }
  return { ...look, ...judge(policy, evidence), correction: 0 };
}

function judge(policy: ClockPolicy, evidence: ClockEvidence): Pick<ClockState, 'trust' | 'reason'> {
  if (policy.mode !== 'auto')
    return { trust: policy.mode === 'yes' ? 'trusted' : 'untrusted', reason: 'configured' };
  if (evidence.isSynchronised === true) return { trust: 'trusted', reason: 'synchronised' };
  if (evidence.hasBatteryClock === true) return { trust: 'trusted', reason: 'battery_clock' };
  if (evidence.isSynchronised === false && evidence.hasBatteryClock === false) {
    return { trust: 'untrusted', reason: 'not_synchronised' };
  }
  return { trust: 'trusted', reason: 'plausible' };
}

/**
 * Looks at the clock again. A step of the wall clock is followed when the machine is synchronised, or when nothing
 * speaks against it and it is less than a day; a longer one forward that nobody confirms is not believed: time goes on by
 * the monotonic clock and is no longer trusted. A wall clock that comes to the time shown, after a step that was not
 * believed or after a person set the time, is right again.
 */
export function lookAtClock(
  policy: ClockPolicy,
  state: ClockState,
  look: { wall: number; monotonic: number },
  evidence: ClockEvidence,
): ClockChange {
  const elapsed = look.monotonic - state.monotonic;
  const steppedBy = look.wall - state.wall - elapsed;
  const isStep = Math.abs(steppedBy) > STEP_MS;
  const shown = state.wall + state.correction + elapsed;
  if (evidence.isSynchronised === true && look.wall >= policy.notBefore) {
    const jump = look.wall - shown;
    const judged = judge(policy, evidence);
    return { state: { ...look, ...judged, correction: 0 }, steppedBy: Math.abs(jump) > STEP_MS ? jump : 0 };
  }
  if (!isStep) return { state: { ...state, ...look }, steppedBy: 0 };
  // the clock of the machine was set after a start in the past: it is judged as it would be at a start now
  const isSet = state.reason === 'before_last_known_time' && look.wall >= shown - FLOOR_TOLERANCE_MS;
  if (isSet && look.wall >= policy.notBefore)
    return { state: { ...look, ...judge(policy, evidence), correction: 0 }, steppedBy: look.wall - shown };
  if (look.wall >= policy.notBefore && Math.abs(look.wall - shown) <= reachOf(state)) {
    const judged = state.trust === 'trusted' ? {} : judge(policy, evidence);
    return { state: { ...state, ...look, ...judged, correction: 0 }, steppedBy: look.wall - shown };
  }
  const isBelievable =
    look.wall >= policy.notBefore && Math.abs(steppedBy) < FAR_STEP_MS && evidence.isSynchronised !== false;
  if (policy.mode === 'yes' || (isBelievable && state.trust === 'trusted')) {
    return { state: { ...state, ...look, correction: 0 }, steppedBy: look.wall - shown };
  }
  return {
    state: {
      ...look,
      trust: 'untrusted',
      reason: state.trust === 'untrusted' ? state.reason : 'stepped',
      correction: shown - look.wall,
    },
    steppedBy: 0,
  };
}

function reachOf({ reason }: ClockState): number {
  if (reason === 'set_by_operator') return SET_BY_HAND_MS;
  return reason === 'hosted_time' ? HOSTED_MS : STEP_MS;
}

/**
 * A person says what time it is, or that the time shown is right, or the hosted instance has signed it: it is gone by
 * from now on. It does not outlive the process: a wall clock that is still wrong at the next start has to be confirmed again.
 */
export function confirmClock(
  state: ClockState,
  look: { wall: number; monotonic: number },
  time: number,
  by: 'set_by_operator' | 'hosted_time' = 'set_by_operator',
): ClockChange {
  return {
    state: { ...look, trust: 'trusted', reason: by, correction: time - look.wall },
    steppedBy: time - timeOf(state, look.monotonic),
  };
}

/**
 * Is a time that the hosted instance signed evidence here? Only where the clock is not trusted, and nobody has said that
 * it never shall be: a clock that is right is not moved by whoever holds a key.
 */
export function needsHostedTime({ trust, reason }: Pick<ClockState, 'trust' | 'reason'>): boolean {
  return trust === 'untrusted' && reason !== 'configured';
}

/** The time to go by at this look of wall and monotonic clock. */
export function timeOf(state: ClockState, monotonic: number): number {
  return state.wall + state.correction + (monotonic - state.monotonic);
}

/** The clock that rows are stamped by jumped. */
export type ClockStep = {
  /** After the step, ms since 1970. */
  now: number;
  steppedBy: number;
  /** How long this run of the program has lasted, ms. */
  runningMs: number;
  /** The clock was trusted before the step. */
  wasTrusted: boolean;
};

/** The earliest instant whose end in a row the step concerns: what was over before and after it stays as it is. */
export const concernedFrom = ({ now, steppedBy }: ClockStep): number => Math.min(now, now - steppedBy);

/**
 * The end of something temporary after a step of the clock: what is left of it stays as long as it was, and what is over
 * stays over. What an earlier run stamped with a right clock is right once the clock is: where it was not trusted until
 * now, the step is none for that. `stampedAt`: when the end was written, by the clock of then.
 */
export function endAfterStep(until: string | null, stampedAt: number, step: ClockStep): string | null {
  if (until === null || Date.parse(until) <= concernedFrom(step)) return until;
  const isOfThisRun = stampedAt >= step.now - step.steppedBy - step.runningMs;
  if (!step.wasTrusted && !isOfThisRun) return until;
  return isoOf(Date.parse(until) + step.steppedBy);
}

// A process may stand still without being told: it was stopped, its machine slept, its card hung for a minute. What it did
// not hear meanwhile is its own silence, and nobody else's fault.

/** A time in which this process heard nobody, from when it was still there. Instants are monotonic ms. */
export type ProcessPause = { from: number; to: number };

export type ProcessPauses = {
  /** Notes a pause that nobody has noticed yet, and answers all of this run that are remembered, oldest first. */
  all: () => readonly ProcessPause[];
  /** When this process went on after it had stood still, monotonic ms; null: it never did. */
  lastResumedAt: () => number | null;
  /** Calls back after each pause. */
  onResume: (listener: (pause: ProcessPause) => void) => void;
};

/** A process that is taken never to stand still. */
export const NO_PAUSES: ProcessPauses = {
  all: () => [],
  lastResumedAt: () => null,
  onResume: () => undefined,
};

/** Controllers, gateways and their networks come back within this long after a pause. */
const SETTLED_AFTER_MS = 90_000;

/** True while what was missed in a pause still comes in, and connections that broke in it are found to be broken. */
export function isSettling(pauses: readonly ProcessPause[], now: number): boolean {
  const last = pauses.at(-1);
  return last !== undefined && now - last.to < SETTLED_AFTER_MS;
}

/** How much of a time this process was there, ms. */
export function attendedMs(pauses: readonly ProcessPause[], from: number, to: number): number {
  const missed = pauses.reduce(
    (sum, pause) => sum + Math.max(0, Math.min(pause.to, to) - Math.max(pause.from, from)),
    0,
  );
  return Math.max(0, to - from - missed);
}

// Waits are measured on the monotonic clock, and instants are noted in wall time. Where a wait begins at a noted instant
// (a token, an order, a silence), the clock may have been set since, and the two times no longer differ by the wait.

/** From one step of the clock to the next: what the clock showed at its begin, ms since 1970, and the monotonic instant. */
export type Stretch = { shown: number; monotonic: number };

/** A clock that is set every second is remembered for its last steps. */
export const STRETCHES_KEPT = 64;
/** Instants of tokens are noted in whole seconds. */
const NOTED_IN_MS = 1_000;

/**
 * Milliseconds that have really passed since an instant that was noted in this run, whatever the clock was set to
 * meanwhile. For an instant of an earlier run, or one ahead of every stretch, the difference of the times shown, which is
 * negative for one ahead. Where the clock showed an instant twice, the later showing counts.
 * `stretches`: of this run, oldest first.
 */
export function elapsedSince(
  stretches: readonly Stretch[],
  notedAt: number,
  at: { now: number; monotonic: number },
): number {
  let end = at;
  for (const begin of stretches.toReversed()) {
    const endShown = begin.shown + (end.monotonic - begin.monotonic);
    if (notedAt > begin.shown - NOTED_IN_MS && notedAt <= endShown)
      return at.monotonic - (begin.monotonic + Math.max(0, notedAt - begin.shown));
    end = { now: begin.shown, monotonic: begin.monotonic };
  }
  return at.now - notedAt;
}

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

export type ClockChange = { state: ClockState; steppedBy: number };

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

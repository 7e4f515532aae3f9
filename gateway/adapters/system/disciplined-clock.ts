import {
  type ClockEvidence,
  type ClockPolicy,
  type ClockState,
  lookAtClock,
  startClock,
  timeOf,
} from '#core/clock-trust.ts';

export type DisciplinedClock = {
  /** Milliseconds since 1970 to go by. */
  now: () => number;
  quality: () => 'trusted' | 'estimated';
  state: () => ClockState;
  /** Looks at wall, monotonic clock and evidence again; called every second. Answers by how much time stepped. */
  look: () => number;
};

export type ClockDeps = {
  wall: () => number;
  monotonic: () => number;
  /** Latest evidence; refreshed outside, because asking the machine takes time. */
  evidence: () => ClockEvidence;
  changed: (state: ClockState, before: ClockState) => void;
};

export function createClock(deps: ClockDeps, policy: ClockPolicy, floor: number | null): DisciplinedClock {
  const lookNow = () => ({ wall: deps.wall(), monotonic: deps.monotonic() });
  let state = startClock(policy, lookNow(), floor, deps.evidence());
  return {
    now: () => Math.floor(timeOf(state, deps.monotonic())),
    quality: () => (state.trust === 'trusted' ? 'trusted' : 'estimated'),
    state: () => state,
    look() {
      const before = state;
      const looked = lookAtClock(policy, state, lookNow(), deps.evidence());
      state = looked.state;
      if (state.trust !== before.trust || looked.steppedBy !== 0) deps.changed(state, before);
      return looked.steppedBy;
    },
  };
}

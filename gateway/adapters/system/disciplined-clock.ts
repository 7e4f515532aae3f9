import {
  type ClockEvidence,
  type ClockPolicy,
  type ClockState,
  confirmClock,
  lookAtClock,
  needsHostedTime,
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
  /** True while the machine says that the network keeps its clock: then nobody else sets the time. */
  isSynchronised: () => boolean;
  /** A person says that this is the time, ms since 1970. */
  confirm: (time: number) => void;
  /** The hosted instance signed that this is the time. Answers whether it was evidence here. */
  confirmByHosted: (time: number) => boolean;
};

export type ClockDeps = {
  wall: () => number;
  monotonic: () => number;
  /** Latest evidence; refreshed outside, because asking the machine takes time. */
  evidence: () => ClockEvidence;
  /** `steppedBy`: ms that time jumped. */
  changed: (state: ClockState, before: ClockState, steppedBy: number) => void;
};

export function createClock(deps: ClockDeps, policy: ClockPolicy, floor: number | null): DisciplinedClock {
  const lookNow = () => ({ wall: deps.wall(), monotonic: deps.monotonic() });
  let state = startClock(policy, lookNow(), floor, deps.evidence());
  function set(time: number, by: 'set_by_operator' | 'hosted_time'): void {
    const before = state;
    const confirmed = confirmClock(state, lookNow(), time, by);
    state = confirmed.state;
    deps.changed(state, before, confirmed.steppedBy);
  }
  return {
    now: () => Math.floor(timeOf(state, deps.monotonic())),
    quality: () => (state.trust === 'trusted' ? 'trusted' : 'estimated'),
    state: () => state,
    look() {
      const before = state;
      const looked = lookAtClock(policy, state, lookNow(), deps.evidence());
      state = looked.state;
      if (state.trust !== before.trust || looked.steppedBy !== 0)
        deps.changed(state, before, looked.steppedBy);
      return looked.steppedBy;
    },
    isSynchronised: () => deps.evidence().isSynchronised === true,
    confirm: (time) => set(time, 'set_by_operator'),
    confirmByHosted(time) {
      if (!needsHostedTime(state) || time < policy.notBefore) return false;
      set(time, 'hosted_time');
      return true;
    },
  };
}

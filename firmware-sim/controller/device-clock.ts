import type { ControllerState } from './state.ts';

const TRUSTED_FOR_MS = 24 * 3_600_000;

/** What the controller believes the time is, ms since 1970; it starts in 1970. */
export function deviceUnixMs(state: ControllerState, nowMs: number): number {
  const offsetMs = state.clock.offsetMs ?? -state.bootAtMs;
  return nowMs + offsetMs + state.clock.skewMs;
}

/** true: set within the last day, good enough for a schedule. */
export function isClockValid(state: ControllerState, nowMs: number): boolean {
  return state.clock.offsetMs !== null && nowMs - state.clock.setAtMs <= TRUSTED_FOR_MS;
}

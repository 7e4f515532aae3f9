import type { SwitchState } from '#contract/words.ts';
import type { SwitchedBy } from './ports.ts';
import { isChangeByHand, type Sent } from './relay-rules.ts';

// Why a relay left its target. A hand is somebody's wish and stands until the next order; what a relay does by itself is
// nobody's wish, and its target is told to it again.

/** `hand`: a button, an input, its own page, another program. The others: the relay itself. */
export type ChangeCause = Exclude<SwitchedBy, 'order'>;

/** It left its target by itself. */
export type SelfSwitch = { by: Exclude<ChangeCause, 'hand'>; at: number };

/** Told again so often within the window; then it is left, and its name is told. */
const TOLD_AGAIN = 3;
const MINUTE_MS = 60_000;
/** A motor that its relay protects is not to be started all night; a timer costs starts, a power cut nothing. */
const WINDOW_MS: Readonly<Record<SelfSwitch['by'], number>> = {
  timer: 15 * MINUTE_MS,
  protection: 60 * MINUTE_MS,
  start: 15 * MINUTE_MS,
};
/** Timers of relays run late while they sleep: some seconds, and some of the hundred. */
const TIMER_EARLY_MS = 2_000;
const TIMER_LATE_MS = 20_000;
const TIMER_LATE_SHARE = 0.02;

export type Change = {
  target: SwitchState;
  before: SwitchState | null;
  next: SwitchState;
  sent: Sent | null;
  /** By its own word; null: it does not say. */
  switchedBy: SwitchedBy | null;
  /** It tells that it protects itself. */
  hasErrors: boolean;
  /** Its own timer, s; 0: none that is known. */
  autoOffS: number;
  /** How long it had been ON, as far as is known, ms. */
  onForMs: number | null;
};

/** null: it is where it should be, or shows the effect of an order of ours. */
export function causeOfChange(change: Change, now: number): ChangeCause | null {
  const { target, before, next, sent, switchedBy } = change;
  if (before === null || next === before || next === target) return null;
  if (next === 'OFF' && change.hasErrors) return 'protection';
  if (switchedBy !== null && switchedBy !== 'order') return switchedBy;
  if (!isChangeByHand({ target, current: before, sent }, next, now)) return null;
  return next === 'OFF' && isTimerDue(change) ? 'timer' : 'hand';
}

function isTimerDue({ autoOffS, onForMs }: Pick<Change, 'autoOffS' | 'onForMs'>): boolean {
  if (autoOffS <= 0) return false;
  // nobody saw when it went ON
  if (onForMs === null) return true;
  const afterMs = autoOffS * 1000;
  return onForMs >= afterMs - TIMER_EARLY_MS && onForMs <= afterMs * (1 + TIMER_LATE_SHARE) + TIMER_LATE_MS;
}

/** Those that still count. */
export function recentSwitches(switches: readonly SelfSwitch[], now: number): SelfSwitch[] {
  return switches.filter(({ by, at }) => now - at < WINDOW_MS[by]);
}

/** True once it was told again three times and switched itself once more. After a start its target is always told. */
export function isGivenUp(switches: readonly SelfSwitch[], now: number): boolean {
  return recentSwitches(switches, now).filter(({ by }) => by !== 'start').length > TOLD_AGAIN;
}

/** True when it started so often that the motor can hardly run. */
export function restartsOften(switches: readonly SelfSwitch[], now: number): boolean {
  return recentSwitches(switches, now).filter(({ by }) => by === 'start').length >= TOLD_AGAIN;
}

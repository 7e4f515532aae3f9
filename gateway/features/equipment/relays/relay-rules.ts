import type { SwitchState } from '#contract/words.ts';
import type { SwitchedBy } from './ports.ts';

// When a relay of the trade may be told to switch. It knows no minimum times and no start slot of its own, so the
// gateway keeps them for it. Instants are ms on the clock that only grows.

/** Its state is asked for when it comes back, and it answers at once; one that does not is told what holds all the same. */
const ANSWER_WITHIN_MS = 3_000;
/** A relay answers an order within a second; the same order again does no harm. */
const REPEAT_MS = [5_000, 10_000, 20_000, 60_000] as const;
/** A change within this long after an order of ours may be its effect. */
const EFFECT_MS = 15_000;
/** What its meter says right after a switch is the inrush; what it says three seconds later is the motor. */
export const METER_SETTLES_MS = 3_000;

export type Sent = { target: SwitchState; at: number; tries: number };

export type ChannelState = {
  target: SwitchState;
  /** As it last said; null: not heard since it came. */
  current: SwitchState | null;
  /** When that last changed; null: before anybody looked. */
  changedAt: number | null;
  /** When it said that it is there. */
  onlineAt: number;
  /** When its power came back; null: it has been on for long. */
  bootedAt: number | null;
  sent: Sent | null;
  /** It has just come, or its target is new: what holds is said once, whatever it says of itself. */
  isDue: boolean;
  /** Somebody switched it at the relay itself. */
  isByHand: boolean;
  /** It switched itself again and again: told so often, it is told no more. */
  isGivenUp: boolean;
  /** The target is that of a lock-out or of emergency oxygen: neither hand nor relay stands against it. */
  isForced: boolean;
};

export type Limits = { minOnMs: number; minOffMs: number; startDelayMs: number; isLockedOut: boolean };

/** The instant at which the target may be sent; null: there is nothing to say. */
export function sendAt(state: ChannelState, limits: Limits, now: number): number | null {
  const { target, current, sent, isDue, isByHand, isGivenUp, isForced } = state;
  // somebody's hands may be in the motor: at once, and again until it says so
  const isUrgent = limits.isLockedOut && target === 'OFF';
  if (!isDue && current === target) return null;
  // the hand at the relay goes before the last order, as at our own controllers; not before the next one
  if (!isDue && (isByHand || isGivenUp) && !isUrgent && !isForced) return null;
  const soonest = isDue || sent === null || sent.target !== target ? now : sent.at + repeatMs(sent.tries);
  if (isUrgent) return soonest;
  return Math.max(soonest, earliest(state, limits));
}

function earliest({ target, current, changedAt, onlineAt, bootedAt }: ChannelState, limits: Limits): number {
  if (current === target) return 0;
  if (current === null)
    return Math.max(onlineAt + ANSWER_WITHIN_MS, target === 'ON' ? slotOf(bootedAt, limits) : 0);
  if (target === 'OFF') return changedAt === null ? 0 : changedAt + limits.minOnMs;
  const restEnd = changedAt === null ? 0 : changedAt + limits.minOffMs;
  // the slot comes after the rest: equal rests would otherwise start a whole feeder at once
  return Math.max(restEnd, slotOf(bootedAt, limits));
}

/** After a power cut each motor has its turn. */
function slotOf(bootedAt: number | null, { minOffMs, startDelayMs }: Limits): number {
  return bootedAt === null ? 0 : bootedAt + minOffMs + startDelayMs;
}

function repeatMs(tries: number): number {
  return REPEAT_MS[Math.min(tries, REPEAT_MS.length) - 1] ?? REPEAT_MS[0];
}

/** True when a change of a relay was nobody's order of ours: a button, its own page, another program. */
export function isChangeByHand(
  state: Pick<ChannelState, 'target' | 'current' | 'sent'>,
  next: SwitchState,
  now: number,
): boolean {
  const { target, current, sent } = state;
  if (current === null || next === current || next === target) return false;
  // an order of ours that was overtaken by the next one may show its effect late
  return sent === null || sent.target !== next || now - sent.at > EFFECT_MS;
}

/** When it started, by its own word; null: long enough ago that none of its motors is due a start slot any more. */
export function bootInstant(uptimeS: number, now: number, ofChannels: readonly Limits[]): number | null {
  const bootedAt = now - uptimeS * 1000;
  return ofChannels.some((limits) => now < slotOf(bootedAt, limits)) ? bootedAt : null;
}

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

import type { SwitchState } from '#contract/words.ts';

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

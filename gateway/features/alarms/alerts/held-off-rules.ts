import type { SwitchState } from '#contract/words.ts';
import type { Night } from '#science/night.ts';

// When a motor that a person switched off stands still for too long. Instants are ms since 1970.

/** Feeding and work in a pond take half an hour. */
const PAUSE_MS = 30 * 60_000;
/** The water has least oxygen at dawn, and not much soon after it. */
export const AFTER_DAWN_MS = 2 * 3_600_000;
/** What is over is undone within seconds; a controller and a busy machine have a minute. */
const OVERDUE_MS = 60_000;

/** An order of a person that holds a motor off. */
export type HeldOff = {
  orderId: string;
  since: number;
  until: number | null;
  /** What the schedules alone say; null: nothing. */
  scheduled: SwitchState | null;
};

/** Whether it is worth asking for the night. */
export function mayBeTooLong(hold: HeldOff, now: number): boolean {
  return hold.scheduled !== 'OFF' && (isOverdue(hold, now) || now - hold.since > PAUSE_MS);
}

/**
 * `night` is that around the instant two hours ago, so that the two hours after dawn belong to it; null: nobody can
 * tell. Where the schedules want the motor off at this hour, too, nobody holds it.
 */
export function isHeldTooLong(hold: HeldOff, night: Night | null, now: number): boolean {
  if (!mayBeTooLong(hold, now)) return false;
  if (isOverdue(hold, now)) return true;
  if (night === null || now < night.duskMs || now >= night.dawnMs + AFTER_DAWN_MS) return false;
  return now - Math.max(hold.since, night.duskMs) > PAUSE_MS;
}

/** The order was for a time, and that is over. */
export function isOverdue({ until }: Pick<HeldOff, 'until'>, now: number): boolean {
  return until !== null && now - until > OVERDUE_MS;
}

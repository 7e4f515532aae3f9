import { type AppError, invalidField } from './errors.ts';
import { isoOf, type Kernel } from './kernel.ts';
import { daysBetween, localDay, type Zone } from './zone-clock.ts';

// What is dated ahead of now is kept as it was entered, but it is no fact of now: one wrong digit of a year would double a
// ration, and no right weighing after it would put that right. Every figure of now asks for its records up to
// `countsUntil`.

type Clock = Pick<Kernel, 'now' | 'clockQuality'>;

/** A day of grace: people enter tomorrow's work the evening before. */
const DAYS_AHEAD = 1;
const DAY_MS = 86_400_000;

/** The clock of a telephone, a probe or a controller may lie ahead of the box's by this. */
export const AHEAD_MS = 10 * 60_000;

/** Later than any date that is taken. */
const ALWAYS = '9999-12-31T23:59:59.999Z';

/** The last instant (ISO 8601 UTC) whose records are facts of now; a clock that is not trusted cannot tell, and all count. */
export function countsUntil(clock: Clock): string {
  return clock.clockQuality() === 'trusted' ? isoOf(clock.now()) : ALWAYS;
}

/** 422 for a day more than one ahead; a clock that is not trusted cannot tell. */
export function requireNotAhead(clock: Clock, field: string, day: string, zone: Zone): void {
  if (clock.clockQuality() !== 'trusted') return;
  const today = localDay(isoOf(clock.now()), zone);
  if (daysBetween(today, day) > DAYS_AHEAD) throw tooFarAhead(field, today);
}

/** The instant that was handed in, once it is known to lie no more than 24 hours ahead. */
export function notAhead(clock: Clock, field: string, instantIso: string, zone: Zone): string {
  if (clock.clockQuality() !== 'trusted') return instantIso;
  if (Date.parse(instantIso) > clock.now() + DAYS_AHEAD * DAY_MS + AHEAD_MS)
    throw tooFarAhead(field, localDay(isoOf(clock.now()), zone));
  return instantIso;
}

const tooFarAhead = (field: string, today: string): AppError =>
  invalidField(422, field, `may lie at most a day ahead; today is ${today}`, 'TOO_FAR_AHEAD');

/** Whether an instant has not come yet; a clock that is not trusted cannot tell. */
export const isAhead = (clock: Clock, instantIso: string): boolean =>
  clock.clockQuality() === 'trusted' && Date.parse(instantIso) > clock.now() + AHEAD_MS;

/**
 * 422 for an instant ahead of now, of what changes how many animals there are: a move, a loss or a harvest counts from the moment it is
 * stored.
 */
export function requireNotInFuture(clock: Clock, field: string, instantIso: string): void {
  if (!isAhead(clock, instantIso)) return;
  throw invalidField(422, field, 'must not lie in the future', 'IN_THE_FUTURE');
}

import type { Severity } from '#contract/words.ts';
import type { EpisodeAlert } from './ports.ts';

/** An episode tells again after this long, or at once when it gets worse. */
export const TELL_AGAIN_MS = 30 * 60_000;

const RANK: Readonly<Record<Severity, number>> = { LOW: 1, MEDIUM: 2, HIGH: 3 };

export function isWorse(severity: Severity, than: Severity): boolean {
  return RANK[severity] > RANK[than];
}

type Told = { at: number; severity: Severity };

/**
 * Whether a new alert of an episode notifies. Who was told before follows from the alerts themselves, oldest first,
 * so that it survives a restart and is the same on every instance.
 */
export function isToBeTold(earlier: readonly EpisodeAlert[], alert: Told): boolean {
  let last: Told | null = null;
  for (const { triggered_at, severity, silenced_until, shelved_until } of earlier) {
    const at = Date.parse(triggered_at);
    if (isQuiet({ silenced_until, shelved_until }, at)) continue;
    if (tells(last, { at, severity })) last = { at, severity };
  }
  return tells(last, alert);
}

function tells(last: Told | null, next: Told): boolean {
  return last === null || isWorse(next.severity, last.severity) || next.at - last.at >= TELL_AGAIN_MS;
}

/** True while somebody asked for silence. */
export function isQuiet(
  alert: { silenced_until: string | null; shelved_until: string | null },
  at: number,
): boolean {
  return isAfter(alert.silenced_until, at) || isAfter(alert.shelved_until, at);
}

const isAfter = (until: string | null, at: number): boolean => until !== null && Date.parse(until) > at;

type Shelf = Pick<EpisodeAlert, 'shelved_until' | 'shelved_by' | 'shelve_reason'>;

export type Inherited = Omit<EpisodeAlert, 'id' | 'episode_id' | 'severity' | 'triggered_at'>;

/**
 * What a new alert takes over: the acknowledgement and the silence of its episode, unless it is worse than what was
 * acknowledged; and a shelf, which is meant for the alarm itself and outlives episodes.
 */
export function inheritedBy(
  severity: Severity,
  newest: EpisodeAlert | undefined,
  shelf: Shelf | undefined,
  now: number,
): Inherited {
  const isKnown = newest !== undefined && !isWorse(severity, newest.severity);
  const isSilent = newest !== undefined && isAfter(newest.silenced_until, now);
  const isShelved = shelf !== undefined && isAfter(shelf.shelved_until, now);
  return {
    acknowledged_at: isKnown ? newest.acknowledged_at : null,
    acknowledged_by: isKnown ? newest.acknowledged_by : null,
    silenced_until: isSilent ? newest.silenced_until : null,
    silenced_by: isSilent ? newest.silenced_by : null,
    silence_reason: isSilent ? newest.silence_reason : null,
    shelved_until: isShelved ? shelf.shelved_until : null,
    shelved_by: isShelved ? shelf.shelved_by : null,
    shelve_reason: isShelved ? shelf.shelve_reason : null,
  };
}

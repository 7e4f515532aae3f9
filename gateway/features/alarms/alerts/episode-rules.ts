import type { Severity } from '#contract/words.ts';
import type { EpisodeAlert } from '#core/alerting.ts';

/** An episode tells again after this long, or at once when it gets worse. */
export const TELL_AGAIN_MS = 30 * 60_000;

const RANK: Readonly<Record<Severity, number>> = { LOW: 1, MEDIUM: 2, HIGH: 3 };

export function isWorse(severity: Severity, than: Severity): boolean {
  return RANK[severity] > RANK[than];
}

export type Told = Pick<EpisodeAlert, 'told_at' | 'told_severity'>;

/**
 * Whether a new alert of an episode notifies. When its people were last told is carried from alert to alert, so that it
 * survives a restart, is the same on every instance, and costs nothing however long the episode is. It counts when they
 * were told, not when a value was measured: a probe that hands in the readings of a night tells once.
 */
export function isToBeTold(last: Told | null, severity: Severity, now: number): boolean {
  if (last === null || last.told_at === null || last.told_severity === null) return true;
  if (isWorse(severity, last.told_severity)) return true;
  // a clock that was put back must not make an episode silent
  return Math.abs(now - Date.parse(last.told_at)) >= TELL_AGAIN_MS;
}

/**
 * True of an alert that began an episode untold, because the same trouble had been told shortly before and had ended by
 * itself: when it still stands half an hour after that, its people hear of it.
 */
export function isNoticeDeferred(
  row: Pick<EpisodeAlert, 'id' | 'episode_id' | 'told_at'> & { created_at: string },
): boolean {
  return row.id === row.episode_id && row.told_at !== null && row.told_at < row.created_at;
}

/** True while somebody asked for silence. */
export function isQuiet(
  alert: { silenced_until: string | null; shelved_until: string | null },
  at: number,
): boolean {
  return isAfter(alert.silenced_until, at) || isAfter(alert.shelved_until, at);
}

const isAfter = (until: string | null, at: number): boolean => until !== null && Date.parse(until) > at;

type Shelf = Pick<EpisodeAlert, 'severity' | 'shelved_until' | 'shelved_by' | 'shelve_reason'>;

export type Inherited = Omit<EpisodeAlert, 'id' | 'episode_id' | 'severity' | 'triggered_at' | keyof Told>;

/**
 * What a new alert takes over: the acknowledgement and the silence of its episode, and the longest shelf of the alarm
 * itself, which outlives episodes. None of them for more than it was said of: what is worse is heard.
 */
export function inheritedBy(
  severity: Severity,
  newest: EpisodeAlert | null,
  shelves: readonly Shelf[],
  now: number,
): Inherited {
  const isKnown = newest !== null && !isWorse(severity, newest.severity);
  const isSilent = isKnown && isAfter(newest.silenced_until, now);
  const shelf = shelves.find((lain) => !isWorse(severity, lain.severity) && isAfter(lain.shelved_until, now));
  return {
    acknowledged_at: isKnown ? newest.acknowledged_at : null,
    acknowledged_by: isKnown ? newest.acknowledged_by : null,
    acknowledge_note: isKnown ? newest.acknowledge_note : null,
    silenced_until: isSilent ? newest.silenced_until : null,
    silenced_by: isSilent ? newest.silenced_by : null,
    silence_reason: isSilent ? newest.silence_reason : null,
    shelved_until: shelf?.shelved_until ?? null,
    shelved_by: shelf?.shelved_by ?? null,
    shelve_reason: shelf?.shelve_reason ?? null,
  };
}

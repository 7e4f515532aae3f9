const DAY_MS = 86_400_000;

/**
 * Days a farm can go on without a link before its unconfirmed changes reach their bound; null where that is no
 * question: nothing is written, or it lasts longer than ten years.
 */
export function offlineDaysLeft(log: {
  logBytes: number;
  quotaBytes: number;
  bytesPerDay: number;
}): number | null {
  if (log.bytesPerDay <= 0) return null;
  const days = Math.max(0, log.quotaBytes - log.logBytes) / log.bytesPerDay;
  return days > 3_650 ? null : Math.floor(days * 10) / 10;
}

/** What a day writes, from what was written since `sinceMs`; a log younger than an hour says nothing about a day. */
export function bytesPerDay(written: { rows: number; bytesPerRow: number; overMs: number }): number {
  if (written.overMs < DAY_MS / 24) return 0;
  return Math.round((written.rows * written.bytesPerRow * DAY_MS) / written.overMs);
}

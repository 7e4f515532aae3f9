/** `isPinned`: a person wants it to stay, as before something is deleted. */
export type Kept = { name: string; madeAt: number; bytes: number; isPinned?: boolean };

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A file that is much younger than now was named by a wrong clock: its age says nothing. */
const AHEAD = HOUR;
/** As long as somebody may notice what is missing; and so few that they never push out what age keeps. */
const PINNED_MS = 30 * DAY;
const MOST_PINNED = 5;

/**
 * Which files may go: all of the last 24 h stay, one a day for 14 days, one a week for 8 weeks; then the oldest go until
 * the rest fits. The newest always stays, and so do the newest that somebody pinned, for 30 days.
 */
export function toRemove(files: readonly Kept[], now: number, maxBytes: number): string[] {
  const newestFirst = [...files].sort((a, b) => b.madeAt - a.madeAt);
  const pinned = newestFirst
    .filter(({ isPinned = false, madeAt }) => isPinned && now - madeAt <= PINNED_MS)
    .slice(0, MOST_PINNED);
  const byAge = newestFirst.filter((file) => !pinned.includes(file));
  const kept: Kept[] = [];
  const spans = new Set<string>();
  for (const [index, file] of byAge.entries()) {
    const span = spanOf(file, now);
    if (index > 0 && (span === null || spans.has(span))) continue;
    if (span !== null) spans.add(span);
    kept.push(file);
  }
  let bytes = [...pinned, ...kept].reduce((sum, file) => sum + file.bytes, 0);
  while (kept.length > 1 && bytes > maxBytes) bytes -= kept.pop()?.bytes ?? 0;
  const stays = new Set([...pinned, ...kept].map(({ name }) => name));
  return newestFirst.filter(({ name }) => !stays.has(name)).map(({ name }) => name);
}

/** Of each span the newest stays; null: too old. */
function spanOf({ name, madeAt }: Kept, now: number): string | null {
  const age = now - madeAt;
  if (age < -AHEAD || age <= DAY) return `file ${name}`;
  if (age <= 14 * DAY) return `day ${Math.floor(madeAt / DAY)}`;
  if (age <= 56 * DAY) return `week ${Math.floor(madeAt / (7 * DAY))}`;
  return null;
}

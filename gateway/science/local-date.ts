const DAY_MS = 86_400_000;

/** The calendar day `days` after a local date (`YYYY-MM-DD`); negative days go back. */
export function dateAfter(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Whole days from one local date (`YYYY-MM-DD`) to another; negative when `to` is earlier. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);
}

/** The later of two local dates. */
export function laterOf(one: string, other: string): string {
  return one > other ? one : other;
}

/** The same day and time some months later; a day the month does not have is its last one. */
export function monthsAfter(anchor: string, months: number): string {
  const from = new Date(anchor);
  const first = Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months, 1);
  const lastDay = new Date(
    Date.UTC(new Date(first).getUTCFullYear(), new Date(first).getUTCMonth() + 1, 0),
  ).getUTCDate();
  const day = Math.min(from.getUTCDate(), lastDay);
  const timeOfDay = Date.parse(anchor) % 86_400_000;
  return new Date(first + (day - 1) * 86_400_000 + timeOfDay).toISOString();
}

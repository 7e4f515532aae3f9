import type { AlertType } from '#contract/words.ts';

// How the alarms of a farm behave. Pure.

/** The most that began within any span of that length. */
export function mostWithin(beganAt: readonly number[], spanMs: number): number {
  const ordered = beganAt.toSorted((a, b) => a - b);
  let most = 0;
  let first = 0;
  ordered.forEach((at, index) => {
    while (at - (ordered[first] ?? at) > spanMs) first += 1;
    most = Math.max(most, index - first + 1);
  });
  return most;
}

type Placed = { type: AlertType; pond_id: string | null; control_point_id: string | null };

/** Which condition at which place came how often, the most frequent in front. */
export function repeatedMost<Alert extends Placed>(
  alerts: readonly Alert[],
  most: number,
): { alert: Alert; count: number }[] {
  const counts = new Map<string, { alert: Alert; count: number }>();
  for (const alert of alerts) {
    const key = `${alert.type} ${alert.pond_id ?? ''} ${alert.control_point_id ?? ''}`;
    const known = counts.get(key);
    if (known === undefined) counts.set(key, { alert, count: 1 });
    else known.count += 1;
  }
  return [...counts.values()].sort((a, b) => b.count - a.count).slice(0, most);
}

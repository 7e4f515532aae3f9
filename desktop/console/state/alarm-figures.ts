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

/** How many conditions at their place came three times or more within a minute: what they rest on sways. */
export function chatteringOf(alerts: readonly (Placed & { triggered_at: string })[]): number {
  const times = new Map<string, number[]>();
  for (const alert of alerts) {
    const key = conditionOf(alert);
    times.set(key, [...(times.get(key) ?? []), Date.parse(alert.triggered_at)]);
  }
  return [...times.values()].filter((beganAt) => mostWithin(beganAt, 60_000) >= 3).length;
}

const conditionOf = ({ type, pond_id, control_point_id }: Placed): string =>
  `${type} ${pond_id ?? ''} ${control_point_id ?? ''}`;

/** Shares of the three priorities, whole percents. */
export function prioritySplit(priorities: readonly (1 | 2 | 3)[]): readonly [number, number, number] {
  const share = (one: 1 | 2 | 3) =>
    Math.round((100 * priorities.filter((priority) => priority === one).length) / priorities.length);
  return priorities.length === 0 ? [0, 0, 0] : [share(1), share(2), share(3)];
}

type Placed = { type: AlertType; pond_id: string | null; control_point_id: string | null };

/** Which condition at which place came how often, the most frequent in front. */
export function repeatedMost<Alert extends Placed>(
  alerts: readonly Alert[],
  most: number,
): { alert: Alert; count: number }[] {
  const counts = new Map<string, { alert: Alert; count: number }>();
  for (const alert of alerts) {
    const key = conditionOf(alert);
    const known = counts.get(key);
    if (known === undefined) counts.set(key, { alert, count: 1 });
    else known.count += 1;
  }
  return [...counts.values()].sort((a, b) => b.count - a.count).slice(0, most);
}

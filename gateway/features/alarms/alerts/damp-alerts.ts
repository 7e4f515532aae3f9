import type { Alerting } from '#core/alerting.ts';
import { NewestMap } from '#core/newest-map.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** So many on one thing in a day end as soon as their trouble does. */
const FREE = 5;
/** From there on an alert stays for the longest time: more need not be counted. */
const MOST_COUNTED = 16;
/** Things that alerts were raised of; of one that fell out it begins anew. */
const MOST_THINGS = 50_000;
const FIRST_HOLD_MS = 5 * MINUTE_MS;
const LONGEST_HOLD_MS = 120 * MINUTE_MS;

/** How long an alert stays that was raised so often within a day, ms. */
export const holdMs = (raised: number): number =>
  raised <= FREE ? 0 : Math.min(LONGEST_HOLD_MS, FIRST_HOLD_MS * 2 ** (raised - FREE - 1));

type Subject = { control_point_id?: string | null; pond_id?: string | null; farm_id?: string };

/**
 * What comes and goes all day is one trouble: its alert stays, longer each time, instead of being raised and ended
 * thousands of times. So a loose wire neither fills the disk nor wakes people again and again, and nothing is hidden:
 * what stays is an alert.
 */
export function dampedAlerting(alerting: Alerting, deps: { monotonic: () => number }): Alerting {
  /** When each cause was raised, by type and subject. */
  const raisedByKey = new NewestMap<string, Map<string, number>>(MOST_THINGS);
  /** From the narrowest on: an alert of the farm hangs on one of its control points, and is ended by the farm. */
  const keysOf = (type: string, { control_point_id: point, pond_id: pond, farm_id: farm }: Subject) =>
    [point, pond, farm].flatMap((id) => (id == null ? [] : [`${type} ${id}`]));

  function recent(key: string): Map<string, number> {
    const raised = raisedByKey.get(key) ?? new NewestMap<string, number>(MOST_COUNTED);
    for (const [cause, at] of raised) if (deps.monotonic() - at > DAY_MS) raised.delete(cause);
    if (raised.size === 0) raisedByKey.delete(key);
    return raised;
  }

  return {
    ...alerting,
    async raise(cause, known) {
      const changes = await alerting.raise(cause, known);
      if (changes.length > 0) {
        // decided anew it is the same one
        for (const key of keysOf(cause.type, cause))
          raisedByKey.set(key, recent(key).set(cause.cause, deps.monotonic()));
      }
      return changes;
    },
    async resolve(which) {
      const raised = recent(keysOf(which.type, which)[0] ?? '');
      const since = deps.monotonic() - Math.max(...raised.values());
      return since < holdMs(raised.size) ? [] : alerting.resolve(which);
    },
  };
}

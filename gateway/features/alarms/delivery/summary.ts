import * as z from 'zod';
import type { Job } from './ports.ts';

/** What a SUMMARY stores: alerts that came and went while nothing could be sent. */
const summary = z.object({
  alerts: z.int(),
  from: z.string(),
  to: z.string(),
  titles: z.array(z.object({ title: z.string(), times: z.int() })),
  /** Titles that did not fit. */
  more: z.int(),
});
export type Summary = z.infer<typeof summary>;

const MOST_TITLES = 15;

/** Sums up alerts by what they said, the most frequent first. */
export function sumUp(jobs: readonly Pick<Job, 'notification' | 'delivery'>[]): Summary {
  const timesByTitle = new Map<string, number>();
  const times = jobs
    .map(({ notification, delivery }) => notification?.created_at ?? delivery.created_at)
    .sort();
  for (const { notification } of jobs) {
    const title = notification?.title ?? '';
    timesByTitle.set(title, (timesByTitle.get(title) ?? 0) + 1);
  }
  const titles = [...timesByTitle]
    .map(([title, n]) => ({ title, times: n }))
    .sort((a, b) => b.times - a.times || (a.title < b.title ? -1 : 1));
  return {
    alerts: jobs.length,
    from: times[0] ?? '',
    to: times.at(-1) ?? '',
    titles: titles.slice(0, MOST_TITLES),
    more: Math.max(0, titles.length - MOST_TITLES),
  };
}

/** Reads what `sumUp` made, as stored. */
export function summaryIn(body: Record<string, unknown> | null): Summary {
  return summary.parse(body);
}

import { deviceKey } from '#contract/resources/local-tables.ts';
import { type Change, update } from '#core/changes.ts';
import { type ClockStep, endAfterStep } from '#core/clock-trust.ts';
import type { Kernel } from '#core/kernel.ts';
import type { ControlViews } from '../control-view.ts';
import { OVERLAP_MS } from './device-keys.ts';

/**
 * The clock stepped: what was heard in this run was heard as long ago as before. Without it a step forward would take
 * every controller offline until its next report, and one back would show a dead one as online for as long.
 */
export function followClockStep(views: ControlViews, steppedBy: number): void {
  for (const { row, presence } of views.all()) {
    if (presence.lastReportAt === null || presence.lastReportMonotonic === null) continue;
    presence.lastReportAt += steppedBy;
    views.unflushed.add(row.id);
    if (presence.deferredUntil !== null) presence.deferredUntil += steppedBy;
  }
}

/** A key that is about to retire opens for as long as it was said, whatever the clock does meanwhile. Never throws. */
export async function keysFollowStep(
  deps: Pick<Kernel, 'commit' | 'log'> & { views: ControlViews },
  step: ClockStep,
): Promise<void> {
  const changes = [...deps.views.all()].flatMap(({ keys }): Change[] =>
    keys.flatMap((key) => {
      if (key.retires_at === null) return [];
      const stampedAt = Date.parse(key.retires_at) - OVERLAP_MS;
      const retires_at = endAfterStep(key.retires_at, stampedAt, step);
      return retires_at === key.retires_at ? [] : [update(deviceKey, key.id, { retires_at })];
    }),
  );
  if (changes.length === 0) return;
  await deps
    .commit({ changes, actor: null })
    .catch((error: unknown) =>
      deps.log.warn({ err: error }, 'keys that are about to retire keep the times of the clock before'),
    );
}

import type { ControlViews } from '#core/control-view.ts';

/**
 * The clock stepped: what was heard in this run was heard as long ago as before. Without it a step forward would take
 * every controller offline until its next report, and one back would show a dead one as online for as long.
 */
export function followClockStep(views: ControlViews, steppedBy: number): void {
  for (const { presence } of views.all()) {
    if (presence.lastReportAt === null || presence.lastReportMonotonic === null) continue;
    presence.lastReportAt += steppedBy;
    presence.isDirty = true;
    if (presence.deferredUntil !== null) presence.deferredUntil += steppedBy;
  }
}

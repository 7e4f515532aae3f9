import { alert } from '#contract/resources/alerts.ts';
import { marksAfterStep } from '#core/alerting.ts';
import { update } from '#core/changes.ts';
import { type ClockStep, concernedFrom } from '#core/clock-trust.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { perform } from '#core/use-case.ts';
import type { AlertQueries } from './ports.ts';

export type FollowStepDeps = Pick<Kernel, 'commit' | 'pause' | 'random' | 'log'> & {
  queries: Pick<AlertQueries, 'marked'>;
};

/** Silences and shelves keep their length over a step of the clock, in either direction. Never throws. */
export async function followClockStep(deps: FollowStepDeps, step: ClockStep): Promise<void> {
  try {
    await perform(deps, null, async () => {
      const rows = await deps.queries.marked(isoOf(concernedFrom(step)));
      const changes = rows.flatMap((row) => {
        const marks = marksAfterStep(row, step);
        return marks === null ? [] : [update(alert, row, marks)];
      });
      return { answer: undefined, changes };
    });
  } catch (error) {
    deps.log.warn({ err: error }, 'silences of alerts keep the times of the clock before');
  }
}

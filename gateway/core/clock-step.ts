import { isoOf } from './kernel.ts';

/** The clock that rows are stamped by jumped. */
export type ClockStep = {
  /** After the step, ms since 1970. */
  now: number;
  steppedBy: number;
  /** How long this run of the program has lasted, ms. */
  runningMs: number;
  /** The clock was trusted before the step. */
  wasTrusted: boolean;
};

/** The earliest instant whose end in a row the step concerns: what was over before and after it stays as it is. */
export const concernedFrom = ({ now, steppedBy }: ClockStep): number => Math.min(now, now - steppedBy);

/**
 * The end of something temporary after a step of the clock: what is left of it stays as long as it was, and what is over
 * stays over. What an earlier run stamped with a right clock is right once the clock is: where it was not trusted until
 * now, the step is none for that. `stampedAt`: when the end was written, by the clock of then.
 */
export function endAfterStep(until: string | null, stampedAt: number, step: ClockStep): string | null {
  if (until === null || Date.parse(until) <= concernedFrom(step)) return until;
  const isOfThisRun = stampedAt >= step.now - step.steppedBy - step.runningMs;
  if (!step.wasTrusted && !isOfThisRun) return until;
  return isoOf(Date.parse(until) + step.steppedBy);
}

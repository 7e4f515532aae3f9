import type { RowOf } from '#contract/resource.ts';
import type { alert } from '#contract/resources/alerts.ts';
import { type ClockStep, endAfterStep } from './clock-step.ts';

type Marked = Pick<RowOf<typeof alert>, 'silenced_until' | 'shelved_until' | 'created_at' | 'updated_at'>;

/** Silence and shelf of an alert keep their length over a step of the clock; null: nothing changes. */
export function marksAfterStep(
  row: Marked,
  step: ClockStep,
): Pick<Marked, 'silenced_until' | 'shelved_until'> | null {
  const stampedAt = Date.parse(row.updated_at ?? row.created_at);
  const silenced_until = endAfterStep(row.silenced_until, stampedAt, step);
  const shelved_until = endAfterStep(row.shelved_until, stampedAt, step);
  const isSame = silenced_until === row.silenced_until && shelved_until === row.shelved_until;
  return isSame ? null : { silenced_until, shelved_until };
}

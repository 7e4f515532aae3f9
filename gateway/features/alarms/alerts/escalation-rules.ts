import { isQuiet } from './episode-rules.ts';
import type { Alert } from './ports.ts';

const MINUTE = 60_000;

/** first: to those who have channels. all: to everyone who may act. */
export type EscalationStep = { to: 'first' | 'all'; afterMs: number; minutes: number };

export const STEPS: readonly EscalationStep[] = [
  { to: 'first', afterMs: 2 * MINUTE, minutes: 2 },
  { to: 'all', afterMs: 5 * MINUTE, minutes: 5 },
];

/** The latest step that is due and was not taken; an earlier one that was slept through is not made up for. */
export function dueStep(elapsedMs: number, taken: EscalationStep | null): EscalationStep | null {
  const due = STEPS.findLast(({ afterMs }) => elapsedMs >= afterMs) ?? null;
  return due === null || (taken !== null && due.afterMs <= taken.afterMs) ? null : due;
}

/** Whether an alert still waits for somebody: critical, told, and nobody acknowledged, silenced, shelved or resolved it. */
export function isUnanswered(
  alert: Pick<
    Alert,
    | 'status'
    | 'severity'
    | 'acknowledged_at'
    | 'silenced_until'
    | 'shelved_until'
    | 'folded_into'
    | 'told_at'
    | 'told_severity'
  >,
  now: number,
): boolean {
  return (
    alert.status === 'ACTIVE' &&
    alert.severity === 'HIGH' &&
    alert.told_at !== null &&
    alert.told_severity === 'HIGH' &&
    alert.acknowledged_at === null &&
    alert.folded_into === null &&
    !isQuiet(alert, now)
  );
}

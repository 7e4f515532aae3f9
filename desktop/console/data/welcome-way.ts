import { signal } from '@preact/signals';

// Whoever leaves the first steps for a page of the system, to open a control point for one, finds the way back there.

const KEPT = 'welcome-way';

/** The step that was left; null: nobody is on the way. */
export const leftStep = signal<string | null>(sessionStorage.getItem(KEPT));

export function leaveStep(step: string | null): void {
  leftStep.value = step;
  if (step === null) sessionStorage.removeItem(KEPT);
  else sessionStorage.setItem(KEPT, step);
}

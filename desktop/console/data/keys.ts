import { signal } from '@preact/signals';

// Which single keys do something at this station. Letters are off until somebody wants them: whoever speaks to their
// machine, or whose hand trembles, must not switch anything by a stray letter.

export const KEY_SETS = ['none', 'help', 'all'] as const;
export type KeySet = (typeof KEY_SETS)[number];

const KEPT = 'keys';
const found = localStorage.getItem(KEPT);

export const keySet = signal<KeySet>(KEY_SETS.find((word) => word === found) ?? 'help');

export function chooseKeys(chosen: KeySet): void {
  keySet.value = chosen;
  localStorage.setItem(KEPT, chosen);
}

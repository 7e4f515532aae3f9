import { signal } from '@preact/signals';
import { faults } from '#words/faults.ts';
import { language } from '../i18n/language.ts';
import type * as Rarer from './rarer-faults.ts';

/** The refusals that are seldom seen, once they are fetched. */
const rarer = signal<typeof Rarer | null>(null);

export async function fetchRarerFaults(): Promise<void> {
  if (rarer.peek() !== null) return;
  rarer.value = await import('./rarer-faults.ts').catch(() => null);
}

/** The sentence in the person's language for a refusal; null: the interface's own is told. */
export function faultOf(code: string): string | null {
  const known: Readonly<Record<string, string>> = faults();
  const found = known[code] ?? rarer.value?.rarerFault(language.value, code) ?? null;
  if (found === null) void fetchRarerFaults();
  return found;
}

/** The same for one field that was not accepted, by the code of its check. */
export const fieldFaultOf = (path: string, check: string): string | null =>
  rarer.value?.fieldFault(language.value, path, check) ?? null;

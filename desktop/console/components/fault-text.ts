import { signal } from '@preact/signals';
import { faults } from '#words/faults.ts';
import { spoken } from '#words/language.ts';
import type * as Rarer from '#words/rarer-faults.ts';

/** The refusals that are seldom seen, once they are fetched. */
const rarer = signal<typeof Rarer | null>(null);

export async function fetchRarerFaults(): Promise<void> {
  if (rarer.peek() !== null) return;
  rarer.value = await import('#words/rarer-faults.ts').catch(() => null);
}

/** The sentence in the person's language for a refusal; null: the interface's own is told. */
export function faultOf(code: string): string | null {
  const known: Readonly<Record<string, string>> = faults();
  const found = known[code] ?? rarer.value?.rarerFaults()[code] ?? null;
  if (found === null) void fetchRarerFaults();
  return found;
}

/** The same for one field that was not accepted, by the code of its check. */
export function fieldFaultOf(path: string, check: string): string | null {
  if (spoken.isOfInterface || rarer.value === null) return null;
  const words = rarer.value.fieldFaults();
  const last = path.split('.').at(-1) ?? path;
  return words.sentence(words.fields[last] ?? words.field(last), words.checks[check] ?? words.notAccepted);
}

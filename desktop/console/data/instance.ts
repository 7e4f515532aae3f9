import { computed, signal } from '@preact/signals';
import type * as z from 'zod';
import type { systemIdentityAnswer } from '#contract/resources/system.ts';
import { type FarmWord, wordAgeOf } from '../state/farm-word.ts';
import { get } from './api.ts';
import { now, serverTimeOf } from './clock.ts';
import { farm, gateways } from './farm-store.ts';
import { inStepAt } from './live.ts';

// What this console stands in front of: the gateway on the farm, or a hosted instance that a farm speaks to through its
// gateway. The instance says so itself; everything that differs asks here.

type Identity = z.infer<typeof systemIdentityAnswer>;

const identity = signal<Identity | null>(null);
/** False until the instance has said so: a gateway is the safe thing to believe. */
export const isHosted = computed(() => identity.value?.role === 'hosted');

/** The last word of the gateway of the farm that is shown; null: this instance hears the controllers itself. */
export const farmWord = computed<FarmWord | null>(() => {
  const silentSince = gateways.value.get(farm.value?.id ?? '');
  // while the stream lives, its silence about the gateway says that nothing changed
  return silentSince === undefined ? null : { silentSince, knownAt: serverTimeOf(inStepAt.value ?? 0) };
});
export const farmWordAge = computed(() =>
  farmWord.value === null ? 'fresh' : wordAgeOf(farmWord.value, now.value),
);
/** True where the gateway of a farm switches, and orders go to it from here. */
export const isFromAfar = (farmId: string): boolean => gateways.value.has(farmId);

const RETRY_MS = 5_000;

/** Asks who this is; nobody else does, and nothing else is asked for here: the event stream tells the rest. */
export async function startInstance(): Promise<void> {
  try {
    identity.value = await get('/system/identity');
  } catch {
    setTimeout(() => void startInstance(), RETRY_MS);
  }
}

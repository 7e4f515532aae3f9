import { newUuid, post } from './api.ts';
import { refresh } from './query.ts';

type Common = { farm_id: string; pond_type: 'NURSERY' | 'FATTENING'; size_m2: number | null };

/**
 * Creates ponds one after the other, in the order of their codes, and tells how many are done. A refusal (a plan that
 * is used up) stops it: those before it stand.
 */
export async function createPonds(
  codes: readonly string[],
  common: Common,
  onDone: (count: number) => void,
): Promise<void> {
  try {
    for (const [index, cod] of codes.entries()) {
      await post('/ponds/', { ...common, cod }, newUuid());
      onDone(index + 1);
    }
  } finally {
    refresh('ponds', 'farms', 'dashboard');
  }
}

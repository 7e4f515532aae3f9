import type { Send } from './corrections.ts';
import { refresh } from './query.ts';

type Common = { farm_id: string; pond_type: 'NURSERY' | 'FATTENING'; size_m2: number | null };

/**
 * Creates ponds one after the other, in the order of their codes, and tells how many are done. A refusal (a plan that
 * is used up) stops it: those before it stand, and `send` makes none of them twice when all are asked for again.
 */
export async function createPonds(
  send: Send,
  codes: readonly string[],
  common: Common,
  onDone: (count: number) => void,
): Promise<void> {
  try {
    for (const [index, cod] of codes.entries()) {
      await send('/ponds/', { ...common, cod });
      onDone(index + 1);
    }
  } finally {
    refresh('ponds', 'farms', 'dashboard');
  }
}

import { animalsIn, replayPopulation } from '#science/population.ts';
import { animalsOf, lastTakenFrom } from './batch-state.ts';
import type { BatchFactQueries, BatchFacts, Stay } from './ports.ts';

/**
 * When each of these ponds lost its last animals, by pond; those that never held any are left out. Years of batches go
 * by their ends alone; only those are replayed that were moved on and may have left some behind.
 */
export async function lastLeft(
  queries: Pick<BatchFactQueries, 'staysIn' | 'factsOf'>,
  pondIds: readonly string[],
  countsUntil: string,
): Promise<Map<string, string>> {
  if (pondIds.length === 0) return new Map();
  const stays = await queries.staysIn(pondIds);
  const left = new Map<string, string>();
  for (const stay of stays) note(left, stay.pond_id, stay.moved_at ?? stay.ended_at);
  const doubtful = stays.filter((stay) => isDoubtful(stay, left));
  const named = [...new Set(doubtful.map(({ batch_id }) => batch_id))];
  const facts = await queries.factsOf(named, 'last two', countsUntil);
  const factsByBatch = new Map(facts.map((each) => [each.batch.id, each]));
  for (const { pond_id, batch_id } of doubtful) {
    const found = factsByBatch.get(batch_id);
    if (found !== undefined) note(left, pond_id, leftAt(found, pond_id));
  }
  return left;
}

/** One that lives on elsewhere, or ended after the pond was last left: there may have been animals of it until then. */
const isDoubtful = ({ pond_id, ended_at, moved_at }: Stay, left: ReadonlyMap<string, string>): boolean =>
  ended_at === null || (moved_at !== null && ended_at > (left.get(pond_id) ?? ''));

function note(left: Map<string, string>, pondId: string, at: string | null): void {
  if (at !== null && at > (left.get(pondId) ?? '')) left.set(pondId, at);
}

function leftAt(facts: BatchFacts, pondId: string): string | null {
  const there = animalsIn(replayPopulation(animalsOf(facts)), pondId);
  return there > 0 ? facts.batch.actual_harvest_date : lastTakenFrom(facts, pondId);
}

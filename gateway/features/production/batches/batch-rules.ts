import { conflict, invalidField, notFound } from '#core/errors.ts';
import type { Language } from '#science/advice/language.ts';
import type { Batch, BatchState } from '../batch-state.ts';
import { BATCH_WARNINGS } from './batch-words.ts';
import type { BatchQueries } from './ports.ts';

export type BatchWarning = { code: string; message: string };

export async function requireBatch(
  deps: { queries: Pick<BatchQueries, 'batch'> },
  ref: string,
): Promise<{ batch: Batch; timezone: string }> {
  const found = await deps.queries.batch(ref);
  if (found === null) throw notFound('Batch');
  return found;
}

/** 409 unless the batch is in production; `toDo` completes "… cannot be", for example "finished". */
export function requireActive(batch: Batch, toDo: string): void {
  if (batch.status === 'ACTIVE') return;
  throw conflict(`Batch ${batch.batch_code} is ${batch.status}: it cannot be ${toDo}`, 'BATCH_NOT_ACTIVE');
}

/** 422 for a day before the batch was stocked. */
export function requireSinceStart(batch: Batch, field: string, day: string): void {
  if (day >= batch.start_date) return;
  const message = `must not lie before the start of the batch (${batch.start_date})`;
  throw invalidField(422, field, message, 'BEFORE_BATCH_START');
}

/**
 * What animals taken out say against what is recorded; kept as entered. `count` and `before`: animals of this harvest
 * and of those before it.
 */
export function harvestWarnings(
  state: Pick<BatchState, 'batch' | 'population'>,
  { count, before }: { count: number; before: number },
  language: Language,
): BatchWarning[] {
  const { initial_count } = state.batch;
  const words = BATCH_WARNINGS[language];
  const taken = Math.round(count + before);
  if (taken > initial_count)
    return [{ code: 'IMPLIED_SURVIVAL_ABOVE_100', message: words.aboveStocked(taken, initial_count) }];
  if (Math.floor(count) <= state.population) return [];
  return [
    { code: 'MORE_THAN_ESTIMATED', message: words.moreThanEstimated(Math.round(count), state.population) },
  ];
}

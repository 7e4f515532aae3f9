import type { RowOf } from '#contract/resource.ts';
import { type FeedingCreate, feedingRecord } from '#contract/resources/feeding.ts';
import { asParent, insert } from '#core/changes.ts';
import { conflict, invalidField, notFound } from '#core/errors.ts';
import { notAhead } from '#core/facts-of-now.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { instantOnFarm, localDay } from '#core/zone-clock.ts';
import type { Language } from '#science/advice/language.ts';
import { type FeedingWarning, type WarningDeps, warningsOf } from './feeding-rules.ts';
import type { BatchToFeed, FeedingQueries } from './ports.ts';

export type RecordFeedingDeps = Pick<Kernel, 'now' | 'newId' | 'guard' | 'clockQuality'> &
  WarningDeps & { queries: FeedingQueries };

/**
 * Decides a feeding of a batch. Throws 404 for a batch deleted meanwhile, 409 for one that is not ACTIVE or an id that
 * is taken, 422 for a day before the batch's start or a pond of another farm.
 *
 * @param sentDate the date as it came: a bare day begins on the farm, not in UTC
 */
export async function recordFeeding(
  deps: RecordFeedingDeps,
  caller: Caller,
  { input, sentDate, language }: { input: FeedingCreate; sentDate: unknown; language: Language },
): Promise<Decision<{ row: RowOf<typeof feedingRecord>; warnings: FeedingWarning[] }>> {
  const named = await requireBatch(deps, input.batch_id);
  const guard = asParent(await deps.guard('batch', named.id));
  // read again behind its guard: a finish between the two makes this run anew
  const batch = await requireBatch(deps, named.id);
  // before all else: what was sent already is told as that, whatever became of the batch since
  if (input.id !== undefined && (await deps.queries.feedingIdTaken(input.id)))
    throw conflict('This id is taken', 'ID_TAKEN');
  if (batch.status !== 'ACTIVE') {
    throw conflict(
      `Batch ${batch.batch_code} is ${batch.status}: only an ACTIVE batch is fed`,
      'BATCH_NOT_ACTIVE',
    );
  }
  const row: RowOf<typeof feedingRecord> = {
    id: input.id ?? deps.newId(),
    batch_id: batch.id,
    pond_id: await pondIdOf(deps, batch, input.pond_id ?? null),
    feed_type: input.feed_type,
    quantity_kg: input.quantity_kg,
    cost_per_kg: input.cost_per_kg,
    feed_date: feedDateOf(deps, batch, { instant: input.feed_date, sent: sentDate }),
    tray_leftover_percent: input.tray_leftover_percent ?? null,
    notes: input.notes ?? null,
    created_by: caller.userId,
    clock_quality: deps.clockQuality(),
    created_at: isoOf(deps.now()),
    updated_at: null,
  };
  return {
    answer: { row, warnings: await warningsOf(deps, row, language) },
    changes: [insert(feedingRecord, row)],
    guards: [guard],
  };
}

export async function requireBatch(
  deps: { queries: Pick<FeedingQueries, 'batchToFeed'> },
  ref: string,
): Promise<BatchToFeed> {
  const batch = await deps.queries.batchToFeed(ref);
  if (batch === null) throw notFound('Batch');
  return batch;
}

/** The instant of a feeding; throws 422 for one on a day before the batch was stocked, or more than a day ahead. */
export function feedDateOf(
  clock: Pick<Kernel, 'now' | 'clockQuality'>,
  batch: BatchToFeed,
  { instant, sent }: { instant: string; sent: unknown },
): string {
  const at = instantOnFarm(instant, sent, batch.timezone);
  if (localDay(at, batch.timezone) < batch.start_date) {
    const message = `must not lie before the start of the batch (${batch.start_date})`;
    throw invalidField(422, 'feed_date', message, 'BEFORE_BATCH_START');
  }
  return notAhead(clock, 'feed_date', at, batch.timezone);
}

/** UUID of the pond that was named; throws 422 unless it lies on the farm of the batch. */
export async function pondIdOf(
  deps: { queries: Pick<FeedingQueries, 'pond'> },
  batch: BatchToFeed,
  ref: string | null,
): Promise<string | null> {
  if (ref === null) return null;
  const pond = await deps.queries.pond(ref);
  if (pond?.farm_id !== batch.farm_id)
    throw invalidField(422, 'pond_id', 'no such pond on the farm of this batch');
  return pond.id;
}

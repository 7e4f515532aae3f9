import { type FeedingUpdate, feedingRecord } from '#contract/resources/feeding.ts';
import { remove, update } from '#core/changes.ts';
import { type CorrectionDeps, changesOf, correctionEntry } from '#core/correct-record.ts';
import { isoOf } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { localDay } from '#core/zone-clock.ts';
import type { Language } from '#science/advice/language.ts';
import { type FeedingWarning, type WarningDeps, warningsOf } from './feeding-rules.ts';
import type { BatchToFeed, FeedingQueries, FeedingRecord } from './ports.ts';
import { feedDateOf, pondIdOf, requireBatch } from './record-feeding.ts';

export type ChangeFeedingDeps = CorrectionDeps & WarningDeps & { queries: FeedingQueries };

/** Decides a correction, also of a batch that is finished. Fields left out stay; what changes nothing leaves no entry. */
export async function changeFeeding(
  deps: ChangeFeedingDeps,
  caller: Caller,
  current: FeedingRecord,
  { input, sentDate, language }: { input: FeedingUpdate; sentDate: unknown; language: Language },
): Promise<Decision<{ row: FeedingRecord; warnings: FeedingWarning[] }>> {
  const batch = await requireBatch(deps, current.batch_id);
  const { pond_id, feed_date, ...fields } = input;
  const changed = changesOf(current, {
    ...fields,
    ...(pond_id === undefined ? {} : { pond_id: await pondIdOf(deps, batch, pond_id) }),
    ...(feed_date === undefined
      ? {}
      : { feed_date: feedDateOf(deps, batch, { instant: feed_date, sent: sentDate }) }),
  });
  if (changed === null) return { answer: { row: current, warnings: [] } };
  const set = { ...changed.after, updated_at: isoOf(deps.now()) };
  const row: FeedingRecord = { ...current, ...set, rev: current.rev + 1 };
  const entry = correctionEntry(deps, { ...entryOf(caller, batch, current), ...changed });
  return {
    answer: { row, warnings: await warningsOf(deps, row, language) },
    changes: [update(feedingRecord, current, set), entry],
  };
}

/** Decides the end of a record; its values stay in the audit. */
export async function deleteFeeding(
  deps: ChangeFeedingDeps,
  caller: Caller,
  current: FeedingRecord,
): Promise<Decision<void>> {
  const batch = await requireBatch(deps, current.batch_id);
  const { rev: _rev, ...before } = current;
  const entry = correctionEntry(deps, { ...entryOf(caller, batch, current), before, after: null });
  return { answer: undefined, changes: [remove(feedingRecord, current), entry] };
}

function entryOf(caller: Caller, batch: BatchToFeed, row: FeedingRecord) {
  return {
    kind: 'feeding_record' as const,
    id: row.id,
    name: `Feeding of ${batch.batch_code}, ${localDay(row.feed_date, batch.timezone)}`,
    farmId: batch.farm_id,
    userId: caller.userId,
  };
}

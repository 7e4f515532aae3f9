import { survivalChange } from '#contract/resources/batches.ts';
import { type Change, insert } from '#core/changes.ts';
import { AppError, conflict } from '#core/errors.ts';
import type { Caller } from '#core/route.ts';
import { startOfDay } from '#core/zone-clock.ts';
import { replayPopulation } from '#science/population.ts';
import type { Batch, BatchHistory } from '../batch-state.ts';
import type { ChangeBatchDeps } from './batch-state.ts';
import { COUNTED_AT_HARVEST, standing } from './batch-state.ts';
import { followingLosses, weightsOfMoves } from './following-facts.ts';
import { inPlaceOf, requireNoneMissed } from './losses.ts';
import type { LossRow } from './ports.ts';

/** What a batch was stocked as: told at the stocking, and corrected where that was wrong. */
export const STOCKING_FIELDS = [
  'species',
  'lineage',
  'larva_origin',
  'start_date',
  'initial_count',
  'initial_avg_weight',
  'initial_density',
] as const;

export type Stocking = Pick<Batch, (typeof STOCKING_FIELDS)[number]>;

/**
 * Decides what follows from another stocking than was told at first: the batch is then as if it had been told rightly. Throws
 * 409 with the first record that could then not be.
 */
export async function correctStocking(
  deps: ChangeBatchDeps,
  caller: Caller,
  history: BatchHistory,
  stocking: Partial<Stocking>,
): Promise<{ changes: Change[]; after: BatchHistory }> {
  if (stocking.start_date !== undefined) await requireNothingBefore(deps, history, stocking.start_date);
  const survival = await followingLosses(deps, caller, history, {
    stocking,
    survival: await countsAtHarvest(deps, caller, history),
  });
  const after = history.asIf({ stocking, survival });
  const { animals } = after;
  requireNoneMissed(replayPopulation(history.animals), replayPopulation(animals), { animals });
  return {
    changes: [
      ...survival.map((fact) => insert(survivalChange, fact)),
      ...(await weightsOfMoves(deps, { before: history, after })),
    ],
    after,
  };
}

type RecordKind = 'FEEDING' | 'TRANSFER' | 'HARVEST' | 'LOSS' | 'END';

const NAMES: Readonly<Record<RecordKind, string>> = {
  FEEDING: 'a feeding',
  TRANSFER: 'a transfer',
  HARVEST: 'a partial harvest',
  LOSS: 'a loss',
  END: 'the end of the batch',
};

/**
 * Throws 409 for the earliest record since the old start that a later one would leave before the stocking. A weighing may
 * lie there: it is kept and told, as one that is entered with such a date.
 */
async function requireNothingBefore(
  deps: Pick<ChangeBatchDeps, 'queries'>,
  { state, animals }: BatchHistory,
  start: string,
): Promise<void> {
  const { batch, timezone } = state;
  const span = { from: startOfDay(batch.start_date, timezone), before: startOfDay(start, timezone) };
  if (span.before <= span.from) return;
  const fed = await deps.queries.firstFeeding(batch.id, span);
  const records: { kind: RecordKind; id: string; at: string | null }[] = [
    { kind: 'FEEDING', id: fed?.id ?? '', at: fed?.feed_date ?? null },
    ...animals.steps.map(({ kind, id, at }) => ({ kind, id, at })),
    ...animals.survivalFacts.flatMap(({ kind, id, at }) => (kind === 'LOSS' ? [{ kind, id, at }] : [])),
    { kind: 'END', id: batch.id, at: batch.actual_harvest_date },
  ];
  // what was dated before the old start already was told then, and kept
  const first = records
    .flatMap(({ at, ...record }) =>
      at !== null && at >= span.from && at < span.before ? { ...record, at } : [],
    )
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))[0];
  if (first === undefined) return;
  const { status, message, extras } = conflict(
    `start_date: on ${first.at} there is ${NAMES[first.kind]}, before a start on ${start}. Correct or delete that first`,
    'RECORD_BEFORE_START',
  );
  throw new AppError(status, message, { ...extras, more: { record: first } });
}

/** Animals counted at the final harvest, where a program before this one stored them as a share of the stocked alone. */
async function countsAtHarvest(
  deps: ChangeBatchDeps,
  caller: Caller,
  { state }: BatchHistory,
): Promise<LossRow[]> {
  const { batch, harvestedCount } = state;
  if (batch.status !== 'FINISHED') return [];
  return standing(await deps.queries.survivalTold(batch.id, 'ABSOLUTE')).flatMap(({ id, first, fact }) => {
    const { kind, value, animals, description } = fact;
    if (animals !== null || description !== COUNTED_AT_HARVEST) return [];
    const counted = Math.max(0, Math.round((value / 100) * batch.initial_count) - harvestedCount);
    const told = { ...first, updated_at: fact.created_at };
    const step = { kind, value, animals: counted, description, corrects: id };
    return [inPlaceOf(deps, caller, told, { at: fact.changed_at, step })];
  });
}

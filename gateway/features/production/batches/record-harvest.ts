import type { RowOf } from '#contract/resource.ts';
import { type HarvestCreate, type HarvestUpdate, harvest } from '#contract/resources/batches.ts';
import { asParent, insert, remove, update } from '#core/changes.ts';
import { changesOf, correctionEntry } from '#core/correct-record.ts';
import { conflict, invalidField } from '#core/errors.ts';
import { requireNotAhead } from '#core/facts-of-now.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { instantOnFarm, localDay } from '#core/zone-clock.ts';
import type { Language } from '#science/advice/language.ts';
import { wasIn } from '../batch-in-pond.ts';
import type { Batch, BatchState, BatchStates } from '../batch-state.ts';
import { type BatchWarning, harvestWarnings, requireActive, requireSinceStart } from './batch-rules.ts';
import { BATCH_WARNINGS } from './batch-words.ts';
import { requireState } from './change-batch.ts';
import type { BatchQueries, Harvest } from './ports.ts';

export type HarvestDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'guard' | 'clockQuality'> & {
  queries: BatchQueries;
  batches: Pick<BatchStates, 'byIds'>;
};

type Recorded<Row> = Decision<{ row: Row; warnings: BatchWarning[] }>;

/**
 * Decides a partial harvest: animals taken out while the batch goes on. Throws 409 for a batch that is not in
 * production or an id that is taken, 422 for a day before its start or more than one ahead, or a pond of another farm.
 * More animals than were estimated alive are believed, and told.
 *
 * @param sentDate the date as it came: a bare day begins on the farm, not in UTC
 */
export async function recordHarvest(
  deps: HarvestDeps,
  caller: Caller,
  batchId: string,
  { input: sent, sentDate, language }: { input: HarvestCreate; sentDate: unknown; language: Language },
): Promise<Recorded<RowOf<typeof harvest>>> {
  const input = byOneName(sent);
  const guard = asParent(await deps.guard('batch', batchId));
  const state = await requireState(deps, batchId);
  requireActive(state.batch, 'harvested in part');
  if (input.id !== undefined && (await deps.queries.harvestIdTaken(input.id)))
    throw conflict('This id is taken', 'ID_TAKEN');
  const now = isoOf(deps.now());
  const row: RowOf<typeof harvest> = {
    id: input.id ?? deps.newId(),
    batch_id: state.batch.id,
    pond_id: await pondIdOf(deps, state.batch, input.pond_id ?? null),
    harvest_date: input.harvest_date === undefined ? now : dateOf(deps, state, input.harvest_date, sentDate),
    quantity: input.quantity,
    weight_kg: input.weight_kg,
    price_per_kg: input.price_per_kg ?? null,
    notes: input.notes ?? null,
    created_by: caller.userId,
    clock_quality: deps.clockQuality(),
    created_at: now,
    updated_at: null,
  };
  return {
    answer: { row, warnings: warningsOf(state, { row, counted: 0 }, language) },
    changes: [insert(harvest, row)],
    guards: [guard],
  };
}

/** `date` and `price` are other names of `harvest_date` and `price_per_kg`. */
function byOneName<Input extends HarvestCreate | HarvestUpdate>({ date, price, ...named }: Input) {
  return {
    ...named,
    harvest_date: named.harvest_date ?? date,
    price_per_kg: named.price_per_kg === undefined ? price : named.price_per_kg,
  };
}

/** Decides a correction, also of a batch that has ended; old and new values stay in the audit. */
export async function changeHarvest(
  deps: HarvestDeps,
  caller: Caller,
  current: Harvest,
  { input, sentDate, language }: { input: HarvestUpdate; sentDate: unknown; language: Language },
): Promise<Recorded<Harvest>> {
  const state = await requireState(deps, current.batch_id);
  const { pond_id, harvest_date, ...fields } = byOneName(input);
  const changed = changesOf(current, {
    ...fields,
    ...(pond_id === undefined ? {} : { pond_id: await pondIdOf(deps, state.batch, pond_id) }),
    ...(harvest_date === undefined ? {} : { harvest_date: dateOf(deps, state, harvest_date, sentDate) }),
  });
  if (changed === null) return { answer: { row: current, warnings: [] } };
  const set = { ...changed.after, updated_at: isoOf(deps.now()) };
  const row: Harvest = { ...current, ...set, rev: current.rev + 1 };
  return {
    answer: { row, warnings: warningsOf(state, { row, counted: current.quantity }, language) },
    changes: [
      update(harvest, current, set),
      correctionEntry(deps, { ...nameOf(caller, state, current), ...changed }),
    ],
  };
}

/** Decides the end of a harvest's record; its values stay in the audit. */
export async function deleteHarvest(
  deps: HarvestDeps,
  caller: Caller,
  current: Harvest,
): Promise<Decision<void>> {
  const state = await requireState(deps, current.batch_id);
  const { rev: _rev, ...before } = current;
  const entry = correctionEntry(deps, { ...nameOf(caller, state, current), before, after: null });
  return { answer: undefined, changes: [remove(harvest, current), entry] };
}

function nameOf(caller: Caller, { batch, timezone }: BatchState, row: Harvest) {
  return {
    kind: 'harvest' as const,
    id: row.id,
    name: `Harvest of ${batch.batch_code}, ${localDay(row.harvest_date, timezone)}`,
    farmId: batch.farm_id,
    userId: caller.userId,
  };
}

/** `counted`: animals of this very harvest that the population already lacks. */
function warningsOf(
  state: BatchState,
  { row, counted }: { row: Pick<Harvest, 'quantity' | 'pond_id' | 'harvest_date'>; counted: number },
  language: Language,
): BatchWarning[] {
  const day = localDay(row.harvest_date, state.timezone);
  return [
    ...harvestWarnings(
      { batch: state.batch, population: state.population + counted },
      { count: row.quantity, before: state.harvestedCount - counted },
      language,
    ),
    ...(row.pond_id === null || wasIn(state, row.pond_id, day)
      ? []
      : [{ code: 'NOT_IN_POND', message: BATCH_WARNINGS[language].notInPond(day) }]),
  ];
}

function dateOf(deps: HarvestDeps, state: BatchState, instant: string, sent: unknown): string {
  const at = instantOnFarm(instant, sent, state.timezone);
  const day = localDay(at, state.timezone);
  requireSinceStart(state.batch, 'harvest_date', day);
  requireNotAhead(deps, 'harvest_date', day, state.timezone);
  return at;
}

async function pondIdOf(deps: HarvestDeps, batch: Batch, ref: string | null): Promise<string | null> {
  if (ref === null) return null;
  const pond = await deps.queries.pond(ref);
  if (pond?.farm_id !== batch.farm_id)
    throw invalidField(422, 'pond_id', 'no such pond on the farm of this batch');
  return pond.id;
}

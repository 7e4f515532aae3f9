import { freeLotCode, lotCode } from '#contract/lot-code.ts';
import {
  harvestLot,
  type LotCreate,
  type LotUpdate,
  type SizeClass,
} from '#contract/resources/harvest-lots.ts';
import { asParent, insert, remove, update } from '#core/changes.ts';
import { changesOf, correctionEntry } from '#core/correct-record.ts';
import { conflict, invalidField, notFound, taken } from '#core/errors.ts';
import { requireNotAhead } from '#core/facts-of-now.ts';
import { isoOf } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { instantOnFarm, localDay } from '#core/zone-clock.ts';
import type { Language } from '#science/advice/language.ts';
import type { BatchState } from '../batch-state.ts';
import { harvestedKgOf, type LotWarning, lotWarnings, requireWithin } from './lot-rules.ts';
import type { HarvestLot, LotDeps, LotHarvest, LotRow } from './ports.ts';

/** Of one batch: no harvest fills that many trucks, and a program gone wild would enter them. */
export const MOST_LOTS = 500;

type Sent = { sentDate: unknown; language: Language };
type Written<Row> = Decision<{ row: Row; state: BatchState; warnings: LotWarning[] }>;

export async function requireBatch(deps: Pick<LotDeps, 'batches'>, id: string): Promise<BatchState> {
  const state = (await deps.batches.byIds([id])).get(id);
  if (state === undefined) throw notFound('Batch');
  return state;
}

/**
 * Decides a new lot of a harvest. Throws 409 for an id that is taken; 400 for a code that another lot of the farm bears; 422
 * for a harvest of another batch, a day before the start or ahead, classes above the lot, or lots far above the harvest.
 *
 * @param sentDate the date as it came: a bare day begins on the farm, not in UTC
 */
export async function writeLot(
  deps: LotDeps,
  caller: Caller,
  batchId: string,
  { input, sentDate, language }: Sent & { input: LotCreate },
): Promise<Written<LotRow>> {
  // moved on, not only held: of two lots at the same moment one sees the other
  const guard = await deps.guard('batch', batchId);
  const state = await requireBatch(deps, batchId);
  const { batch, timezone } = state;
  if (input.id !== undefined && (await deps.queries.lotIdTaken(input.id)))
    throw conflict('This id is taken', 'ID_TAKEN');
  const of = await harvestOf(deps, state, input.harvest_id ?? null);
  const others = await deps.queries.lotsOf([batch.id]);
  if (others.length >= MOST_LOTS)
    throw conflict(`Batch ${batch.batch_code} has ${MOST_LOTS} lots already: delete some`, 'TOO_MANY_LOTS');
  const at =
    input.harvested_at === undefined
      ? (of?.harvest_date ?? batch.actual_harvest_date ?? isoOf(deps.now()))
      : dateOf(deps, state, { instant: input.harvested_at, sentDate });
  const now = isoOf(deps.now());
  const row: LotRow = {
    id: input.id ?? deps.newId(),
    farm_id: batch.farm_id,
    batch_id: batch.id,
    harvest_id: of?.id ?? null,
    pond_id: await pondIdOf(deps, state, input.pond_id ?? null),
    lot_code: await codeOf(deps, state, { told: input.lot_code, day: localDay(at, timezone) }),
    harvested_at: at,
    weight_kg: input.weight_kg,
    ...numberOf(input),
    classes: storedClasses(input.classes ?? []),
    buyer: input.buyer ?? null,
    buyer_tax_id: input.buyer_tax_id ?? null,
    transport_document: input.transport_document ?? null,
    vehicle: input.vehicle ?? null,
    driver: input.driver ?? null,
    loading_temperature_c: input.loading_temperature_c ?? null,
    notes: input.notes ?? null,
    created_by: caller.userId,
    clock_quality: deps.clockQuality(),
    created_at: now,
    updated_at: null,
  };
  requireWithin({ row, others, harvested: harvestedKgOf(state, of) });
  return {
    answer: { row, state, warnings: await lotWarnings(deps, { state, row, of, others }, language) },
    changes: [insert(harvestLot, row)],
    guards: [guard],
  };
}

/** Decides a correction, also of a batch that has ended. Fields left out stay; what changes nothing leaves no entry. */
export async function changeLot(
  deps: LotDeps,
  caller: Caller,
  current: HarvestLot,
  { input, sentDate, language }: Sent & { input: LotUpdate },
): Promise<Written<HarvestLot>> {
  const guard = await deps.guard('batch', current.batch_id);
  const state = await requireBatch(deps, current.batch_id);
  const { pond_id, harvested_at, lot_code, classes, count, average_weight_g, ...fields } = input;
  if (lot_code !== undefined && lot_code !== current.lot_code) await requireFreeCode(deps, state, lot_code);
  const changed = changesOf(current, {
    ...fields,
    ...(lot_code === undefined ? {} : { lot_code }),
    ...(count === undefined && average_weight_g === undefined ? {} : numberOf({ count, average_weight_g })),
    ...(classes === undefined ? {} : { classes: storedClasses(classes) }),
    ...(pond_id === undefined ? {} : { pond_id: await pondIdOf(deps, state, pond_id) }),
    ...(harvested_at === undefined
      ? {}
      : { harvested_at: dateOf(deps, state, { instant: harvested_at, sentDate }) }),
  });
  if (changed === null) return { answer: { row: current, state, warnings: [] } };
  const set = { ...changed.after, updated_at: isoOf(deps.now()) };
  const row: HarvestLot = { ...current, ...set, rev: current.rev + 1 };
  const of = row.harvest_id === null ? null : await deps.queries.harvestById(row.harvest_id);
  const others = await deps.queries.lotsOf([row.batch_id]);
  // a harvest that was corrected since may weigh less than its lots: the rest of a lot is corrected all the same
  if ('weight_kg' in changed.after || 'classes' in changed.after)
    requireWithin({ row, others, harvested: harvestedKgOf(state, of) });
  return {
    answer: { row, state, warnings: await lotWarnings(deps, { state, row, of, others }, language) },
    changes: [
      update(harvestLot, current, set),
      correctionEntry(deps, { ...entryOf(caller, current), ...changed }),
    ],
    guards: [guard],
  };
}

/** Decides the end of a lot; its values stay in the audit. */
export async function deleteLot(deps: LotDeps, caller: Caller, current: HarvestLot): Promise<Decision<void>> {
  const guard = asParent(await deps.guard('batch', current.batch_id));
  const { rev: _rev, ...before } = current;
  const entry = correctionEntry(deps, { ...entryOf(caller, current), before, after: null });
  return { answer: undefined, changes: [remove(harvestLot, current), entry], guards: [guard] };
}

const entryOf = (caller: Caller, row: LotRow) => ({
  kind: 'harvest_lot' as const,
  id: row.id,
  name: `Harvest lot ${row.lot_code}`,
  farmId: row.farm_id,
  userId: caller.userId,
});

/** Throws 422 for a harvest of another batch, and where none is named before there was a final one. */
async function harvestOf(
  { queries }: LotDeps,
  { batch }: BatchState,
  harvestId: string | null,
): Promise<LotHarvest | null> {
  if (harvestId === null) {
    if (batch.status === 'FINISHED') return null;
    throw invalidField(
      422,
      'harvest_id',
      'is required: there was no final harvest of this batch; record the harvest first',
      'NO_HARVEST',
    );
  }
  const found = await queries.harvestById(harvestId);
  if (found?.batch_id !== batch.id) throw invalidField(422, 'harvest_id', 'no such harvest of this batch');
  return found;
}

/** The number of animals as it was told: as one, or as what each weighs. */
function numberOf({
  count,
  average_weight_g: average,
}: Pick<LotCreate, 'count' | 'average_weight_g'>): Pick<LotRow, 'count' | 'average_weight_g'> {
  if (count != null && average != null)
    throw invalidField(422, 'average_weight_g', 'either this or count: the other follows', 'TOLD_TWICE');
  return { count: count ?? null, average_weight_g: average ?? null };
}

function storedClasses(told: NonNullable<LotCreate['classes']>): SizeClass[] {
  return told.map(({ pieces_min, pieces_max, weight_kg, price_per_kg }) => ({
    pieces_min: pieces_min ?? null,
    pieces_max: pieces_max ?? null,
    weight_kg,
    price_per_kg: price_per_kg ?? null,
  }));
}

async function codeOf(
  deps: LotDeps,
  state: BatchState,
  { told, day }: { told: string | undefined; day: string },
): Promise<string> {
  if (told !== undefined) {
    await requireFreeCode(deps, state, told);
    return told;
  }
  const { farm_id, batch_code } = state.batch;
  const start = lotCode(batch_code, day, 0).slice(0, -1);
  return freeLotCode(batch_code, day, new Set(await deps.queries.codesLike(farm_id, start)));
}

async function requireFreeCode({ queries }: LotDeps, { batch }: BatchState, code: string): Promise<void> {
  if (await queries.isCodeUsed(batch.farm_id, code))
    throw taken('lot_code', `lot_code: another lot of this farm already has the code ${code}`);
}

function dateOf(
  deps: LotDeps,
  { batch, timezone }: BatchState,
  { instant, sentDate }: { instant: string; sentDate: unknown },
): string {
  const at = instantOnFarm(instant, sentDate, timezone);
  const day = localDay(at, timezone);
  if (day < batch.start_date)
    throw invalidField(
      422,
      'harvested_at',
      `must not lie before the start of the batch (${batch.start_date})`,
      'BEFORE_BATCH_START',
    );
  requireNotAhead(deps, 'harvested_at', day, timezone);
  return at;
}

async function pondIdOf(deps: LotDeps, { batch }: BatchState, ref: string | null): Promise<string | null> {
  if (ref === null) return null;
  const pond = await deps.queries.pondOnFarm(batch.farm_id, ref);
  if (pond === null) throw invalidField(422, 'pond_id', 'no such pond on the farm of this batch');
  return pond.id;
}

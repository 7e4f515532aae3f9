import * as z from 'zod';
import { idInput, idOrNumber, pageQuery } from '#contract/fields.ts';
import type { RowOf } from '#contract/resource.ts';
import {
  type HarvestAnswer,
  type HarvestCreate,
  type HarvestUpdate,
  harvest,
  harvestAnswer,
  harvestCreate,
  harvestUpdate,
} from '#contract/resources/batches.ts';
import { harvestLot } from '#contract/resources/harvest-lots.ts';
import { mayOnFarm } from '#contract/rights.ts';
import { journalAnswer } from '#core/audit.ts';
import { asParent, type Change, insert, remove, update } from '#core/changes.ts';
import { changesOf, correctionEntry } from '#core/correct-record.ts';
import { conflict, invalidField, notFound } from '#core/errors.ts';
import { requireNotInFuture } from '#core/facts-of-now.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { onFarm, requireMatch, signedIn } from '#core/request-checks.ts';
import { type Caller, type FarmAccess, type Route, route } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { instantOnFarm, localDay } from '#core/zone-clock.ts';
import type { Language } from '#science/advice/language.ts';
import { populationIn, wasIn } from '../batch-in-pond.ts';
import type { Batch, BatchState, BatchStates } from '../batch-state.ts';
import { lotsAboveHarvest } from '../lots-of-harvest.ts';
import { type Withdrawals, withdrawalWarnings } from '../withdrawal.ts';
import { atBatch, batchParams, tag } from './batch-routes-common.ts';
import { harvestToAnswer } from './batch-states.ts';
import { requireState } from './change-batch.ts';
import {
  BATCH_WARNINGS,
  type BatchWarning,
  harvestWarnings,
  requireActive,
  requireBatch,
  requireSinceStart,
} from './create-batch.ts';
import type { BatchQueries, Harvest, HarvestLotFact } from './ports.ts';

type HarvestDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'guard' | 'clockQuality'> & {
  queries: BatchQueries;
  batches: Pick<BatchStates, 'byIds'>;
  withdrawals: Withdrawals;
};

type Recorded<Row> = Decision<{ row: Row; warnings: BatchWarning[] }>;

/**
 * Decides a partial harvest: animals taken out while the batch goes on. Throws 409 for a batch that is not in
 * production or an id that is taken, 422 for a day before its start, an instant ahead, or a pond of another farm.
 * More animals than were estimated alive are believed, and told.
 *
 * @param sentDate the date as it came: a bare day begins on the farm, not in UTC
 */
async function recordHarvest(
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
    answer: { row, warnings: await warningsOf(deps, state, { row, before: null, language }) },
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
async function changeHarvest(
  deps: HarvestDeps,
  caller: Caller,
  current: Harvest,
  { input, sentDate, language }: { input: HarvestUpdate; sentDate: unknown; language: Language },
): Promise<Recorded<Harvest>> {
  // a lot that is made of it at the same moment follows, too
  const guard = await deps.guard('batch', current.batch_id);
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
    answer: { row, warnings: await warningsOf(deps, state, { row, before: current, language }) },
    changes: [
      update(harvest, current, set),
      ...(await lotsThatFollow(deps, current, row)),
      correctionEntry(deps, { ...nameOf(caller, state, current), ...changed }),
    ],
    guards: [guard],
  };
}

/** A lot that was taken to be of the time of its harvest is of the right time as well; its code stands on papers and stays. */
async function lotsThatFollow(deps: HarvestDeps, before: Harvest, after: Harvest): Promise<Change[]> {
  const { harvest_date: harvested_at } = after;
  if (harvested_at === before.harvest_date) return [];
  const lots = await deps.queries.lotsOfHarvests(after.batch_id);
  return lots
    .filter((lot) => lot.harvest_id === after.id && lot.harvested_at === before.harvest_date)
    .map(({ id }) => update(harvestLot, id, { harvested_at, updated_at: isoOf(deps.now()) }));
}

/** Decides the end of a harvest's record; its values stay in the audit. 409 while lots that were sold are of it. */
async function deleteHarvest(deps: HarvestDeps, caller: Caller, current: Harvest): Promise<Decision<void>> {
  const guard = await deps.guard('batch', current.batch_id);
  const state = await requireState(deps, current.batch_id);
  const lots = await deps.queries.lotsOfHarvests(current.batch_id);
  if (lots.some(({ harvest_id }) => harvest_id === current.id))
    throw conflict('This harvest has lots: delete those first', 'HARVEST_HAS_LOTS');
  const { rev: _rev, ...before } = current;
  const entry = correctionEntry(deps, { ...nameOf(caller, state, current), before, after: null });
  return { answer: undefined, changes: [remove(harvest, current), entry], guards: [guard] };
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

/** `before`: what this very harvest took as it was told before, which the population already lacks. */
async function warningsOf(
  { withdrawals, queries }: HarvestDeps,
  state: BatchState,
  {
    row,
    before,
    language,
  }: {
    row: Pick<Harvest, 'id' | 'quantity' | 'weight_kg' | 'pond_id' | 'harvest_date'>;
    before: Pick<Harvest, 'quantity' | 'pond_id'> | null;
    language: Language;
  },
): Promise<BatchWarning[]> {
  const counted = before?.quantity ?? 0;
  const day = localDay(row.harvest_date, state.timezone);
  const isElsewhere = row.pond_id !== null && !wasIn(state, row.pond_id, day);
  const isOfPond = row.pond_id !== null && !isElsewhere;
  const lackedThere = !isOfPond || row.pond_id === before?.pond_id ? counted : 0;
  const lots = before === null ? [] : await queries.lotsOfHarvests(state.batch.id);
  const lotsKg = lots.reduce((sum, lot) => sum + (lot.harvest_id === row.id ? lot.weight_kg : 0), 0);
  const there = isOfPond ? populationIn(state, row.pond_id ?? '') : state.population;
  return [
    ...withdrawalWarnings(await withdrawals.on(state, day), language),
    ...harvestWarnings(
      { batch: state.batch, population: there + lackedThere },
      { count: row.quantity, before: state.harvestedCount - counted },
      language,
    ),
    ...lotsAboveHarvest(lotsKg, { kg: row.weight_kg }, language),
    ...(isElsewhere ? [{ code: 'NOT_IN_POND', message: BATCH_WARNINGS[language].notInPond(day) }] : []),
  ];
}

function dateOf(deps: HarvestDeps, state: BatchState, instant: string, sent: unknown): string {
  const at = instantOnFarm(instant, sent, state.timezone);
  requireSinceStart(state.batch, 'harvest_date', localDay(at, state.timezone));
  requireNotInFuture(deps, 'harvest_date', at);
  return at;
}

async function pondIdOf(deps: HarvestDeps, batch: Batch, ref: string | null): Promise<string | null> {
  if (ref === null) return null;
  const pond = await deps.queries.pond(ref);
  if (pond?.farm_id !== batch.farm_id)
    throw invalidField(422, 'pond_id', 'no such pond on the farm of this batch');
  return pond.id;
}

const harvestParams = z.object({ batch_id: idOrNumber, harvest_id: idInput });
const atHarvest = { who: 'farm', of: 'harvest', at: 'params', field: 'harvest_id', others: 404 } as const;

/** Animals taken out while the batch goes on. */
export function harvestRoutes(deps: HarvestDeps): Route[] {
  /** 404 also for a harvest of another batch than the path says. */
  async function harvestOf(params: { batch_id: string; harvest_id: string }): Promise<Harvest> {
    const harvest = await deps.queries.harvestById(params.harvest_id);
    const found = await deps.queries.batch(params.batch_id);
    if (harvest === null || found?.batch.id !== harvest.batch_id) throw notFound('Harvest');
    return harvest;
  }
  return [
    ...harvestsOfBatchRoutes(deps),
    route({
      method: 'PUT',
      path: '/batches/{batch_id}/harvests/{harvest_id}',
      tag,
      summary: 'Correct a partial harvest',
      access: { ...atHarvest, right: 'manage' },
      params: harvestParams,
      body: harvestUpdate,
      answers: { 200: { schema: harvestAnswer } },
      async handle(request) {
        const current = await harvestOf(request.params);
        requireMatch(request, current);
        const changed = await changeHarvest(deps, signedIn(request), current, {
          input: request.body,
          sentDate: request.rawBody['harvest_date'] ?? request.rawBody['date'],
          language: request.language,
        });
        const { row, warnings } = changed.answer;
        const seen = await seenBy(deps, row.batch_id, onFarm(request));
        const body = { ...harvestToAnswer(row, seen), warnings };
        return { ...changed, answer: { status: 200, body, rev: row.rev } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/batches/{batch_id}/harvests/{harvest_id}',
      tag,
      summary: 'Delete the record of a partial harvest',
      access: { ...atHarvest, right: 'manage' },
      params: harvestParams,
      answers: { 204: null },
      async handle(request) {
        const current = await harvestOf(request.params);
        const gone = await deleteHarvest(deps, signedIn(request), current);
        return { ...gone, answer: { status: 204 } };
      },
    }),
  ];
}

function harvestsOfBatchRoutes(deps: HarvestDeps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/batches/{batch_id}/harvests',
      tag,
      summary: 'Record a partial harvest',
      access: { ...atBatch, right: 'manage' },
      params: batchParams,
      body: harvestCreate,
      answers: { 201: { schema: harvestAnswer } },
      idempotent: true,
      async handle(request) {
        const { batch } = await requireBatch(deps, request.params.batch_id);
        const made = await recordHarvest(deps, signedIn(request), batch.id, {
          input: request.body,
          sentDate: request.rawBody['harvest_date'] ?? request.rawBody['date'],
          language: request.language,
        });
        const { row, warnings } = made.answer;
        const seen = await seenBy(deps, row.batch_id, onFarm(request));
        const body = { ...harvestToAnswer(row, seen), warnings };
        return { ...made, answer: { status: 201, body, rev: 1 } };
      },
    }),
    route({
      method: 'GET',
      path: '/batches/{batch_id}/harvests',
      tag,
      summary: 'Partial harvests of a batch, newest first',
      access: { ...atBatch, right: 'read' },
      params: batchParams,
      query: pageQuery,
      answers: { 200: { schema: harvestAnswer, list: true } },
      async handle(request) {
        const { batch } = await requireBatch(deps, request.params.batch_id);
        const seen = await seenBy(deps, batch.id, onFarm(request));
        return {
          answer: await journalAnswer(request.query, {
            count: () => deps.queries.countHarvests(batch.id),
            rows: (page) => answersOf(deps.queries.harvestsOf(batch.id, page), seen),
          }),
        };
      },
    }),
  ];
}

async function seenBy({ queries }: HarvestDeps, batchId: string, { role }: FarmAccess): Promise<Seen> {
  return {
    readsFinance: mayOnFarm(role, 'read_finance'),
    lots: await queries.lotsOfHarvests(batchId),
  };
}

type Seen = { readsFinance: boolean; lots: readonly HarvestLotFact[] };

async function* answersOf(harvests: AsyncIterable<Harvest>, seen: Seen): AsyncIterable<HarvestAnswer> {
  for await (const harvest of harvests) yield harvestToAnswer(harvest, seen);
}

import { survivalChange } from '#contract/resources/batches.ts';
import type { LossUpdate, SurvivalAdjust, ToldAs } from '#contract/resources/losses.ts';
import { type Change, type GuardSeen, insert } from '#core/changes.ts';
import { correctionEntry } from '#core/correct-record.ts';
import { AppError, conflict, invalidField, notFound } from '#core/errors.ts';
import { requireNotInFuture } from '#core/facts-of-now.ts';
import { isoOf } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { instantOnFarm, localDay } from '#core/zone-clock.ts';
import type { Language } from '#science/advice/language.ts';
import {
  aliveByPond,
  animalsByPond,
  type BatchAnimals,
  type Overdraw,
  type Population,
  replayPopulation,
  worsened,
} from '#science/population.ts';
import { adjustSurvival, type LossFact } from '#science/survival.ts';
import type { BatchHistory, BatchStates } from '../batch-state.ts';
import type { ChangeBatchDeps } from './batch-state.ts';
import {
  afterAllTold,
  type SurvivalDeps,
  type SurvivalStep,
  standing,
  survivalFact,
  survivalRows,
  touched,
} from './batch-state.ts';
import { BATCH_WARNINGS, type BatchWarning, requireActive, requireSinceStart } from './create-batch.ts';
import type { BatchQueries, LossRow } from './ports.ts';

/** A loss as it stands, corrections in. */
export type Loss = Omit<LossRow, 'corrects'> & {
  updated_at: string | null;
  rev: number;
  /** Whole animals, by the books of the batch as they are now. */
  died: number;
  /** As told, else as it comes out; null: none were alive. */
  severity: number | null;
  toldAs: ToldAs;
};

export type RecordedLoss = {
  loss: LossRow;
  oldRate: number;
  newRate: number;
  adjustment: number;
  died: number;
  /** Alive now, in that pond or the batch. */
  alive: number;
  warnings: BatchWarning[];
};

export async function requireHistory(
  { batches }: { batches: Pick<BatchStates, 'historyOf'> },
  batchId: string,
): Promise<BatchHistory> {
  const history = await batches.historyOf(batchId);
  if (history === null) throw notFound('Batch');
  return history;
}

/** Losses of a batch as they stand, newest first. */
export async function lossesOf(
  deps: { queries: Pick<BatchQueries, 'survivalTold'>; batches: Pick<BatchStates, 'historyOf'> },
  batchId: string,
): Promise<Loss[]> {
  const { animals } = await requireHistory(deps, batchId);
  return lossesIn(await deps.queries.survivalTold(batchId, 'FACTOR'), replayPopulation(animals));
}

function lossesIn(rows: readonly LossRow[], population: Population): Loss[] {
  const losses = standing(rows).map(({ id, first, fact, corrections }): Loss => {
    const { corrects: _corrects, ...row } = fact;
    const { died, left } = population.losses.get(id) ?? { died: 0, left: 0 };
    const { created_by, created_at, clock_quality } = first;
    const told = row.pond_id === null ? row.value : row.pond_share;
    const isCounted = row.animals !== null;
    const comesOut = died + left === 0 ? null : died / (died + left);
    return {
      ...row,
      id,
      created_by,
      created_at,
      clock_quality,
      updated_at: corrections === 0 ? null : fact.created_at,
      rev: 1 + corrections,
      died: row.animals ?? died,
      severity: isCounted || told === null ? comesOut : told,
      toldAs: row.weight_kg !== null ? 'dead_weight_kg' : isCounted ? 'dead_count' : 'severity',
    };
  });
  return losses.toSorted((a, b) =>
    a.changed_at === b.changed_at ? (a.id < b.id ? 1 : -1) : a.changed_at < b.changed_at ? 1 : -1,
  );
}

/**
 * Decides a loss among the animals that were alive then, in one pond or in all alike. Throws 409 for an id that is taken, a batch
 * not in production, or animals that were moved or died afterwards by the books; 422 for a pond without animals of it, more dead
 * than lived there, or a day before the stocking or ahead of now.
 *
 * @param sentDate the date as it came: a bare day begins on the farm, not in UTC
 */
export async function recordLoss(
  deps: ChangeBatchDeps,
  caller: Caller,
  batchId: string,
  { input, sentDate, language }: { input: SurvivalAdjust; sentDate: unknown; language: Language },
): Promise<Decision<RecordedLoss>> {
  // moved on, not only held: a weighing that is corrected at the same moment sees what was reckoned from it
  const guard = await deps.guard('batch', batchId);
  const history = await requireHistory(deps, batchId);
  const { state, animals } = history;
  // before all else: what was told already is told as that, whatever became of the batch since
  if (input.id !== undefined && (await deps.queries.survivalIdTaken(input.id)))
    throw conflict('This id is taken', 'ID_TAKEN');
  requireActive(state.batch, 'adjusted');
  const sent = input.lost_at ?? input.date;
  const at = sent === undefined ? await afterAllTold(deps, batchId) : dateOf(deps, history, sent, sentDate);
  const step = await stepOf(deps, history, animals, { ...input, at });
  const loss = survivalFact(deps, caller, batchId, { id: input.id, at, step });
  const after = withLoss(animals, loss);
  requireNoneMissed(replayPopulation(animals), replayPopulation(after), { animals: after, ownId: loss.id });
  const population = replayPopulation(after);
  const oldRate = state.survivalRate;
  const share = oldRate === 0 ? 0 : 1 - population.survivalPercent / oldRate;
  const { newPercent, adjustment } = adjustSurvival(oldRate, share);
  const rows = await survivalRows(deps, caller, state, { id: loss.id, at, step, newRate: newPercent });
  return {
    answer: {
      loss,
      oldRate,
      newRate: newPercent,
      adjustment,
      died: loss.animals ?? population.losses.get(loss.id)?.died ?? 0,
      alive: aliveIn(population, loss.pond_id),
      warnings: warningsOf(history, after, at, language),
    },
    // two losses told at the same moment both count, one after the other: the second is reckoned anew
    changes: [...rows.changes, touched(state, rows.updatedAt)],
    guards: [guard],
  };
}

/** Decides a correction, also of a batch that has ended; old and new values stay in the audit. Fields left out stay. */
export async function changeLoss(
  deps: ChangeBatchDeps,
  caller: Caller,
  { current, guard }: { current: Loss; guard: GuardSeen },
  { input, sentDate, language }: { input: LossUpdate; sentDate: unknown; language: Language },
): Promise<Decision<{ loss: Loss; warnings: BatchWarning[]; fact: LossRow | null }>> {
  if (Object.values(input).every((each) => each === undefined))
    return { answer: { loss: current, warnings: [], fact: null } };
  const history = await requireHistory(deps, current.batch_id);
  const sent = input.lost_at ?? input.date;
  const at = sent === undefined ? current.changed_at : dateOf(deps, history, sent, sentDate);
  const { severity, dead_count, dead_weight_kg } = input;
  const isHowManySent = [severity, dead_count, dead_weight_kg].some((each) => each !== undefined);
  const others = without(history.animals, current.id);
  const step = await stepOf(deps, history, others, {
    event_description: input.event_description ?? current.description ?? '',
    cause: input.cause === undefined ? current.cause : input.cause,
    pond_id: input.pond_id === undefined ? current.pond_id : input.pond_id,
    at,
    ...(isHowManySent ? { severity, dead_count, dead_weight_kg } : howManyOf(current)),
  });
  const isSame =
    at === current.changed_at &&
    (['pond_id', 'animals', 'weight_kg', 'pond_share', 'description', 'cause'] as const).every(
      (field) => (step[field] ?? null) === current[field],
    ) &&
    (step.animals !== null || step.pond_share !== null || step.value === current.value);
  if (isSame) return { answer: { loss: current, warnings: [], fact: null } };
  const fact = inPlaceOf(deps, caller, current, { at, step: { ...step, corrects: current.id } });
  const after = withLoss(others, { ...fact, id: current.id });
  const population = replayPopulation(after);
  requireNoneMissed(replayPopulation(history.animals), population, { animals: after, ownId: current.id });
  const [loss] = lossesIn([...(await rowsOf(deps, current)), fact], population);
  if (loss === undefined) throw notFound('Loss');
  return {
    answer: { loss, warnings: warningsOf(history, after, at, language), fact },
    changes: correctionRows(deps, caller, history, { before: current, after: loss, fact }),
    guards: [guard],
  };
}

/** Decides the end of a loss, as if it had never been told; its values stay in the audit. Answers the fact that ends it. */
export async function deleteLoss(
  deps: ChangeBatchDeps,
  caller: Caller,
  { current, guard }: { current: Loss; guard: GuardSeen },
): Promise<Decision<LossRow>> {
  const history = await requireHistory(deps, current.batch_id);
  const after = without(history.animals, current.id);
  requireNoneMissed(replayPopulation(history.animals), replayPopulation(after), {
    animals: after,
    ownId: current.id,
  });
  const nobody = { kind: 'FACTOR' as const, value: 0, animals: 0, description: null, corrects: current.id };
  const fact = inPlaceOf(deps, caller, current, { at: current.changed_at, step: nobody });
  return {
    answer: fact,
    changes: correctionRows(deps, caller, history, { before: current, after: null, fact }),
    guards: [guard],
  };
}

const rowsOf = async (deps: ChangeBatchDeps, { id, batch_id }: Loss): Promise<LossRow[]> =>
  (await deps.queries.survivalTold(batch_id, 'FACTOR')).filter((row) => row.id === id || row.corrects === id);

/** It counts after every other that was told in the same place, whatever the clocks show. */
export function inPlaceOf(
  deps: SurvivalDeps,
  caller: Pick<Caller, 'userId'>,
  current: Pick<Loss, 'batch_id' | 'created_at' | 'updated_at'>,
  told: { at: string; step: SurvivalStep },
): LossRow {
  const fact = survivalFact(deps, caller, current.batch_id, told);
  const last = current.updated_at ?? current.created_at;
  const after = Math.max(Date.parse(fact.created_at), Date.parse(last) + 1);
  return { ...fact, created_at: isoOf(after) };
}

function correctionRows(
  deps: ChangeBatchDeps,
  caller: Caller,
  { state }: BatchHistory,
  { before, after, fact }: { before: Loss; after: Loss | null; fact: LossRow },
): Change[] {
  const { batch, timezone } = state;
  const entry = correctionEntry(deps, {
    kind: 'loss',
    id: before.id,
    name: `Loss of ${batch.batch_code}, ${localDay(before.changed_at, timezone)}`,
    farmId: batch.farm_id,
    userId: caller.userId,
    before: toldOf(before),
    after: after === null ? null : toldOf(after),
  });
  return [insert(survivalChange, fact), entry, touched(state, isoOf(deps.now()))];
}

const toldOf = (loss: Loss) => ({
  lost_at: loss.changed_at,
  pond_id: loss.pond_id,
  event_description: loss.description,
  cause: loss.cause,
  [loss.toldAs]: howManyOf(loss)[loss.toldAs] ?? null,
});

function howManyOf(loss: Loss): { [How in ToldAs]?: number } {
  if (loss.toldAs === 'dead_weight_kg' && loss.weight_kg !== null) return { dead_weight_kg: loss.weight_kg };
  return loss.toldAs === 'dead_count' ? { dead_count: loss.died } : { severity: loss.severity ?? 0 };
}

const without = (animals: BatchAnimals, id: string): BatchAnimals => ({
  ...animals,
  survivalFacts: animals.survivalFacts.filter((fact) => fact.id !== id),
});

function withLoss(animals: BatchAnimals, row: LossRow): BatchAnimals {
  const { id, value: severity, pond_id: pondId, animals: counted, pond_share: pondShare } = row;
  const loss: LossFact = { kind: 'LOSS', severity, pondId, animals: counted, pondShare };
  return { ...animals, survivalFacts: [...animals.survivalFacts, { ...loss, id, at: row.changed_at }] };
}

function aliveIn(population: Population, pondId: string | null): number {
  const there = animalsByPond(population);
  return pondId === null
    ? [...there.values()].reduce((sum, animals) => sum + animals, 0)
    : (there.get(pondId) ?? 0);
}

type Told = Pick<SurvivalAdjust, 'event_description' | 'cause' | 'pond_id' | ToldAs> & { at: string };

/** What died, by what lived there at that time; `animals`: of the batch without this loss. */
async function stepOf(
  deps: { queries: Pick<BatchQueries, 'pond'> },
  { state, weightAt }: BatchHistory,
  animals: BatchAnimals,
  { event_description, cause, pond_id, at, severity, dead_count, dead_weight_kg }: Told,
): Promise<SurvivalStep & Pick<LossRow, 'pond_id' | 'animals' | 'weight_kg' | 'pond_share'>> {
  if ([severity, dead_count, dead_weight_kg].filter((each) => each !== undefined).length !== 1)
    throw invalidField(422, 'severity', 'say one of severity, dead_count and dead_weight_kg');
  const pondId = pond_id == null ? null : ((await deps.queries.pond(pond_id))?.id ?? '');
  const population = replayPopulation(animals, at);
  const living = aliveIn(population, pondId);
  if (pondId !== null && living === 0)
    throw invalidField(
      422,
      'pond_id',
      `batch ${state.batch.batch_code} has no animals in such a pond at that time`,
      'NOT_IN_POND',
    );
  const byPond = aliveByPond(population);
  const all = [...byPond.values()].reduce((sum, alive) => sum + alive, 0);
  const alive = pondId === null ? all : (byPond.get(pondId) ?? 0);
  const inBatch = (share: number) => (pondId === null || all === 0 ? share : (share * alive) / all);
  const said = {
    kind: 'FACTOR' as const,
    description: event_description,
    cause: cause ?? null,
    pond_id: pondId,
  };
  if (severity !== undefined) {
    const pond_share = pondId === null ? null : severity;
    return { ...said, value: inBatch(severity), animals: null, weight_kg: null, pond_share };
  }
  const weightG = dead_weight_kg === undefined ? 1 : weightAt({ pondId, at });
  const died = dead_count ?? Math.max(1, Math.round(((dead_weight_kg ?? 0) * 1000) / weightG));
  if (died > living)
    throw invalidField(
      422,
      dead_count === undefined ? 'dead_weight_kg' : 'dead_count',
      `${died} animals are more than the ${living} that live there by the books: set the survival right first`,
      'MORE_THAN_ALIVE',
    );
  const value = inBatch(died === living ? 1 : died / alive);
  return { ...said, value, animals: died, weight_kg: dead_weight_kg ?? null, pond_share: null };
}

/** Since the stocking and not ahead of now; a clock that is not trusted cannot tell. */
function dateOf(
  deps: Pick<ChangeBatchDeps, 'now' | 'clockQuality'>,
  { state }: BatchHistory,
  instant: string,
  sent: unknown,
): string {
  const at = instantOnFarm(instant, sent, state.timezone);
  requireSinceStart(state.batch, 'lost_at', localDay(at, state.timezone));
  requireNotInFuture(deps, 'lost_at', at);
  return at;
}

/**
 * The first move or other loss that then no longer finds the animals it took; null: none. A harvest of more than were estimated
 * alive is believed.
 */
export function missedBy(
  before: Population,
  after: Population,
  { animals, ownId }: { animals: BatchAnimals; ownId?: string },
): Overdraw | null {
  const harvests = new Set(animals.steps.flatMap(({ id, kind }) => (kind === 'HARVEST' ? [id] : [])));
  return worsened(before, after).find(({ stepId }) => stepId !== ownId && !harvests.has(stepId)) ?? null;
}

/** Throws 409 where there is such a one. */
export function requireNoneMissed(
  before: Population,
  after: Population,
  of: { animals: BatchAnimals; ownId?: string },
): void {
  const { animals } = of;
  const worse = missedBy(before, after, of);
  if (worse === null) return;
  const { stepId, quantity, available } = worse;
  const step = [...animals.steps, ...animals.survivalFacts].find(({ id }) => id === stepId);
  const what = step?.kind === 'TRANSFER' ? 'were moved' : 'died';
  const { status, message, extras } = conflict(
    `This cannot be done: on ${step?.at ?? ''} ${quantity} animals ${what}, where then only ${available} would be left. Correct that first`,
    'NOT_ENOUGH_ANIMALS',
  );
  const kind = step?.kind === 'TRANSFER' ? 'TRANSFER' : 'LOSS';
  throw new AppError(status, message, {
    ...extras,
    more: { available, record: { kind, id: stepId, at: step?.at ?? null, quantity } },
  });
}

/** A survival that somebody set afterwards stands, whatever died before it. */
function warningsOf(
  { state }: BatchHistory,
  { survivalFacts }: BatchAnimals,
  at: string,
  language: Language,
): BatchWarning[] {
  const [set] = survivalFacts.filter((fact) => fact.kind === 'SET' && fact.at > at);
  return set === undefined
    ? []
    : [
        {
          code: 'SURVIVAL_SET_AFTERWARDS',
          message: BATCH_WARNINGS[language].survivalSetAfterwards(localDay(set.at, state.timezone)),
        },
      ];
}

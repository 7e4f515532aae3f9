import type { RowOf } from '#contract/resource.ts';
import { type BatchCreate, batch } from '#contract/resources/batches.ts';
import { asParent, insert } from '#core/changes.ts';
import { conflict, invalidField, notFound, taken } from '#core/errors.ts';
import { requireNotAhead } from '#core/facts-of-now.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { claimNumericId } from '#core/numeric-id.ts';
import type { Caller, FarmAccess } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { instantOnFarm, localDay } from '#core/zone-clock.ts';
import { calendarDay, figure, type Language } from '#science/advice/language.ts';
import { speciesOf } from '#science/survival.ts';
import type { Batch, BatchHistory, BatchState } from '../batch-state.ts';
import type { BatchQueries, PondToStock } from './ports.ts';

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

/** More were harvested, in parts or counted at the end, than are said to have been stocked. */
export function harvestedWarnings(
  { animals: { initialCount: initial_count, steps, survivalFacts } }: Pick<BatchHistory, 'animals'>,
  language: Language,
): BatchWarning[] {
  const counted = survivalFacts.map((fact) => (fact.kind === 'SET' ? (fact.counted ?? 0) : 0));
  const inParts = steps.reduce((sum, { kind, quantity }) => sum + (kind === 'HARVEST' ? quantity : 0), 0);
  const taken = inParts + Math.max(0, ...counted);
  if (taken <= initial_count) return [];
  const message = BATCH_WARNINGS[language].aboveStocked(taken, initial_count);
  return [{ code: 'IMPLIED_SURVIVAL_ABOVE_100', message }];
}

/** Weighings that lie before the stocking: kept, but none of this batch's. */
export function weighedBeforeWarnings(
  { state: { batch: stocked, timezone }, recorded }: Pick<BatchHistory, 'state' | 'recorded'>,
  language: Language,
): BatchWarning[] {
  const before = recorded.filter((one) => localDay(one.measurement_date, timezone) < stocked.start_date);
  if (before.length === 0) return [];
  const message = BATCH_WARNINGS[language].weighedBefore(before.length, stocked.start_date);
  return [{ code: 'WEIGHED_BEFORE_START', message }];
}

type BatchRow = RowOf<typeof batch>;

export type CreateBatchDeps = Pick<Kernel, 'now' | 'newId' | 'guard' | 'clockQuality'> & {
  queries: BatchQueries;
  /** Rows that go into the same commit: plan limits. Throws when the plan allows no further batch in this pond. */
  onCreate: (
    created: BatchRow,
    by: { caller: Caller; farm: FarmAccess },
  ) => Promise<Pick<Decision<never>, 'changes' | 'guards'>>;
};

const DEFAULT_SURVIVAL_PERCENT = 85;
/** Stocked animals per m² and the density that was given may differ by this share before somebody should look. */
const DENSITY_TOLERANCE = 0.25;

/**
 * Decides a new batch. Throws 404 for a pond that was deleted meanwhile, 400 for a code that another batch of the owner
 * bears, 409 for an id that is taken, 422 for a start more than a day ahead or a harvest before it.
 *
 * @param sentHarvestDate the expected date as it came: a bare day begins on the farm, not in UTC
 */
export async function createBatch(
  deps: CreateBatchDeps,
  by: { caller: Caller; farm: FarmAccess; language: Language },
  input: BatchCreate,
  sentHarvestDate: unknown,
): Promise<Decision<{ row: BatchRow; timezone: string; warnings: BatchWarning[] }>> {
  const { queries } = deps;
  const named = await requirePond(queries, input.pond_id);
  const guards = [
    // moved on, not only held: a deletion of the pond that saw no batch in it yet must look again
    await deps.guard('pond', named.id),
    asParent(await deps.guard('farm', named.farm_id)),
  ];
  // read again behind its guard: a deletion between the two makes this run anew
  const pond = await requirePond(queries, named.id);
  if (input.id !== undefined && (await queries.batchIdTaken(input.id)))
    throw conflict('This id is taken', 'ID_TAKEN');
  if (await queries.isCodeUsed(pond.owner_id, input.batch_code))
    throw taken('batch_code', `batch_code: another batch already has the code ${input.batch_code}`);
  requireNotAhead(deps, 'start_date', input.start_date, pond.timezone);
  const id = input.id ?? deps.newId();
  const numericId = await claimNumericId(queries, 'batch', id);
  const row: BatchRow = {
    id,
    numeric_id: numericId.number,
    owner_id: pond.owner_id,
    farm_id: pond.farm_id,
    pond_id: pond.id,
    batch_code: input.batch_code,
    species: input.species,
    lineage: input.lineage,
    larva_origin: input.larva_origin,
    start_date: input.start_date,
    expected_harvest_date: expectedHarvest(input, sentHarvestDate, pond.timezone),
    actual_harvest_date: null,
    initial_count: input.initial_count,
    initial_avg_weight: input.initial_avg_weight,
    initial_density: input.initial_density,
    estimated_survival_rate: input.estimated_survival_rate ?? DEFAULT_SURVIVAL_PERCENT,
    status: 'ACTIVE',
    final_weight_kg: null,
    final_price_per_kg: null,
    end_reason: null,
    notes: input.notes ?? null,
    created_by: by.caller.userId,
    clock_quality: deps.clockQuality(),
    created_at: isoOf(deps.now()),
    updated_at: null,
  };
  const beside = await deps.onCreate(row, by);
  return {
    answer: { row, timezone: pond.timezone, warnings: stockingWarnings(row, pond, by.language) },
    changes: [insert(batch, row), numericId.change, ...(beside.changes ?? [])],
    guards: [...guards, ...(beside.guards ?? [])],
  };
}

async function requirePond(queries: BatchQueries, ref: string): Promise<PondToStock> {
  const pond = await queries.pond(ref);
  if (pond === null) throw notFound('Pond');
  return pond;
}

/** The instant of the expected harvest; throws 422 for a day before the start. */
export function expectedHarvest(
  input: { start_date: string; expected_harvest_date?: string | null | undefined },
  sent: unknown,
  timezone: string,
): string | null {
  if (input.expected_harvest_date === null || input.expected_harvest_date === undefined) return null;
  const at = instantOnFarm(input.expected_harvest_date, sent, timezone);
  if (localDay(at, timezone) < input.start_date) {
    const message = `must not lie before the start of the batch (${input.start_date})`;
    throw invalidField(422, 'expected_harvest_date', message, 'BEFORE_BATCH_START');
  }
  return at;
}

export function stockingWarnings(row: BatchRow, pond: PondToStock, language: Language): BatchWarning[] {
  const words = BATCH_WARNINGS[language];
  const warnings: BatchWarning[] = [];
  if (!speciesOf(row.species).isKnown)
    warnings.push({ code: 'UNKNOWN_SPECIES', message: words.unknownSpecies(row.species) });
  const perM2 = pond.size_m2 === null ? null : row.initial_count / pond.size_m2;
  if (perM2 !== null && Math.abs(perM2 / row.initial_density - 1) > DENSITY_TOLERANCE) {
    const place = { cod: pond.cod, m2: pond.size_m2 ?? 0 };
    const stocked = { count: row.initial_count, perM2, told: row.initial_density };
    warnings.push({ code: 'DENSITY_DIFFERS', message: words.densityDiffers(place, stocked) });
  }
  return warnings;
}

type Words = {
  unknownSpecies: (name: string) => string;
  densityDiffers: (
    pond: { cod: string; m2: number },
    stocked: { count: number; perM2: number; told: number },
  ) => string;
  aboveStocked: (taken: number, stocked: number) => string;
  moreThanEstimated: (count: number, alive: number) => string;
  fewerThanEstimated: (count: number, alive: number) => string;
  weighedAfterwards: (day: string) => string;
  weighedBefore: (count: number, start: string) => string;
  notInPond: (day: string) => string;
  survivalSetAfterwards: (day: string) => string;
};

/** What is unlikely about a batch and its harvests, as a technician is told. */
export const BATCH_WARNINGS: Readonly<Record<Language, Words>> = {
  'pt-BR': {
    unknownSpecies: (name) =>
      `Não há curva de crescimento para "${name}": o lote é comparado com o vannamei.`,
    densityDiffers: ({ cod, m2 }, { count, perM2, told }) =>
      `${whole(count, 'pt-BR')} camarões nos ${whole(m2, 'pt-BR')} m² do viveiro ${cod} são ` +
      `${figure(perM2, 1, 'pt-BR')} por m², não ${figure(told, 1, 'pt-BR')}: confira quantidade, área e densidade.`,
    aboveStocked: (taken, stocked) =>
      `Cerca de ${whole(taken, 'pt-BR')} camarões despescados de ${whole(stocked, 'pt-BR')} povoados dão ` +
      `sobrevivência de ${figure((taken / stocked) * 100, 1, 'pt-BR')}%: confira as contagens.`,
    moreThanEstimated: (count, alive) =>
      `Os camarões despescados (cerca de ${whole(count, 'pt-BR')}) passam dos ${whole(alive, 'pt-BR')} ` +
      'estimados vivos: a sobrevivência registrada deve estar baixa.',
    fewerThanEstimated: (count, alive) =>
      `Pelo último peso médio foram cerca de ${whole(count, 'pt-BR')} camarões, e não os ${whole(alive, 'pt-BR')} estimados: ` +
      'informe a quantidade ou o peso médio da despesca, e a sobrevivência fica certa.',
    survivalSetAfterwards: (day) =>
      `Em ${calendarDay(day, 'pt-BR')} a sobrevivência foi acertada: ela vale, e esta perda anterior não muda o número de camarões de hoje.`,
    notInPond: (day) =>
      `Pelo que está registrado, este lote não tinha animais nesse viveiro em ${calendarDay(day, 'pt-BR')}: ` +
      'confira o viveiro, ou registre a transferência.',
    weighedAfterwards: (day) =>
      `Há biometria depois desta data de despesca, em ${calendarDay(day, 'pt-BR')}: confira as datas.`,
    weighedBefore: (count, start) =>
      `${whole(count, 'pt-BR')} ${count === 1 ? 'biometria fica' : 'biometrias ficam'} antes do povoamento, em ` +
      `${calendarDay(start, 'pt-BR')}, e não ${count === 1 ? 'conta' : 'contam'}: confira as datas.`,
  },
  en: {
    unknownSpecies: (name) => `There is no growth curve for "${name}": the batch is compared with vannamei.`,
    densityDiffers: ({ cod, m2 }, { count, perM2, told }) =>
      `${whole(count, 'en')} shrimp in the ${whole(m2, 'en')} m² of pond ${cod} are ` +
      `${figure(perM2, 1, 'en')} per m², not ${figure(told, 1, 'en')}: check count, area and density.`,
    aboveStocked: (taken, stocked) =>
      `About ${whole(taken, 'en')} shrimp harvested of ${whole(stocked, 'en')} stocked imply a survival of ` +
      `${figure((taken / stocked) * 100, 1, 'en')}%: check the counts.`,
    moreThanEstimated: (count, alive) =>
      `The shrimp harvested (about ${whole(count, 'en')}) exceed the ${whole(alive, 'en')} estimated alive: ` +
      'the recorded survival is probably too low.',
    fewerThanEstimated: (count, alive) =>
      `By the last mean weight these were about ${whole(count, 'en')} shrimp, not the ${whole(alive, 'en')} estimated: ` +
      'say the count or the mean weight of the harvest, and the survival comes right.',
    survivalSetAfterwards: (day) =>
      `On ${calendarDay(day, 'en')} the survival was set: that holds, and this earlier loss does not change the animals of today.`,
    notInPond: (day) =>
      `By what is on record this batch had no animals in that pond on ${calendarDay(day, 'en')}: ` +
      'check the pond, or record the transfer.',
    weighedAfterwards: (day) =>
      `The batch was weighed after this harvest date, on ${calendarDay(day, 'en')}: check the dates.`,
    weighedBefore: (count, start) =>
      `${count === 1 ? 'One weighing lies' : `${whole(count, 'en')} weighings lie`} before the stocking on ` +
      `${calendarDay(start, 'en')} and ${count === 1 ? 'does' : 'do'} not count: check the dates.`,
  },
  es: {
    unknownSpecies: (name) =>
      `No hay una curva de crecimiento para "${name}": el lote se compara con el vannamei.`,
    densityDiffers: ({ cod, m2 }, { count, perM2, told }) =>
      `${whole(count, 'es')} camarones en los ${whole(m2, 'es')} m² de la piscina ${cod} son ` +
      `${figure(perM2, 1, 'es')} por m², no ${figure(told, 1, 'es')}: revise cantidad, área y densidad.`,
    aboveStocked: (taken, stocked) =>
      `Cerca de ${whole(taken, 'es')} camarones cosechados de ${whole(stocked, 'es')} sembrados dan ` +
      `una supervivencia de ${figure((taken / stocked) * 100, 1, 'es')}%: revise los conteos.`,
    moreThanEstimated: (count, alive) =>
      `Los camarones cosechados (cerca de ${whole(count, 'es')}) pasan de los ${whole(alive, 'es')} ` +
      'estimados vivos: la supervivencia registrada debe estar baja.',
    fewerThanEstimated: (count, alive) =>
      `Por el último peso promedio fueron cerca de ${whole(count, 'es')} camarones, y no los ${whole(alive, 'es')} estimados: ` +
      'indique la cantidad o el peso promedio de la cosecha, y la supervivencia queda correcta.',
    survivalSetAfterwards: (day) =>
      `El ${calendarDay(day, 'es')} se ajustó la supervivencia: ella vale, y esta pérdida anterior no cambia el número de camarones de hoy.`,
    notInPond: (day) =>
      `Por lo que está registrado, este lote no tenía animales en esa piscina el ${calendarDay(day, 'es')}: ` +
      'revise la piscina, o registre la transferencia.',
    weighedAfterwards: (day) =>
      `Hay un muestreo después de esta fecha de cosecha, el ${calendarDay(day, 'es')}: revise las fechas.`,
    weighedBefore: (count, start) =>
      `${whole(count, 'es')} ${count === 1 ? 'muestreo queda' : 'muestreos quedan'} antes de la siembra, el ` +
      `${calendarDay(start, 'es')}, y no ${count === 1 ? 'cuenta' : 'cuentan'}: revise las fechas.`,
  },
};

const whole = (count: number, language: Language): string => figure(count, 0, language);

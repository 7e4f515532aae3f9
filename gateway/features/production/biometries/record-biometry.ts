import type { RowOf } from '#contract/resource.ts';
import { type BiometryCreate, type BiometryUpdate, biometry } from '#contract/resources/biometries.ts';
import { type Change, insert, remove, update } from '#core/changes.ts';
import { changesOf, correctionEntry } from '#core/correct-record.ts';
import { conflict, invalidField, notFound } from '#core/errors.ts';
import { notAhead } from '#core/facts-of-now.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { instantOnFarm, localDay } from '#core/zone-clock.ts';
import { calendarDay, figure, grams, type Language } from '#science/advice/language.ts';
import type { ScienceConstants } from '#science/constants.ts';
import { cvOfSubsamples, cvOfWeights, weightsMatchTotal } from '#science/uniformity.ts';
import { wasIn } from '../batch-in-pond.ts';
import type { BatchStates, Reweighed } from '../batch-state.ts';
import type { BatchToWeigh, Biometry, BiometryQueries } from './ports.ts';

type Words = {
  smallSample: (count: number, least: number) => string;
  beforeStart: (day: string) => string;
  inTheFuture: string;
  notInPond: (day: string) => string;
  afterHarvest: (day: string) => string;
  /** `day` null: the weight before is that of stocking. */
  fellByHalf: (weightG: number, before: { weightG: number; day: string | null }) => string;
  implausible: (weightG: number) => string;
  lossesStand: string;
};

/** What is unlikely about a weighing, as a technician is told. */
const BIOMETRY_WARNINGS: Readonly<Record<Language, Words>> = {
  'pt-BR': {
    smallSample: (count, least) =>
      `Amostra de ${figure(count, 0, 'pt-BR')} ${count === 1 ? 'camarão' : 'camarões'} diz pouco sobre o peso médio ` +
      `do viveiro: pese pelo menos ${least}.`,
    beforeStart: (day) => `A biometria é anterior ao povoamento do lote, em ${calendarDay(day, 'pt-BR')}.`,
    inTheFuture: 'A data da biometria está no futuro: até lá ela não conta.',
    notInPond: (day) =>
      `Pelo que está registrado, este lote não tinha animais nesse viveiro em ${calendarDay(day, 'pt-BR')}: ` +
      'confira o viveiro, ou registre a transferência.',
    afterHarvest: (day) => `A biometria é posterior à despesca do lote, em ${calendarDay(day, 'pt-BR')}.`,
    fellByHalf: (weightG, { weightG: beforeG, day }) =>
      `${grams(weightG, 'pt-BR')} é metade ou menos dos ${grams(beforeG, 'pt-BR')} ` +
      `${day === null ? 'do povoamento' : `pesados em ${calendarDay(day, 'pt-BR')}`}: confira a contagem e o peso.`,
    implausible: (weightG) =>
      `${grams(weightG, 'pt-BR')} por camarão é mais do que se alcança em viveiro: o peso total está em gramas?`,
    lossesStand:
      'Por este peso teriam morrido mais camarões do que havia: as perdas informadas em quilos ficam como estavam. Confira o peso e as perdas.',
  },
  en: {
    smallSample: (count, least) =>
      `A sample of ${figure(count, 0, 'en')} shrimp says little about the mean weight of a pond: ` +
      `weigh at least ${least}.`,
    beforeStart: (day) => `The weighing lies before the stocking of the batch on ${calendarDay(day, 'en')}.`,
    inTheFuture: 'The date of the weighing lies in the future: until then it does not count.',
    notInPond: (day) =>
      `By what is on record this batch had no animals in that pond on ${calendarDay(day, 'en')}: ` +
      'check the pond, or record the transfer.',
    afterHarvest: (day) => `The weighing lies after the harvest of the batch on ${calendarDay(day, 'en')}.`,
    fellByHalf: (weightG, { weightG: beforeG, day }) =>
      `${grams(weightG, 'en')} is half or less of the ${grams(beforeG, 'en')} ` +
      `${day === null ? 'at stocking' : `weighed on ${calendarDay(day, 'en')}`}: check count and weight.`,
    implausible: (weightG) =>
      `${grams(weightG, 'en')} per shrimp is more than ponds bring forth: is the total weight in grams?`,
    lossesStand:
      'By this weight more would have died than lived: losses told in kilograms stay as they were counted. Check the weight and the losses.',
  },
  es: {
    smallSample: (count, least) =>
      `Una muestra de ${figure(count, 0, 'es')} ${count === 1 ? 'camarón' : 'camarones'} dice poco sobre el peso promedio ` +
      `de la piscina: pese al menos ${least}.`,
    beforeStart: (day) => `El muestreo es anterior a la siembra del lote, el ${calendarDay(day, 'es')}.`,
    inTheFuture: 'La fecha del muestreo está en el futuro: hasta entonces no cuenta.',
    notInPond: (day) =>
      `Por lo que está registrado, este lote no tenía animales en esa piscina el ${calendarDay(day, 'es')}: ` +
      'revise la piscina, o registre la transferencia.',
    afterHarvest: (day) => `El muestreo es posterior a la cosecha del lote, el ${calendarDay(day, 'es')}.`,
    fellByHalf: (weightG, { weightG: beforeG, day }) =>
      `${grams(weightG, 'es')} es la mitad o menos de los ${grams(beforeG, 'es')} ` +
      `${day === null ? 'de la siembra' : `pesados el ${calendarDay(day, 'es')}`}: revise el conteo y el peso.`,
    implausible: (weightG) =>
      `${grams(weightG, 'es')} por camarón es más de lo que se alcanza en piscina: ¿el peso total está en gramos?`,
    lossesStand:
      'Con este peso habrían muerto más camarones de los que había: las pérdidas informadas en kilos quedan como estaban. Revise el peso y las pérdidas.',
  },
};

type BiometryWarning = { code: string; message: string };

const warning = (code: string, message: string): BiometryWarning => ({ code, message });

type WarningDeps = Pick<Kernel, 'now' | 'clockQuality'> & {
  queries: Pick<BiometryQueries, 'weighedBefore'>;
  batches: Pick<BatchStates, 'byIds'>;
};

const warningOfLosses = (lossesStand: boolean, language: Language): BiometryWarning[] =>
  lossesStand ? [warning('LOSSES_STAND', BIOMETRY_WARNINGS[language].lossesStand)] : [];

/** A weighing this much below the one before is more likely a slip of the pen than hunger. */
const HALF = 0.5;

export async function requireBatch(
  deps: { queries: Pick<BiometryQueries, 'batchToWeigh'> },
  ref: string,
): Promise<BatchToWeigh> {
  const batch = await deps.queries.batchToWeigh(ref);
  if (batch === null) throw notFound('Batch');
  return batch;
}

export const averageG = (row: Pick<Biometry, 'total_weight_g' | 'sample_size'>): number =>
  row.total_weight_g / row.sample_size;

type WeighedRow = Pick<Biometry, 'id' | 'pond_id' | 'measurement_date' | 'sample_size' | 'total_weight_g'>;

/** What is unlikely about a weighing, but kept as it was entered. */
export async function warningsOf(
  deps: WarningDeps,
  { growth, uniformity }: ScienceConstants,
  batch: BatchToWeigh,
  { row, language }: { row: WeighedRow; language: Language },
): Promise<BiometryWarning[]> {
  const words = BIOMETRY_WARNINGS[language];
  const warnings: BiometryWarning[] = [];
  const warn = (code: string, message: string) => void warnings.push(warning(code, message));
  const day = localDay(row.measurement_date, batch.timezone);
  const today = localDay(isoOf(deps.now()), batch.timezone);
  const weightG = averageG(row);
  if (row.sample_size < uniformity.leastSample)
    warn('SMALL_SAMPLE', words.smallSample(row.sample_size, uniformity.leastSample));
  if (day < batch.start_date) warn('BEFORE_BATCH_START', words.beforeStart(batch.start_date));
  if (day > today && deps.clockQuality() === 'trusted') warn('FUTURE_DATE', words.inTheFuture);
  const harvestedOn =
    batch.actual_harvest_date === null ? null : localDay(batch.actual_harvest_date, batch.timezone);
  if (harvestedOn !== null && day > harvestedOn) warn('AFTER_HARVEST', words.afterHarvest(harvestedOn));
  const state = (await deps.batches.byIds([batch.id])).get(batch.id);
  if (row.pond_id !== null && state !== undefined && !wasIn(state, row.pond_id, day))
    warn('NOT_IN_POND', words.notInPond(day));
  const before = await deps.queries.weighedBefore(batch.id, {
    at: row.measurement_date,
    id: row.id,
    pondId: row.pond_id,
  });
  const beforeG = before === null ? batch.initial_avg_weight : averageG(before);
  if (weightG <= beforeG * HALF) {
    const beforeOn = before === null ? null : localDay(before.measurement_date, batch.timezone);
    warn('WEIGHT_FELL_BY_HALF', words.fellByHalf(weightG, { weightG: beforeG, day: beforeOn }));
  }
  if (weightG > 2 * growth.largestProjectedWeightG) warn('IMPLAUSIBLE_WEIGHT', words.implausible(weightG));
  return warnings;
}

type Sample = Pick<Biometry, 'sample_size' | 'total_weight_g'>;

type Spread = Pick<Biometry, 'weight_sd_g' | 'individual_weights_g'>;

type Sent = Pick<BiometryCreate, 'individual_weights_g' | 'weight_sd_g' | 'subsamples'>;

export type RecordBiometryDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'guard' | 'clockQuality'> & {
  queries: BiometryQueries;
  scienceOf: (farmId: string) => Promise<ScienceConstants>;
  batches: Pick<BatchStates, 'byIds'>;
  /** What is reckoned from weighings that are entered, corrected or deleted now; `lossesStand`: of losses it could not be. */
  following: (
    by: Pick<Caller, 'userId'>,
    batchId: string,
    weighings: readonly Reweighed[],
  ) => Promise<{ changes: Change[]; lossesStand: boolean }>;
};

type Recorded<Row> = Decision<{ row: Row; batch: BatchToWeigh; warnings: BiometryWarning[] }>;

/**
 * Decides a weighing. Throws 404 for a batch deleted meanwhile, 409 for one that is not in production or an id that is
 * taken, 422 for single weights that are not those of the sample. What is unlikely is kept, and told.
 *
 * @param sentDate the date as it came: a bare day begins on the farm, not in UTC
 */
export async function recordBiometry(
  deps: RecordBiometryDeps,
  caller: Caller,
  { input, sentDate, language }: { input: BiometryCreate; sentDate: unknown; language: Language },
): Promise<Recorded<RowOf<typeof biometry>>> {
  const named = await requireBatch(deps, input.batch_id);
  // moved on, not only held: a loss that is told by weight at the same moment is reckoned by this weighing
  const guard = await deps.guard('batch', named.id);
  // read again behind its guard: a finish between the two makes this run anew
  const batch = await requireBatch(deps, named.id);
  // before all else: what was sent already is told as that, whatever became of the batch since
  if (input.id !== undefined && (await deps.queries.biometryIdTaken(input.id)))
    throw conflict('This id is taken', 'ID_TAKEN');
  if (batch.status !== 'ACTIVE') {
    throw conflict(
      `Batch ${batch.batch_code} is ${batch.status}: only an ACTIVE batch is weighed`,
      'BATCH_NOT_ACTIVE',
    );
  }
  const science = await deps.scienceOf(batch.farm_id);
  const row: RowOf<typeof biometry> = {
    id: input.id ?? deps.newId(),
    batch_id: batch.id,
    pond_id: await pondIdOf(deps, batch, input.pond_id ?? null),
    measurement_date: dateOf(deps, batch, input.measurement_date, sentDate),
    sample_size: input.sample_size,
    total_weight_g: input.total_weight_g,
    ...spreadOf(science.uniformity, input, input),
    notes: input.notes ?? null,
    created_by: caller.userId,
    clock_quality: deps.clockQuality(),
    created_at: isoOf(deps.now()),
    updated_at: null,
  };
  const following = await deps.following(caller, batch.id, [{ id: row.id, as: row }]);
  return {
    answer: {
      row,
      batch,
      warnings: [
        ...(await warningsOf(deps, science, batch, { row, language })),
        ...warningOfLosses(following.lossesStand, language),
      ],
    },
    changes: [insert(biometry, row), ...following.changes],
    guards: [guard],
  };
}

/**
 * Decides a correction, also of a batch that has ended; old and new values stay in the audit. Fields left out stay, but
 * single weights and a new count or total must still be the same sample.
 */
export async function changeBiometry(
  deps: RecordBiometryDeps,
  caller: Caller,
  current: Biometry,
  { input, sentDate, language }: { input: BiometryUpdate; sentDate: unknown; language: Language },
): Promise<Recorded<Biometry>> {
  // what follows rests on what else was told of the batch: a loss told at the same moment makes this run anew
  const guard = await deps.guard('batch', current.batch_id);
  const batch = await requireBatch(deps, current.batch_id);
  const science = await deps.scienceOf(batch.farm_id);
  const { pond_id, measurement_date, sample_size, total_weight_g, notes } = input;
  const changed = changesOf(current, {
    sample_size,
    total_weight_g,
    notes,
    ...newSpread(science, current, input),
    ...(pond_id === undefined ? {} : { pond_id: await pondIdOf(deps, batch, pond_id) }),
    ...(measurement_date === undefined
      ? {}
      : { measurement_date: dateOf(deps, batch, measurement_date, sentDate) }),
  });
  if (changed === null) return { answer: { row: current, batch, warnings: [] } };
  const set = { ...changed.after, updated_at: isoOf(deps.now()) };
  const row: Biometry = { ...current, ...set, rev: current.rev + 1 };
  const following = await deps.following(caller, batch.id, [{ id: row.id, as: row }]);
  return {
    answer: {
      row,
      batch,
      warnings: [
        ...(await warningsOf(deps, science, batch, { row, language })),
        ...warningOfLosses(following.lossesStand, language),
      ],
    },
    changes: [
      update(biometry, current, set),
      ...following.changes,
      correctionEntry(deps, { ...nameOf(caller, batch, current), ...changed }),
    ],
    guards: [guard],
  };
}

/** Decides the end of a record; its values stay in the audit. */
export async function deleteBiometry(
  deps: RecordBiometryDeps,
  caller: Caller,
  current: Biometry,
): Promise<Decision<void>> {
  const guard = await deps.guard('batch', current.batch_id);
  const batch = await requireBatch(deps, current.batch_id);
  const { rev: _rev, ...before } = current;
  const entry = correctionEntry(deps, { ...nameOf(caller, batch, current), before, after: null });
  const following = await deps.following(caller, batch.id, [{ id: current.id, as: null }]);
  return {
    answer: undefined,
    changes: [remove(biometry, current), ...following.changes, entry],
    guards: [guard],
  };
}

/** UUID of the pond the sample was taken in; throws 422 for one that never held animals of the batch. */
async function pondIdOf(
  deps: Pick<RecordBiometryDeps, 'queries' | 'batches'>,
  batch: BatchToWeigh,
  ref: string | null,
): Promise<string | null> {
  if (ref === null) return null;
  const id = await deps.queries.pondId(ref);
  const state = (await deps.batches.byIds([batch.id])).get(batch.id);
  if (id === null || state?.stays.has(id) !== true)
    throw invalidField(
      422,
      'pond_id',
      `batch ${batch.batch_code} was never in such a pond: record the transfer first`,
      'NEVER_IN_POND',
    );
  return id;
}

/** The instant of a weighing; throws 422 for one more than a day ahead. */
function dateOf(deps: RecordBiometryDeps, batch: BatchToWeigh, instant: string, sent: unknown): string {
  return notAhead(deps, 'measurement_date', instantOnFarm(instant, sent, batch.timezone), batch.timezone);
}

/** The spread after a correction: as sent, else what is stored, which must fit the sample as it is then. */
function newSpread({ uniformity }: ScienceConstants, current: Biometry, input: BiometryUpdate) {
  const sample = {
    sample_size: input.sample_size ?? current.sample_size,
    total_weight_g: input.total_weight_g ?? current.total_weight_g,
  };
  const isSent =
    input.individual_weights_g !== undefined ||
    input.weight_sd_g !== undefined ||
    input.subsamples !== undefined;
  if (isSent) return spreadOf(uniformity, sample, input);
  const isSameSample =
    sample.sample_size === current.sample_size && sample.total_weight_g === current.total_weight_g;
  return isSameSample || current.individual_weights_g === null ? {} : spreadOf(uniformity, sample, current);
}

function nameOf(caller: Caller, batch: BatchToWeigh, row: Biometry) {
  return {
    kind: 'biometry' as const,
    id: row.id,
    name: `Biometry of ${batch.batch_code}, ${localDay(row.measurement_date, batch.timezone)}`,
    farmId: batch.farm_id,
    userId: caller.userId,
  };
}

/**
 * What is known of how the weights of a sample differ, from the best evidence that was sent: single weights, then a
 * standard deviation, then groups weighed one by one. Throws 422 for single weights or groups that are not this sample.
 */
function spreadOf(uniformity: ScienceConstants['uniformity'], sample: Sample, sent: Sent): Spread {
  const { individual_weights_g, weight_sd_g, subsamples } = sent;
  if (individual_weights_g) {
    requireSameSample(uniformity, 'individual_weights_g', sample, {
      count: individual_weights_g.length,
      weightsG: individual_weights_g,
    });
    const cv = cvOfWeights(individual_weights_g);
    const meanG = individual_weights_g.reduce((sum, each) => sum + each, 0) / individual_weights_g.length;
    return { individual_weights_g, weight_sd_g: cv === null ? null : (cv * meanG) / 100 };
  }
  if (weight_sd_g !== null && weight_sd_g !== undefined) return { individual_weights_g: null, weight_sd_g };
  if (!subsamples) return { individual_weights_g: null, weight_sd_g: null };
  requireSameSample(uniformity, 'subsamples', sample, {
    count: subsamples.reduce((sum, { count }) => sum + count, 0),
    weightsG: subsamples.map(({ weight_g }) => weight_g),
  });
  const cv = cvOfSubsamples(
    uniformity,
    subsamples.map(({ count, weight_g }) => ({ count, weightG: weight_g })),
  );
  const meanG = sample.total_weight_g / sample.sample_size;
  return { individual_weights_g: null, weight_sd_g: cv === null ? null : (cv * meanG) / 100 };
}

function requireSameSample(
  uniformity: ScienceConstants['uniformity'],
  field: string,
  { sample_size, total_weight_g }: Sample,
  { count, weightsG }: { count: number; weightsG: readonly number[] },
): void {
  if (count !== sample_size)
    throw invalidField(422, field, `${count} animals, but sample_size is ${sample_size}`, 'OTHER_SAMPLE');
  if (weightsMatchTotal(uniformity, weightsG, total_weight_g)) return;
  const sumG = weightsG.reduce((sum, each) => sum + each, 0);
  const message = `together ${sumG.toFixed(2)} g, but total_weight_g is ${total_weight_g}; they may differ by ${uniformity.totalTolerancePercent} %`;
  throw invalidField(422, field, message, 'OTHER_SAMPLE');
}

import type { RowOf } from '#contract/resource.ts';
import { type BiometryCreate, type BiometryUpdate, biometry } from '#contract/resources/biometries.ts';
import { asParent, insert, remove, update } from '#core/changes.ts';
import { changesOf, correctionEntry } from '#core/correct-record.ts';
import { conflict, invalidField } from '#core/errors.ts';
import { notAhead } from '#core/facts-of-now.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { instantOnFarm, localDay } from '#core/zone-clock.ts';
import type { Language } from '#science/advice/language.ts';
import type { ScienceConstants } from '#science/constants.ts';
import { cvOfSubsamples, cvOfWeights, weightsMatchTotal } from '#science/uniformity.ts';
import type { BatchStates } from '../batch-state.ts';
import { type BiometryWarning, requireBatch, warningsOf } from './biometry-rules.ts';
import type { BatchToWeigh, Biometry, BiometryQueries } from './ports.ts';

type Sample = Pick<Biometry, 'sample_size' | 'total_weight_g'>;

type Spread = Pick<Biometry, 'weight_sd_g' | 'individual_weights_g'>;

type Sent = Pick<BiometryCreate, 'individual_weights_g' | 'weight_sd_g' | 'subsamples'>;

export type RecordBiometryDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'guard' | 'clockQuality'> & {
  queries: BiometryQueries;
  scienceOf: (farmId: string) => Promise<ScienceConstants>;
  batches: Pick<BatchStates, 'byIds'>;
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
  const guard = asParent(await deps.guard('batch', named.id));
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
  return {
    answer: { row, batch, warnings: await warningsOf(deps, science, batch, { row, language }) },
    changes: [insert(biometry, row)],
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
  return {
    answer: { row, batch, warnings: await warningsOf(deps, science, batch, { row, language }) },
    changes: [
      update(biometry, current, set),
      correctionEntry(deps, { ...nameOf(caller, batch, current), ...changed }),
    ],
  };
}

/** Decides the end of a record; its values stay in the audit. */
export async function deleteBiometry(
  deps: RecordBiometryDeps,
  caller: Caller,
  current: Biometry,
): Promise<Decision<void>> {
  const batch = await requireBatch(deps, current.batch_id);
  const { rev: _rev, ...before } = current;
  const entry = correctionEntry(deps, { ...nameOf(caller, batch, current), before, after: null });
  return { answer: undefined, changes: [remove(biometry, current), entry] };
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

import type * as z from 'zod';
import { batchCreate } from '#contract/resources/batches.ts';
import { biometry, biometryCreate } from '#contract/resources/biometries.ts';
import { feedingCreate, feedingRecord } from '#contract/resources/feeding.ts';
import type { ImportKind } from '#contract/resources/imports.ts';
import { measurement, measurementCreate, WATER_FIELDS } from '#contract/resources/water-quality.ts';
import { BATCH_STATUSES } from '#contract/words.ts';
import { insertIfAbsent } from '#core/changes.ts';
import { localDay } from '#core/local-day.ts';
import { plainWords } from '#core/plain-words.ts';
import { roundTo } from '#core/rounding.ts';
import type { CellNote, Cells, PlannedRow, RowFacts } from './ports.ts';

export type Planned = PlannedRow | { errors: CellNote[] };

// A row keeps the rules of the interface: it is validated by the same schemas as a request that creates one.

/** What a row of cells becomes, or what is wrong with it. */
export function planRow(kind: ImportKind, cells: Cells, facts: RowFacts): Planned {
  switch (kind) {
    case 'batches':
      return planBatch(cells, facts);
    case 'biometries':
      return planBiometry(cells, facts);
    case 'feeding':
      return planFeeding(cells, facts);
    case 'measurements':
      return planMeasurement(cells, facts);
  }
}

const error = (column: string | null, code: string, message: string): { errors: CellNote[] } => ({
  errors: [{ column, code, message }],
});

const IN_PLAIN_WORDS = { error: plainWords };

const STATUS_WORDS: Readonly<Record<string, (typeof BATCH_STATUSES)[number]>> = {
  ativo: 'ACTIVE',
  ativa: 'ACTIVE',
  em_cultivo: 'ACTIVE',
  finalizado: 'FINISHED',
  despescado: 'FINISHED',
  encerrado: 'FINISHED',
  abortado: 'ABORTED',
  cancelado: 'ABORTED',
};
/** What nobody wrote down of an old batch. */
const NOT_KNOWN = '-';
const DEFAULT_SURVIVAL_PERCENT = 85;

function planBatch(cells: Cells, facts: RowFacts): Planned {
  const pond = pondIn(cells, facts);
  if ('errors' in pond) return pond;
  const count = cells['initial_count'];
  const density =
    cells['initial_density'] ??
    (typeof count === 'number' && pond.size_m2 !== null && pond.size_m2 > 0
      ? densityOf(count / pond.size_m2)
      : null);
  const parsed = batchCreate.safeParse(
    {
      pond_id: pond.id,
      batch_code: cells['batch_code'] ?? undefined,
      species: cells['species'] ?? undefined,
      lineage: cells['lineage'] ?? NOT_KNOWN,
      larva_origin: cells['larva_origin'] ?? NOT_KNOWN,
      start_date: cells['start_date'] ?? undefined,
      initial_count: count ?? undefined,
      initial_avg_weight: cells['initial_avg_weight'] ?? undefined,
      initial_density: density ?? undefined,
      estimated_survival_rate: cells['estimated_survival_rate'] ?? DEFAULT_SURVIVAL_PERCENT,
      notes: cells['notes'],
    },
    IN_PLAIN_WORDS,
  );
  if (!parsed.success) return invalid(parsed.error, cells);
  const end = cells['actual_harvest_date'];
  const harvestedAt = typeof end === 'string' ? end : null;
  const status = statusOf(cells['status'], harvestedAt);
  const { start_date } = parsed.data;
  if (status === null) return error('status', 'INVALID', `must be one of ${BATCH_STATUSES.join(', ')}`);
  if (status !== 'ACTIVE' && harvestedAt === null)
    return error('actual_harvest_date', 'REQUIRED', `is needed for a batch that is ${status}`);
  if (status === 'ACTIVE' && harvestedAt !== null)
    return error('actual_harvest_date', 'INVALID', 'must be empty for a batch that is ACTIVE');
  if (harvestedAt !== null && localDay(harvestedAt, facts.clock) < start_date)
    return error('actual_harvest_date', 'BEFORE_BATCH_START', `lies before the start (${start_date})`);
  const isAhead =
    facts.latest !== null &&
    (start_date > localDay(facts.latest, facts.clock) || (harvestedAt ?? '') > facts.latest);
  if (isAhead) return error('start_date', 'IN_THE_FUTURE', 'lies in the future');
  const finalKg = cells['final_weight_kg'] ?? null;
  if (typeof finalKg === 'number' && (finalKg < 0 || finalKg > 1e9))
    return error('final_weight_kg', 'INVALID', 'must be a weight in kg');
  const { id: _id, pond_id: _pond, notes, estimated_survival_rate, ...fields } = parsed.data;
  const content = {
    ...fields,
    owner_id: facts.ownerId,
    farm_id: facts.farm.id,
    pond_id: pond.id,
    estimated_survival_rate: estimated_survival_rate ?? DEFAULT_SURVIVAL_PERCENT,
    expected_harvest_date: null,
    actual_harvest_date: harvestedAt,
    status,
    final_weight_kg: status === 'FINISHED' && typeof finalKg === 'number' ? finalKg : null,
    final_price_per_kg: null,
    end_reason: null,
    notes: notes ?? null,
  };
  return {
    is: 'batch',
    parent: { entity: 'pond', id: pond.id },
    content,
    rowOf: (stamp) => ({ ...content, ...stamp }),
  };
}

/** As people write a density. */
const densityOf = (perM2: number): number => roundTo(perM2, perM2 < 1 ? 6 : 2);

function statusOf(cell: Cells[string] | undefined, harvestedAt: string | null) {
  if (cell === null || cell === undefined) return harvestedAt === null ? 'ACTIVE' : 'FINISHED';
  const word = String(cell).trim();
  const known = BATCH_STATUSES.find((status) => status === word.toUpperCase());
  return known ?? STATUS_WORDS[word.toLowerCase().replaceAll(/\s+/g, '_')] ?? null;
}

function planBiometry(cells: Cells, facts: RowFacts): Planned {
  const dated = datedInBatch(cells, facts);
  if ('errors' in dated) return dated;
  const pond = cells['pond'] === null || cells['pond'] === undefined ? null : pondIn(cells, facts);
  if (pond !== null && 'errors' in pond) return pond;
  const { average_weight_g: average, sample_size: size } = cells;
  const total =
    cells['total_weight_g'] ??
    (typeof average === 'number' && typeof size === 'number' ? average * size : undefined);
  const parsed = biometryCreate.safeParse(
    {
      batch_id: dated.batchId,
      measurement_date: dated.at,
      sample_size: size ?? undefined,
      total_weight_g: total,
      weight_sd_g: cells['weight_sd_g'],
      notes: cells['notes'],
    },
    IN_PLAIN_WORDS,
  );
  if (!parsed.success) return invalid(parsed.error, cells);
  const content = {
    batch_id: dated.batchId,
    measurement_date: parsed.data.measurement_date,
    sample_size: parsed.data.sample_size,
    total_weight_g: parsed.data.total_weight_g,
    weight_sd_g: parsed.data.weight_sd_g ?? null,
    individual_weights_g: null,
    pond_id: pond?.id ?? null,
    notes: parsed.data.notes ?? null,
  };
  return {
    is: 'record',
    parent: { entity: 'batch', id: dated.batchId },
    content,
    changeOf: (stamp) => insertIfAbsent(biometry, { ...content, ...stamp }),
  };
}

function planFeeding(cells: Cells, facts: RowFacts): Planned {
  const dated = datedInBatch(cells, facts);
  if ('errors' in dated) return dated;
  const pond = cells['pond'] === null || cells['pond'] === undefined ? null : pondIn(cells, facts);
  if (pond !== null && 'errors' in pond) return pond;
  const parsed = feedingCreate.safeParse(
    {
      batch_id: dated.batchId,
      pond_id: pond?.id ?? null,
      feed_type: cells['feed_type'] ?? undefined,
      quantity_kg: cells['quantity_kg'] ?? undefined,
      cost_per_kg: cells['cost_per_kg'] ?? 0,
      feed_date: dated.at,
      tray_leftover_percent: cells['tray_leftover_percent'],
      notes: cells['notes'],
    },
    IN_PLAIN_WORDS,
  );
  if (!parsed.success) return invalid(parsed.error, cells);
  const { id: _id, batch_id: _batch, tray_leftover_percent, notes, ...fields } = parsed.data;
  const content = {
    ...fields,
    batch_id: dated.batchId,
    pond_id: pond?.id ?? null,
    tray_leftover_percent: tray_leftover_percent ?? null,
    notes: notes ?? null,
  };
  return {
    is: 'record',
    parent: { entity: 'batch', id: dated.batchId },
    content,
    changeOf: (stamp) => insertIfAbsent(feedingRecord, { ...content, ...stamp }),
  };
}

function planMeasurement(cells: Cells, facts: RowFacts): Planned {
  const pond = pondIn(cells, facts);
  if ('errors' in pond) return pond;
  const at = momentIn(cells, facts);
  if (typeof at !== 'string') return at;
  const parsed = measurementCreate.safeParse(
    {
      pond_id: pond.id,
      measurement_date: at,
      ...Object.fromEntries(WATER_FIELDS.map((field) => [field, cells[field] ?? null])),
      notes: cells['notes'],
      source: 'import',
    },
    IN_PLAIN_WORDS,
  );
  if (!parsed.success) return invalid(parsed.error, cells);
  const { data } = parsed;
  const content = {
    pond_id: pond.id,
    measurement_date: at,
    temperature: data.temperature ?? null,
    dissolved_oxygen: data.dissolved_oxygen ?? null,
    ph: data.ph ?? null,
    salinity: data.salinity ?? null,
    alkalinity: data.alkalinity ?? null,
    ammonia: data.ammonia ?? null,
    nitrite: data.nitrite ?? null,
    nitrate: data.nitrate ?? null,
    transparency: data.transparency ?? null,
    notes: data.notes ?? null,
    source: 'import' as const,
  };
  return {
    is: 'record',
    parent: { entity: 'pond', id: pond.id },
    content,
    changeOf: (stamp) => insertIfAbsent(measurement, { ...content, ...stamp }),
  };
}

function pondIn(cells: Cells, facts: RowFacts) {
  const ref = cells['pond'];
  if (ref === null || ref === undefined)
    return error('pond', 'REQUIRED', 'is empty: name a pond of this farm');
  const pond = facts.pondBy(String(ref));
  if (pond === 'several')
    return error('pond', 'AMBIGUOUS', `several ponds have the code "${ref}": name it by its number or id`);
  return pond ?? error('pond', 'UNKNOWN', `there is no pond "${ref}" on this farm`);
}

function datedInBatch(cells: Cells, facts: RowFacts) {
  const ref = cells['batch'];
  if (ref === null || ref === undefined)
    return error('batch', 'REQUIRED', 'is empty: name a batch of this farm');
  const batch = facts.batchBy(String(ref));
  if (batch === null) return error('batch', 'UNKNOWN', `there is no batch "${ref}" on this farm`);
  const at = momentIn(cells, facts);
  if (typeof at !== 'string') return at;
  if (localDay(at, facts.clock) < batch.start_date)
    return error('date', 'BEFORE_BATCH_START', `lies before the start of the batch (${batch.start_date})`);
  return { batchId: batch.id, at };
}

function momentIn(cells: Cells, facts: RowFacts) {
  const at = cells['date'];
  if (typeof at !== 'string') return error('date', 'REQUIRED', 'is empty');
  if (facts.latest !== null && at > facts.latest) return error('date', 'IN_THE_FUTURE', 'lies in the future');
  return at;
}

/** Fields of the schema that have another name as a column. */
const COLUMN_OF: Readonly<Record<string, string>> = {
  pond_id: 'pond',
  batch_id: 'batch',
  measurement_date: 'date',
  feed_date: 'date',
};

function invalid({ issues }: z.ZodError, cells: Cells): { errors: CellNote[] } {
  return {
    errors: issues.map(({ path, code, message }) => {
      const field = String(path[0] ?? '');
      const column = COLUMN_OF[field] ?? field;
      const isMissing = code === 'invalid_type' && (cells[column] ?? null) === null;
      return {
        column: column === '' ? null : column,
        code: isMissing ? 'REQUIRED' : 'INVALID',
        message: isMissing ? 'is empty, and needed' : message,
      };
    }),
  };
}

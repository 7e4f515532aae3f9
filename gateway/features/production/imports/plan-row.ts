import { batchCreate } from '#contract/resources/batches.ts';
import { biometry, biometryCreate } from '#contract/resources/biometries.ts';
import { farmRecord, farmRecordCreate, NOTHING_TOLD } from '#contract/resources/farm-records.ts';
import { feedingCreate, feedingRecord } from '#contract/resources/feeding.ts';
import type { ImportKind } from '#contract/resources/imports.ts';
import type { MeterChange } from '#contract/resources/meter-readings.ts';
import { measurement, measurementCreate, WATER_FIELDS } from '#contract/resources/water-quality.ts';
import { BATCH_STATUSES } from '#contract/words.ts';
import { insertIfAbsent } from '#core/changes.ts';
import { plainWords } from '#core/plain-words.ts';
import { roundTo } from '#core/rounding.ts';
import { localDay } from '#core/zone-clock.ts';
import { figure } from '#science/advice/language.ts';
import { noteOf } from './import-words.ts';
import type { CellNote, Cells, PlannedRow, RowFacts } from './ports.ts';
import { datedInBatch, error, invalid, momentIn, pondIn } from './row-place.ts';

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
    case 'meters':
      return planReading(cells, facts);
  }
}

const IN_PLAIN_WORDS = { error: plainWords };

const STATUS_WORDS: Readonly<Record<string, (typeof BATCH_STATUSES)[number]>> = {
  ativo: 'ACTIVE',
  activo: 'ACTIVE',
  activa: 'ACTIVE',
  ativa: 'ACTIVE',
  em_cultivo: 'ACTIVE',
  finalizado: 'FINISHED',
  despescado: 'FINISHED',
  encerrado: 'FINISHED',
  terminado: 'FINISHED',
  cosechado: 'FINISHED',
  cosechada: 'FINISHED',
  cerrado: 'FINISHED',
  abortado: 'ABORTED',
  cancelado: 'ABORTED',
  perdido: 'ABORTED',
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
  if (!parsed.success) return invalid(parsed.error, cells, facts);
  const end = cells['actual_harvest_date'];
  const harvestedAt = typeof end === 'string' ? end : null;
  const status = statusOf(cells['status'], harvestedAt);
  const { start_date } = parsed.data;
  if (status === null) return error(facts, 'status', 'STATUS_INVALID', { other: BATCH_STATUSES.join(', ') });
  if (status !== 'ACTIVE' && harvestedAt === null)
    return error(facts, 'actual_harvest_date', 'HARVEST_REQUIRED', { of: status });
  if (status === 'ACTIVE' && harvestedAt !== null)
    return error(facts, 'actual_harvest_date', 'HARVEST_OF_ACTIVE');
  if (harvestedAt !== null && localDay(harvestedAt, facts.clock) < start_date)
    return error(facts, 'actual_harvest_date', 'BEFORE_BATCH_START', { day: start_date });
  const isAhead =
    facts.latest !== null &&
    (start_date > localDay(facts.latest, facts.clock) || (harvestedAt ?? '') > facts.latest);
  if (isAhead) return error(facts, 'start_date', 'IN_THE_FUTURE');
  const finalKg = cells['final_weight_kg'] ?? null;
  if (typeof finalKg === 'number' && (finalKg < 0 || finalKg > 1e9))
    return error(facts, 'final_weight_kg', 'WEIGHT_INVALID');
  const ofArea = pond.size_m2 !== null && pond.size_m2 > 0 ? parsed.data.initial_count / pond.size_m2 : null;
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
    doubts: densityDoubts(fields.initial_density, ofArea, facts),
    rowOf: (stamp) => ({ ...content, ...stamp }),
  };
}

/** A pond may be stocked in part, but by no factor that units differ by. */
const DENSITY_TIMES = 10;

function densityDoubts(density: number, ofArea: number | null, { language }: RowFacts): CellNote[] {
  if (ofArea === null || (density < DENSITY_TIMES * ofArea && density * DENSITY_TIMES > ofArea)) return [];
  const other = figure(ofArea, ofArea < 1 ? 4 : 1, language);
  return [noteOf(language, 'DENSITY_DIFFERS', { column: 'initial_density', other })];
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
  const given = cells['total_weight_g'];
  const total =
    given ?? (typeof average === 'number' && typeof size === 'number' ? average * size : undefined);
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
  if (!parsed.success) return invalid(parsed.error, cells, facts);
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
    doubts: averageDoubts({ average, given, size }, facts),
    changeOf: (stamp) => insertIfAbsent(biometry, { ...content, ...stamp }),
  };
}

/** Rounding of a mean explains no more. */
const AVERAGE_SHARE = 0.05;

function averageDoubts(
  { average, given, size }: { [name in 'average' | 'given' | 'size']: Cells[string] | undefined },
  { language }: RowFacts,
): CellNote[] {
  if (typeof average !== 'number' || typeof given !== 'number' || typeof size !== 'number') return [];
  const mean = given / size;
  if (Math.abs(mean - average) <= AVERAGE_SHARE * Math.max(mean, average)) return [];
  const other = figure(mean, mean < 1 ? 4 : 2, language);
  return [noteOf(language, 'AVERAGE_DIFFERS', { column: 'total_weight_g', other })];
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
      // a price that nobody wrote down is not zero: the row is refused, unless it is on record already
      cost_per_kg: cells['cost_per_kg'] ?? 0,
      feed_date: dated.at,
      tray_leftover_percent: cells['tray_leftover_percent'],
      notes: cells['notes'],
    },
    IN_PLAIN_WORDS,
  );
  if (!parsed.success) return invalid(parsed.error, cells, facts);
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
    ...((cells['cost_per_kg'] ?? null) === null ? { lacks: 'PRICE_REQUIRED' } : {}),
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
  if (!parsed.success) return invalid(parsed.error, cells, facts);
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

const CHANGE_WORDS: readonly [RegExp, MeterChange][] = [
  [
    /^(?:changed|(?:foi )?troca(?:do|da)?|(?:medidor )?novo|nuevo|cambi(?:o|ado|ada)|replaced|new)$/u,
    'CHANGED',
  ],
  [/^(?:rolled[_ ]over|(?:deu|dio) (?:a|la) vol?lta|virou|(?:dio )?vuelta)$/u, 'ROLLED_OVER'],
];

function planReading(cells: Cells, facts: RowFacts): Planned {
  const at = momentIn(cells, facts);
  if (typeof at !== 'string') return at;
  const said = cells['meter_change'] ?? null;
  const word = String(said ?? '')
    .trim()
    .toLowerCase();
  const change = CHANGE_WORDS.find(([words]) => words.test(word))?.[1] ?? null;
  if (said !== null && change === null)
    return error(facts, 'meter_change', 'METER_CHANGE_INVALID', { cell: String(said) });
  const meter = String(cells['meter'] ?? '');
  // with another factor it would be another meter: that of its last reading holds where the row says none
  const parsed = farmRecordCreate.safeParse(
    {
      happened_at: at,
      meter: cells['meter'] ?? undefined,
      amount: cells['counter'] ?? undefined,
      meter_factor: cells['meter_factor'] ?? facts.factorOf(meter),
      meter_change: change,
      responsible: cells['responsible'],
      text: cells['notes'],
    },
    IN_PLAIN_WORDS,
  );
  if (!parsed.success) return invalid(parsed.error, cells, facts);
  const { data } = parsed;
  const content = {
    ...NOTHING_TOLD,
    farm_id: facts.farm.id,
    kind: 'METER' as const,
    pond_id: null,
    batch_id: null,
    control_point_id: null,
    happened_at: at,
    unit: 'kWh' as const,
    amount: data.amount,
    meter: data.meter,
    meter_factor: data.meter_factor ?? null,
    meter_change: data.meter_change ?? null,
    responsible: data.responsible ?? null,
    text: data.text ?? null,
  };
  return {
    is: 'record',
    parent: { entity: 'farm', id: facts.farm.id },
    content,
    changeOf: (stamp) => insertIfAbsent(farmRecord, { ...content, ...stamp }),
  };
}

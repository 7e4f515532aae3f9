import type { RowOf } from '#contract/resource.ts';
import { harvest } from '#contract/resources/batches.ts';
import { biometry } from '#contract/resources/biometries.ts';
import { farmRecord } from '#contract/resources/farm-records.ts';
import { feedingRecord } from '#contract/resources/feeding.ts';
import { expense } from '#contract/resources/finance.ts';
import { numericId } from '#contract/resources/local-tables.ts';
import { transfer } from '#contract/resources/transfers.ts';
import type { ExpenseCategory } from '#contract/words.ts';
import { numberOf } from '#core/numeric-id.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { feedingRatePercent } from '#science/feeding-ration.ts';
import { believed, believedIn, believedWeightG, type Deps, type LivingBatch } from './batch-life.ts';
import { type Chance, createChance, idNumber } from './chance.ts';
import type { FeedStore } from './feed-store.ts';
import { at, iso, UNTOUCHED, written } from './grown.ts';
import { loadLots } from './load-lots.ts';
import { type PondPlace, recorderOf } from './places.ts';

// What people do with a batch, and write down.

/** Hours of the meals and their share of the day's feed. */
const MEALS = [
  [6, 0.3],
  [11, 0.2],
  [17, 0.3],
  [21, 0.2],
] as const;

/** Feed by the weight of the animals: up to this weight, its name, R$ per kg. */
const FEEDS = [
  [1, 'Farelada 45 % PB', 10.4],
  [3, 'Micropellet 1,0 mm 40 % PB', 8.1],
  [7, 'Pellet 1,6 mm 38 % PB', 6.6],
  [Number.POSITIVE_INFINITY, 'Pellet 2,0 mm 35 % PB', 5.9],
] as const;
const PRICE_GROWTH_PER_YEAR = 0.045;

/** Four meals in each pond of the batch; `store`: which they are taken of. */
export function feed(deps: Deps, living: LivingBatch, pondId: string, { today }: FeedStore): void {
  const { chance, emit, places, day } = deps;
  const weightG = believedWeightG(living);
  const biomassKg = (believedIn(living, pondId) * weightG) / 1_000;
  const ratePercent = feedingRatePercent(SCIENCE_DEFAULTS.feeding, 'vannamei', weightG);
  const dayKg = (biomassKg * ratePercent * living.ration) / 100;
  const [, feed_type, price] = FEEDS.find(([upToG]) => weightG <= upToG) ?? FEEDS[3];
  const cost_per_kg = written(price * (1 + PRICE_GROWTH_PER_YEAR) ** ((day - 19_000) / 365), 2);
  for (const [hour, share] of MEALS) {
    const unixMs = at(day, hour, chance.whole(0, 25));
    const id = chance.uuid(unixMs);
    const quantity_kg = Math.max(0.1, written(dayKg * share * chance.normal(1, 0.04), 1));
    today.set(feed_type, (today.get(feed_type) ?? 0) + quantity_kg);
    emit(feedingRecord, {
      ...UNTOUCHED,
      id,
      batch_id: living.row.id,
      pond_id: pondId,
      feed_type,
      quantity_kg,
      cost_per_kg,
      feed_date: iso(unixMs),
      tray_leftover_percent: chance.happens(0.12) ? chance.oneOf([0, 5, 10, 20]) : null,
      notes: null,
      created_by: recorderOf(places),
      created_at: iso(unixMs),
    });
  }
}

/** What nothing is said of. */
export const RECORD = {
  ...UNTOUCHED,
  batch_id: null,
  control_point_id: null,
  product: null,
  product_kind: null,
  product_lot: null,
  amount: null,
  unit: null,
  responsible: null,
  withdrawal_days: null,
  source: null,
  signs: null,
  affected_percent: null,
  severity: null,
  disease: null,
  disease_name: null,
  sample: null,
  method: null,
  result: null,
  result_on: null,
  report_number: null,
  trays: null,
  feeding_id: null,
  step: null,
  ended_on: null,
  meter: null,
  meter_factor: null,
  meter_change: null,
} satisfies Partial<RowOf<typeof farmRecord>>;

const PROBIOTIC_EVERY_DAYS = 7;
const EXCHANGE_EVERY_DAYS = 10;
const MEDICATED_ON_DAY = 40;
const NOTED_ON_DAY = 20;
const SICK_ON_DAY = 38;
/** Before that nothing is left to see: the animals do not find the trays yet. */
const TRAYS_FROM_DAY = 20;
const TRAYS_EVERY_DAYS = 2;
const TRAYS = 4;
/** Days before the second of the batch. */
const PREPARED = [
  { step: 'DRYING', from: 20, until: 9 },
  { step: 'LIMING', from: 9, until: 9, product: 'Calcário dolomítico', amount: 500, unit: 'kg' },
  { step: 'FILLING', from: 8, until: 4, amount: 120, unit: 'cm', source: 'Rio Jaguaribe' },
] as const;

/**
 * What is given to a pond of the batch, exchanged there and noted; by dice of its own, so that the rest of the farm stays, and
 * of the batch alone: the rest of another one may have been moved into its pond.
 */
export function record({ emit, places, day }: Deps, living: LivingBatch, pond: PondPlace): void {
  const age = day - living.startDay;
  const chance = createChance(day * 1_000 + places.ponds.indexOf(pond) + idNumber(living.row.id));
  const write = (
    hour: number,
    row: Partial<RowOf<typeof farmRecord>> & Pick<RowOf<typeof farmRecord>, 'kind'>,
  ) => {
    const unixMs = at(day, hour, chance.whole(0, 59));
    emit(farmRecord, {
      ...RECORD,
      id: chance.uuid(unixMs),
      farm_id: places.farmId,
      pond_id: pond.id,
      happened_at: iso(unixMs),
      text: null,
      created_by: recorderOf(places),
      created_at: iso(unixMs),
      ...row,
    });
  };
  if (age % PROBIOTIC_EVERY_DAYS === 0)
    write(9, {
      kind: 'TREATMENT',
      product: 'Probiótico Bacillus',
      product_kind: 'PROBIOTIC',
      amount: written(pond.areaM2 / 5_000, 1),
      unit: 'L',
      text: 'Rotina',
      withdrawal_days: 0,
    });
  if (age % EXCHANGE_EVERY_DAYS === 0)
    write(7, {
      kind: 'WATER_EXCHANGE',
      amount: chance.whole(5, 15),
      unit: 'percent',
      source: 'Rio Jaguaribe',
      text: chance.oneOf(['Fitoplâncton denso', 'Amônia', 'Rotina']),
    });
  if (age === MEDICATED_ON_DAY && chance.happens(0.15))
    write(8, {
      kind: 'TREATMENT',
      product: 'Florfenicol 50 %',
      product_kind: 'MEDICATION',
      product_lot: `FF-${day}`,
      amount: written(pond.areaM2 / 4_000, 1),
      unit: 'kg',
      text: 'Vibriose confirmada em laboratório',
      responsible: 'Dra. Ana Beserra, CRMV-CE',
      withdrawal_days: 12,
    });
  if (age === SICK_ON_DAY && chance.happens(0.2)) {
    write(10, {
      kind: 'DISEASE',
      signs: ['WHITE_FAECES', 'EMPTY_GUT', 'UNEVEN_SIZE'],
      affected_percent: chance.whole(2, 12),
      severity: 'MODERATE',
      disease: 'EHP',
      responsible: 'Tratador',
      text: 'Fezes brancas na bandeja',
    });
    write(11, {
      kind: 'LAB',
      source: 'Laboratório de Sanidade Aquícola',
      sample: 'TISSUE',
      method: 'PCR',
      disease: 'EHP',
      result: chance.oneOf(['POSITIVE', 'NEGATIVE'] as const),
      report_number: `LSA-${day}`,
    });
    write(12, {
      kind: 'LAB',
      source: 'Laboratório de Sanidade Aquícola',
      sample: 'WATER',
      method: 'BACTERIOLOGY_TCBS',
      disease: 'VIBRIOSIS',
      amount: chance.whole(2, 90) * 100,
      unit: 'CFU/mL',
      report_number: `LSA-${day}`,
    });
  }
  if (age === 1)
    for (const { step, from, until, ...given } of PREPARED)
      write(8, {
        kind: 'PREPARATION',
        step,
        happened_at: iso(at(day - from, 8, 0)),
        ended_on: iso(at(day - until, 12, 0)).slice(0, 10),
        ...given,
      });
  if (age >= TRAYS_FROM_DAY && age % TRAYS_EVERY_DAYS === 0)
    write(13, {
      kind: 'FEED_TRAYS',
      trays: Array.from({ length: TRAYS }, (_, at) => ({
        tray: at + 1,
        left_percent: chance.happens(0.05) ? null : chance.oneOf([0, 0, 0, 5, 10, 25]),
        note: null,
      })),
    });
  if (age === NOTED_ON_DAY) write(17, { kind: 'NOTE', text: 'Muda sincronizada, menos ração hoje.' });
}

/** Weighs a sample: with a spread in two of five, animal by animal now and then. */
export function weigh(deps: Deps, living: LivingBatch): void {
  const { chance, emit, places, day } = deps;
  const animalByAnimal = chance.happens(0.08);
  const sample_size = animalByAnimal ? 30 : chance.whole(80, 150);
  const cv = living.cvPercent / 100;
  const meanG = living.weightG * chance.normal(1, cv / Math.sqrt(sample_size));
  const weights = animalByAnimal ? animals(chance, { meanG, cv, count: sample_size }) : null;
  const decimals = living.weightG < 1 ? 3 : 1;
  const total_weight_g =
    weights === null
      ? Math.max(0.001, written(meanG * sample_size, decimals))
      : written(
          weights.reduce((sum, weight) => sum + weight, 0),
          3,
        );
  living.weighedG = total_weight_g / sample_size;
  const unixMs = at(day, 8, chance.whole(0, 59));
  emit(biometry, {
    ...UNTOUCHED,
    id: chance.uuid(unixMs),
    batch_id: living.row.id,
    measurement_date: iso(unixMs),
    sample_size,
    total_weight_g,
    weight_sd_g: weights === null && chance.happens(0.4) ? written(living.weighedG * cv, 4) : null,
    individual_weights_g: weights,
    pond_id: null,
    notes: null,
    created_by: recorderOf(places),
    created_at: iso(unixMs),
  });
}

function animals(chance: Chance, of: { meanG: number; cv: number; count: number }): number[] {
  return Array.from({ length: of.count }, () =>
    Math.max(0.001, written(of.meanG * Math.max(0.2, chance.normal(1, of.cv)), 3)),
  );
}

/** One haul from a pond to another: this share of what the farm believes is there. */
export function haul(
  { chance, emit, places, day }: Deps,
  living: LivingBatch,
  way: { from: PondPlace; to: PondPlace; share: number },
): void {
  const there = believedIn(living, way.from.id);
  const quantity = way.share === 1 ? there : Math.floor(there * way.share);
  if (quantity <= 0) return;
  const equivalents = quantity / (living.believedPercent / 100);
  const here = living.stockedByPond.get(way.from.id) ?? 0;
  living.stockedByPond.set(way.from.id, way.share === 1 ? 0 : Math.max(0, here - equivalents));
  living.stockedByPond.set(way.to.id, (living.stockedByPond.get(way.to.id) ?? 0) + equivalents);
  const unixMs = at(day, 19, chance.whole(0, 50));
  const id = chance.uuid(unixMs);
  emit(numericId, { id: String(numberOf(id, 0)), entity: 'transfer', uuid: id });
  emit(transfer, {
    ...UNTOUCHED,
    id,
    numeric_id: numberOf(id, 0),
    batch_id: living.row.id,
    source_pond_id: way.from.id,
    destination_pond_id: way.to.id,
    quantity,
    average_weight: written(living.weightG, 4),
    transfer_date: iso(unixMs),
    reason: 'Povoamento da engorda',
    notes: null,
    contested: false,
    created_by: places.ownerId,
    created_at: iso(unixMs),
  });
}

/** Takes out some animals and lets the others grow on. */
export function thin({ chance, emit, places, day }: Deps, living: LivingBatch, pondId: string): void {
  const quantity = Math.floor(believedIn(living, pondId) * chance.between(0.2, 0.35));
  living.harvested += quantity;
  living.alive -= Math.min(living.alive * 0.5, quantity);
  const unixMs = at(day, 4, chance.whole(0, 59));
  const id = chance.uuid(unixMs);
  const kg = written((quantity * living.weightG) / 1_000, 1);
  emit(harvest, {
    ...UNTOUCHED,
    id,
    batch_id: living.row.id,
    pond_id: pondId,
    harvest_date: iso(unixMs),
    quantity,
    weight_kg: kg,
    price_per_kg: written(chance.between(19, 26), 2),
    notes: null,
    created_by: places.ownerId,
    created_at: iso(unixMs),
  });
  const { weightG, row: batch } = living;
  loadLots({ emit, places }, { batch, harvestId: id, pondId, unixMs, kg, weightG });
}

/** The end of a batch: harvested, or given up. */
export function end({ chance, emit, places, day }: Deps, living: LivingBatch, reason: string | null): void {
  const unixMs = at(day, 4, chance.whole(0, 59));
  living.row = {
    ...living.row,
    status: reason === null ? 'FINISHED' : 'ABORTED',
    actual_harvest_date: iso(unixMs),
    final_weight_kg: reason === null ? written((believed(living) * living.weightG) / 1_000, 1) : null,
    end_reason: reason,
    updated_at: iso(unixMs),
  };
  const { weightG, row: batch } = living;
  const kg = batch.final_weight_kg;
  if (kg !== null) loadLots({ emit, places }, { batch, harvestId: null, pondId: null, unixMs, kg, weightG });
}

const TARIFF_PER_KWH = 0.65;
const WEEK_DAYS = 7;

type Cost = { category: ExpenseCategory; amount: number; description: string };

/** What a batch costs besides feed: larvae at the start, energy and labour each week, now and then something more. */
export function spend(deps: Deps, living: LivingBatch, pond: PondPlace): void {
  const { chance, day } = deps;
  const age = day - living.startDay;
  if (age === 0) {
    const amount = (living.row.initial_count / 1_000) * chance.between(11, 17);
    pay(deps, living, { category: 'SUPPLIES', amount, description: 'Pós-larvas' });
    pay(deps, living, {
      category: 'TREATMENT',
      amount: pond.areaM2 * 0.06,
      description: 'Calagem do viveiro',
    });
    return;
  }
  if (age % WEEK_DAYS !== 0) return;
  const hours = WEEK_DAYS * (age < 30 ? 6 : 13);
  pay(deps, living, {
    category: 'ENERGY',
    amount: Math.max(20, pond.powerKw * hours * TARIFF_PER_KWH * chance.between(0.85, 1.1)),
    description: 'Energia da semana',
  });
  pay(deps, living, {
    category: 'LABOR',
    amount: 60 + pond.areaM2 * chance.between(0.025, 0.035),
    description: 'Mão de obra da semana',
  });
  if (!chance.happens(0.3)) return;
  const [category, description, least, most] = chance.oneOf([
    ['TREATMENT', 'Probiótico', 90, 260],
    ['TREATMENT', 'Melaço', 60, 180],
    ['MAINTENANCE', 'Correia e rolamento do aerador', 70, 420],
    ['SUPPLIES', 'Bandejas e telas', 50, 150],
    ['OTHER', 'Análises de laboratório', 80, 200],
  ] as const);
  pay(deps, living, { category, amount: chance.between(least, most), description });
}

/** What the way to the market costs. */
export function payHarvest(deps: Deps, living: LivingBatch): void {
  const amount = 250 + (living.row.final_weight_kg ?? 0) * 0.22;
  pay(deps, living, { category: 'TRANSPORT', amount, description: 'Gelo e frete da despesca' });
}

function pay(
  { chance, emit, places, day }: Deps,
  living: LivingBatch,
  { category, amount, description }: Cost,
): void {
  const unixMs = at(day, 16, chance.whole(0, 59));
  emit(expense, {
    ...UNTOUCHED,
    id: chance.uuid(unixMs),
    batch_id: living.row.id,
    category,
    amount: written(amount, 2),
    description,
    expense_date: iso(unixMs),
    created_by: places.ownerId,
    created_at: iso(unixMs),
  });
}

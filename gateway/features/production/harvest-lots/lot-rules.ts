import { invalidField } from '#core/errors.ts';
import { kilograms } from '#core/rounding.ts';
import { localDay } from '#core/zone-clock.ts';
import { calendarDay, type Language } from '#science/advice/language.ts';
import { wasIn } from '../batch-in-pond.ts';
import type { BatchState } from '../batch-state.ts';
import { lotsAboveHarvest, ROUNDING_KG } from '../lots-of-harvest.ts';
import { withdrawalWarnings } from '../withdrawal.ts';
import type { LotDeps, LotHarvest, LotRow } from './ports.ts';

// What a lot may say beside its harvest: what cannot be is refused, what is unlikely is kept and told.

export type LotWarning = { code: string; message: string };

/** `isWeighed`: nobody weighed a final harvest whose weight is the estimate. */
type Harvested = { kg: number; isWeighed: boolean };

/** Water and ice, and two scales: the buyer's may show that much more than the farm's. */
const ABOVE_HARVEST = 0.1;

type Lots = readonly Pick<LotRow, 'id' | 'harvest_id' | 'weight_kg'>[];

/** What the harvest weighed that a lot is of; null: the final one. */
export function harvestedKgOf(
  { batch, biomassKg }: Pick<BatchState, 'batch' | 'biomassKg'>,
  of: Pick<LotHarvest, 'weight_kg'> | null,
): Harvested {
  return of === null
    ? { kg: biomassKg, isWeighed: batch.final_weight_kg !== null }
    : { kg: of.weight_kg, isWeighed: true };
}

/** Of a lot and the others of its harvest. */
export const lotsKg = (row: Lots[number], lots: Lots): number =>
  lots
    .filter(({ id, harvest_id }) => id !== row.id && harvest_id === row.harvest_id)
    .reduce((sum, { weight_kg }) => sum + weight_kg, row.weight_kg);

/** Throws 422 for classes above their lot, and for lots that are far above what was weighed at the harvest. */
export function requireWithin({
  row,
  others,
  harvested,
}: {
  row: Pick<LotRow, 'id' | 'harvest_id' | 'weight_kg' | 'classes'>;
  others: Lots;
  harvested: Harvested;
}): void {
  const classesKg = row.classes.reduce((sum, { weight_kg }) => sum + weight_kg, 0);
  if (classesKg > row.weight_kg + ROUNDING_KG)
    throw invalidField(
      422,
      'classes',
      `weigh ${kilograms(classesKg)} kg together, the lot ${kilograms(row.weight_kg)} kg`,
      'CLASSES_ABOVE_LOT',
    );
  const kg = lotsKg(row, others);
  if (harvested.isWeighed && kg > harvested.kg * (1 + ABOVE_HARVEST) + ROUNDING_KG)
    throw invalidField(
      422,
      'weight_kg',
      `the lots of this harvest would weigh ${kilograms(kg)} kg together, the harvest ${kilograms(harvested.kg)} kg`,
      'LOTS_ABOVE_HARVEST',
    );
}

/** What is unlikely about a lot, but kept as it was entered. */
export async function lotWarnings(
  { withdrawals }: Pick<LotDeps, 'withdrawals'>,
  lot: { state: BatchState; row: LotRow; of: LotHarvest | null; others: Lots },
  language: Language,
): Promise<LotWarning[]> {
  const { state, row, of, others } = lot;
  const words = WORDS[language];
  const day = localDay(row.harvested_at, state.timezone);
  const harvestAt = of?.harvest_date ?? state.batch.actual_harvest_date;
  const harvestDay = harvestAt === null ? day : localDay(harvestAt, state.timezone);
  const isElsewhere =
    (row.pond_id !== null && !wasIn(state, row.pond_id, day)) ||
    (row.pond_id !== null && of?.pond_id != null && of.pond_id !== row.pond_id);
  return [
    ...withdrawalWarnings(await withdrawals.on(state, day), language),
    ...lotsAboveHarvest(lotsKg(row, others), harvestedKgOf(state, of), language),
    ...(day === harvestDay ? [] : [{ code: 'OTHER_DAY', message: words.otherDay(harvestDay) }]),
    ...(isElsewhere ? [{ code: 'NOT_IN_POND', message: words.notInPond }] : []),
  ];
}

type Words = {
  otherDay: (day: string) => string;
  notInPond: string;
};

const WORDS: Readonly<Record<Language, Words>> = {
  'pt-BR': {
    otherDay: (day) => `A despesca está registrada em ${calendarDay(day, 'pt-BR')}: confira a data do lote.`,
    notInPond: 'Pelo que está registrado, esta despesca não foi nesse viveiro nesse dia: confira o viveiro.',
  },
  en: {
    otherDay: (day) => `The harvest is on record on ${calendarDay(day, 'en')}: check the date of the lot.`,
    notInPond: 'By what is on record this harvest was not in that pond on that day: check the pond.',
  },
  es: {
    otherDay: (day) => `La cosecha está registrada el ${calendarDay(day, 'es')}: revise la fecha del lote.`,
    notInPond: 'Según lo registrado, esta cosecha no fue en esa piscina ese día: revise la piscina.',
  },
};

import type { SizeClass } from '#contract/resources/harvest-lots.ts';
import { figure, type Language } from '#science/advice/language.ts';

// What a harvest brought. The price of a size class of its lots goes before that of the harvest, for the kilograms of that
// class; whatever no class prices is at the price of the harvest. So no kilogram counts twice.

/** kg at a price that was told, the money for them, and how much of it is by classes of lots. */
export type Received = { kg: number; revenue: number; byLots: number };

type Lot = { harvest_id: string | null; classes: readonly SizeClass[] };

/** Of the lots of one harvest; null: of the final one. */
export const classesIn = (lots: readonly Lot[], harvestId: string | null): SizeClass[] =>
  lots.filter(({ harvest_id }) => harvest_id === harvestId).flatMap(({ classes }) => classes);

export function receivedOf(harvest: {
  kg: number;
  price: number | null;
  classes: readonly SizeClass[];
}): Received {
  const { kg, price, classes } = harvest;
  let [classKg, byLots] = [0, 0];
  for (const { weight_kg, price_per_kg } of classes) {
    if (price_per_kg === null) continue;
    classKg += weight_kg;
    byLots += weight_kg * price_per_kg;
  }
  const restKg = price === null ? 0 : Math.max(0, kg - classKg);
  return { kg: classKg + restKg, revenue: byLots + restKg * (price ?? 0), byLots };
}

export function sumOfReceived(sales: readonly Received[]): Received {
  return sales.reduce(
    (sum, each) => ({
      kg: sum.kg + each.kg,
      revenue: sum.revenue + each.revenue,
      byLots: sum.byLots + each.byLots,
    }),
    { kg: 0, revenue: 0, byLots: 0 },
  );
}

/** Weights are rounded each by itself. */
export const ROUNDING_KG = 0.005;

/** Lots weigh more together than their harvest: told of the lot, and of a harvest that is corrected. */
export function lotsAboveHarvest(
  kg: number,
  harvested: { kg: number },
  language: Language,
): { code: string; message: string }[] {
  if (kg <= harvested.kg + ROUNDING_KG) return [];
  const message = SENTENCES[language](figure(kg, 1, language), figure(harvested.kg, 1, language));
  return [{ code: 'LOTS_ABOVE_HARVEST', message }];
}

const SENTENCES: Readonly<Record<Language, (lots: string, harvest: string) => string>> = {
  'pt-BR': (lots, harvest) =>
    `Os lotes desta despesca somam ${lots} kg, e a despesca pesou ${harvest} kg: confira as pesagens.`,
  en: (lots, harvest) =>
    `The lots of this harvest weigh ${lots} kg together, the harvest ${harvest} kg: check the weights.`,
  es: (lots, harvest) =>
    `Los lotes de esta cosecha suman ${lots} kg, y la cosecha pesó ${harvest} kg: revise los pesajes.`,
};

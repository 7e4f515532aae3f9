import { figure, type Language } from '#science/advice/language.ts';

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

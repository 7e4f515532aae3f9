import { grams, type Language } from '#science/advice/language.ts';

/** That the weight of the animals moved is far from that of their batch, as a technician is told. */
export const UNUSUAL_WEIGHT: Readonly<Record<Language, (sentG: number, batchG: number) => string>> = {
  'pt-BR': (sentG, batchG) =>
    `O peso médio de ${grams(sentG, 'pt-BR')} está longe dos ${grams(batchG, 'pt-BR')} da última pesagem do lote: confira.`,
  en: (sentG, batchG) =>
    `An average weight of ${grams(sentG, 'en')} is far from the ${grams(batchG, 'en')} the batch last weighed: check it.`,
  es: (sentG, batchG) =>
    `El peso promedio de ${grams(sentG, 'es')} está lejos de los ${grams(batchG, 'es')} del último muestreo del lote: revise.`,
};

import { calendarDay, figure, grams, type Language } from '#science/advice/language.ts';

type Words = {
  smallSample: (count: number, least: number) => string;
  beforeStart: (day: string) => string;
  inTheFuture: string;
  notInPond: (day: string) => string;
  afterHarvest: (day: string) => string;
  /** `day` null: the weight before is that of stocking. */
  fellByHalf: (weightG: number, before: { weightG: number; day: string | null }) => string;
  implausible: (weightG: number) => string;
};

/** What is unlikely about a weighing, as a technician is told. */
export const BIOMETRY_WARNINGS: Readonly<Record<Language, Words>> = {
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
  },
};

import { calendarDay, figure, type Language } from '#science/advice/language.ts';

type Words = {
  /** A meal, kg, against what the batch eats in a day. */
  largeQuantity: (quantityKg: number, day: { rationKg: number; times: number }) => string;
  withoutCost: string;
  inTheFuture: string;
  notInPond: (day: string) => string;
};

/** What is unlikely about a feeding, as a technician is told. */
export const FEEDING_WARNINGS: Readonly<Record<Language, Words>> = {
  'pt-BR': {
    largeQuantity: (quantityKg, { rationKg, times }) =>
      `${figure(quantityKg, 2, 'pt-BR')} kg passam de ${times} vezes o que este lote come por dia ` +
      `(cerca de ${figure(rationKg, 2, 'pt-BR')} kg): confira a quantidade.`,
    withoutCost: 'Ração sem custo: o custo por kg de camarão vai parecer menor do que é.',
    inTheFuture: 'A data do arraçoamento está no futuro: até lá ele não conta.',
    notInPond: (day) =>
      `Pelo que está registrado, este lote não tinha animais nesse viveiro em ${calendarDay(day, 'pt-BR')}: ` +
      'confira o viveiro, ou registre a transferência.',
  },
  en: {
    largeQuantity: (quantityKg, { rationKg, times }) =>
      `${figure(quantityKg, 2, 'en')} kg is more than ${times} times what this batch eats in a day ` +
      `(about ${figure(rationKg, 2, 'en')} kg): check the quantity.`,
    withoutCost: 'This feed costs nothing: the cost per kg of shrimp will look lower than it is.',
    inTheFuture: 'The date of the feeding lies in the future: until then it does not count.',
    notInPond: (day) =>
      `By what is on record this batch had no animals in that pond on ${calendarDay(day, 'en')}: ` +
      'check the pond, or record the transfer.',
  },
};

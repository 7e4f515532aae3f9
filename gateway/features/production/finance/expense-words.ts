import { calendarDay, type Language } from '#science/advice/language.ts';

type Words = {
  zeroAmount: string;
  inTheFuture: string;
  longBeforeStart: (batchCode: string, startDay: string) => string;
};

/** What is unlikely about an expense, as whoever enters it is told. */
export const EXPENSE_WARNINGS: Readonly<Record<Language, Words>> = {
  'pt-BR': {
    zeroAmount: 'Despesa de valor zero: confira o valor.',
    inTheFuture: 'A data da despesa está no futuro: até lá ela não conta.',
    longBeforeStart: (batchCode, startDay) =>
      `A despesa é de mais de um ano antes do início do lote ${batchCode}, em ${calendarDay(startDay, 'pt-BR')}.`,
  },
  en: {
    zeroAmount: 'This expense is 0: check the amount.',
    inTheFuture: 'The date of the expense lies in the future: until then it does not count.',
    longBeforeStart: (batchCode, startDay) =>
      `The expense lies more than a year before the start of batch ${batchCode} on ${calendarDay(startDay, 'en')}.`,
  },
};

import { calendarDay, figure, type Language } from '#science/advice/language.ts';

type Words = {
  unknownSpecies: (name: string) => string;
  densityDiffers: (
    pond: { cod: string; m2: number },
    stocked: { count: number; perM2: number; told: number },
  ) => string;
  aboveStocked: (taken: number, stocked: number) => string;
  moreThanEstimated: (count: number, alive: number) => string;
  weighedAfterwards: (day: string) => string;
  notInPond: (day: string) => string;
  survivalSetAfterwards: (day: string) => string;
};

/** What is unlikely about a batch and its harvests, as a technician is told. */
export const BATCH_WARNINGS: Readonly<Record<Language, Words>> = {
  'pt-BR': {
    unknownSpecies: (name) =>
      `Não há curva de crescimento para "${name}": o lote é comparado com o vannamei.`,
    densityDiffers: ({ cod, m2 }, { count, perM2, told }) =>
      `${whole(count, 'pt-BR')} camarões nos ${whole(m2, 'pt-BR')} m² do viveiro ${cod} são ` +
      `${figure(perM2, 1, 'pt-BR')} por m², não ${figure(told, 1, 'pt-BR')}: confira quantidade, área e densidade.`,
    aboveStocked: (taken, stocked) =>
      `Cerca de ${whole(taken, 'pt-BR')} camarões despescados de ${whole(stocked, 'pt-BR')} povoados dão ` +
      `sobrevivência de ${figure((taken / stocked) * 100, 1, 'pt-BR')}%: confira as contagens.`,
    moreThanEstimated: (count, alive) =>
      `Os camarões despescados (cerca de ${whole(count, 'pt-BR')}) passam dos ${whole(alive, 'pt-BR')} ` +
      'estimados vivos: a sobrevivência registrada deve estar baixa.',
    survivalSetAfterwards: (day) =>
      `Em ${calendarDay(day, 'pt-BR')} a sobrevivência foi acertada: ela vale, e esta perda anterior não muda o número de camarões de hoje.`,
    notInPond: (day) =>
      `Pelo que está registrado, este lote não tinha animais nesse viveiro em ${calendarDay(day, 'pt-BR')}: ` +
      'confira o viveiro, ou registre a transferência.',
    weighedAfterwards: (day) =>
      `Há biometria depois desta data de despesca, em ${calendarDay(day, 'pt-BR')}: confira as datas.`,
  },
  en: {
    unknownSpecies: (name) => `There is no growth curve for "${name}": the batch is compared with vannamei.`,
    densityDiffers: ({ cod, m2 }, { count, perM2, told }) =>
      `${whole(count, 'en')} shrimp in the ${whole(m2, 'en')} m² of pond ${cod} are ` +
      `${figure(perM2, 1, 'en')} per m², not ${figure(told, 1, 'en')}: check count, area and density.`,
    aboveStocked: (taken, stocked) =>
      `About ${whole(taken, 'en')} shrimp harvested of ${whole(stocked, 'en')} stocked imply a survival of ` +
      `${figure((taken / stocked) * 100, 1, 'en')}%: check the counts.`,
    moreThanEstimated: (count, alive) =>
      `The shrimp harvested (about ${whole(count, 'en')}) exceed the ${whole(alive, 'en')} estimated alive: ` +
      'the recorded survival is probably too low.',
    survivalSetAfterwards: (day) =>
      `On ${calendarDay(day, 'en')} the survival was set: that holds, and this earlier loss does not change the animals of today.`,
    notInPond: (day) =>
      `By what is on record this batch had no animals in that pond on ${calendarDay(day, 'en')}: ` +
      'check the pond, or record the transfer.',
    weighedAfterwards: (day) =>
      `The batch was weighed after this harvest date, on ${calendarDay(day, 'en')}: check the dates.`,
  },
  es: {
    unknownSpecies: (name) =>
      `No hay una curva de crecimiento para "${name}": el lote se compara con el vannamei.`,
    densityDiffers: ({ cod, m2 }, { count, perM2, told }) =>
      `${whole(count, 'es')} camarones en los ${whole(m2, 'es')} m² de la piscina ${cod} son ` +
      `${figure(perM2, 1, 'es')} por m², no ${figure(told, 1, 'es')}: revise cantidad, área y densidad.`,
    aboveStocked: (taken, stocked) =>
      `Cerca de ${whole(taken, 'es')} camarones cosechados de ${whole(stocked, 'es')} sembrados dan ` +
      `una supervivencia de ${figure((taken / stocked) * 100, 1, 'es')}%: revise los conteos.`,
    moreThanEstimated: (count, alive) =>
      `Los camarones cosechados (cerca de ${whole(count, 'es')}) pasan de los ${whole(alive, 'es')} ` +
      'estimados vivos: la supervivencia registrada debe estar baja.',
    survivalSetAfterwards: (day) =>
      `El ${calendarDay(day, 'es')} se ajustó la supervivencia: ella vale, y esta pérdida anterior no cambia el número de camarones de hoy.`,
    notInPond: (day) =>
      `Por lo que está registrado, este lote no tenía animales en esa piscina el ${calendarDay(day, 'es')}: ` +
      'revise la piscina, o registre la transferencia.',
    weighedAfterwards: (day) =>
      `Hay un muestreo después de esta fecha de cosecha, el ${calendarDay(day, 'es')}: revise las fechas.`,
  },
};

const whole = (count: number, language: Language): string => figure(count, 0, language);

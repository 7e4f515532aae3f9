import type { Language } from './language.ts';

/** The sentences of growth advice; their arguments come formatted for the language. */
export interface GrowthWords {
  unknownSpecies(name: string): string;
  below(the: Measured): string;
  above(the: Measured): string;
  withinError(
    the: Measured & { side: 'ABOVE' | 'BELOW'; sample: string; error: string; wanted: string },
  ): string;
  noShrimp: string;
  noGain: string;
  slower(change: string): string;
  faster(change: string, weight: string): string;
  unevenWeights(cv: string, limit: string): string;
  noSpread(least: string): string;
  targetReached(weight: string, target: string): string;
  targetAhead(target: string, date: string, days: number): string;
  planAfterTarget(the: Plan): string;
  planBeforeTarget(the: Plan): string;
  planOverrun(date: string, weight: string): string;
  weighFirst(the: Weighing & { day: number; expected: string }): string;
  weighNext(the: Weighing): string;
  weighToday(the: Weighing & { age: number }): string;
  lastSampleWas(sample: string, error: string): string;
}

interface Measured {
  weight: string;
  date: string;
  variance: string;
  expected: string;
  day: number;
}

interface Plan {
  date: string;
  weight: string;
  target: string;
  targetDate: string;
  days: number;
}

interface Weighing {
  date: string;
  sample: string;
  precision: string;
}

const PORTUGUESE: GrowthWords = {
  unknownSpecies: (name) => `Não há curva própria para "${name}": os valores esperados são os do vannamei.`,
  below: ({ weight, date, variance, expected, day }) =>
    `${weight} em ${date}: ${variance} abaixo dos ${expected} esperados no dia ${day}. ` +
    'Confira as sobras nas bandejas após cada refeição e o oxigênio ao amanhecer antes de mexer na ração.',
  above: ({ weight, date, variance, expected, day }) =>
    `${weight} em ${date}: ${variance} acima dos ${expected} esperados no dia ${day}. ` +
    `Calcule a ração sobre ${weight}, não pela idade do lote.`,
  withinError: ({ weight, date, variance, expected, day, side, sample, error, wanted }) =>
    `${weight} em ${date}: ${variance} ${side === 'ABOVE' ? 'acima' : 'abaixo'} dos ${expected} ` +
    `esperados no dia ${day}, mas a amostra de ${sample} camarões só garante ±${error}. ` +
    `Pese ${wanted} antes de mudar o manejo.`,
  noShrimp: 'Nenhum camarão vivo registrado no lote: confira a sobrevivência ou encerre o lote.',
  noGain:
    'O peso médio não subiu no último intervalo. Confira a amostragem e verifique muda, sobras nas bandejas ' +
    'e oxigênio da madrugada.',
  slower: (change) =>
    `O último intervalo cresceu ${change} menos que os anteriores, já descontado o tamanho. ` +
    'Verifique muda, sobras nas bandejas e oxigênio da madrugada.',
  faster: (change, weight) =>
    `O último intervalo cresceu ${change} mais que os anteriores, já descontado o tamanho. ` +
    `Ajuste a ração para ${weight} e confirme nas bandejas.`,
  unevenWeights: (cv, limit) =>
    `Coeficiente de variação de ${cv}, acima de ${limit}. Procure camarões nanicos ou com rostro ` +
    'deformado (sinal de IHHNV), mande uma amostra para análise e conte com tamanhos misturados na despesca.',
  noSpread: (least) =>
    `Na próxima biometria pese pelo menos ${least} camarões um a um: sem isso não há como avaliar a uniformidade.`,
  targetReached: (weight, target) =>
    `O lote pesa ${weight} e já passou do peso de despesca de ${target}. ` +
    'Compare o preço de hoje com o custo de mais uma semana.',
  targetAhead: (target, date, days) =>
    `No ritmo deste viveiro o lote chega a ${target} em ${date}, daqui a ${dias(days)}.`,
  planAfterTarget: ({ date, weight, target, targetDate, days }) =>
    `Na despesca prevista para ${date} são esperados ${weight}; os ${target} são atingidos em ${targetDate}, ` +
    `${dias(days)} antes. Consulte o preço para antecipar.`,
  planBeforeTarget: ({ date, weight, target, targetDate, days }) =>
    `Na despesca prevista para ${date} são esperados ${weight}; os ${target} só são atingidos em ${targetDate}, ` +
    `${dias(days)} depois. Adie a data ou negocie a venda com ${weight}.`,
  planOverrun: (date, weight) =>
    `A despesca prevista para ${date} já passou, com o lote em ${weight}. Marque nova data ou encerre o lote.`,
  weighFirst: ({ date, sample, precision, day, expected }) =>
    `Ainda sem biometria. Pese ${sample} camarões em ${date} (dia ${day}); a curva espera ${expected}, ` +
    `e essa amostra dá a média com ±${precision}.`,
  weighNext: ({ date, sample, precision }) =>
    `Próxima biometria em ${date} com ${sample} camarões (média com ±${precision}).`,
  weighToday: ({ age, sample, precision }) =>
    `A última biometria tem ${dias(age)}. Pese ${sample} camarões hoje (média com ±${precision}).`,
  lastSampleWas: (sample, error) => ` A última, de ${sample}, só garante ±${error}.`,
};

const ENGLISH: GrowthWords = {
  unknownSpecies: (name) => `There is no curve for "${name}": expected values are those of vannamei.`,
  below: ({ weight, date, variance, expected, day }) =>
    `${weight} on ${date}: ${variance} below the ${expected} expected on day ${day}. ` +
    'Check what is left on the trays after each meal, and the oxygen at dawn, before changing the ration.',
  above: ({ weight, date, variance, expected, day }) =>
    `${weight} on ${date}: ${variance} above the ${expected} expected on day ${day}. ` +
    `Compute the ration from ${weight}, not from the age of the batch.`,
  withinError: ({ weight, date, variance, expected, day, side, sample, error, wanted }) =>
    `${weight} on ${date}: ${variance} ${side === 'ABOVE' ? 'above' : 'below'} the ${expected} ` +
    `expected on day ${day}, but a sample of ${sample} shrimp is only good to ±${error}. ` +
    `Weigh ${wanted} before changing anything.`,
  noShrimp: 'No live shrimp are recorded in this batch: check its survival or end the batch.',
  noGain:
    'The mean weight did not rise over the last interval. Check the sampling, and look at molting, leftovers ' +
    'on the trays and oxygen before dawn.',
  slower: (change) =>
    `The last interval grew ${change} less than the ones before, size allowed for. ` +
    'Look at molting, leftovers on the trays and oxygen before dawn.',
  faster: (change, weight) =>
    `The last interval grew ${change} more than the ones before, size allowed for. ` +
    `Set the ration for ${weight} and confirm it on the trays.`,
  unevenWeights: (cv, limit) =>
    `Coefficient of variation ${cv}, above ${limit}. Look for runts and deformed rostrums ` +
    '(a sign of IHHNV), have a sample tested, and expect mixed sizes at harvest.',
  noSpread: (least) =>
    `Weigh at least ${least} shrimp one by one next time: uniformity cannot be rated without it.`,
  targetReached: (weight, target) =>
    `The batch weighs ${weight}, past the harvest weight of ${target}. ` +
    "Compare today's price with the cost of another week.",
  targetAhead: (target, date, days) =>
    `At this pond's pace the batch reaches ${target} on ${date}, in ${daysOf(days)}.`,
  planAfterTarget: ({ date, weight, target, targetDate, days }) =>
    `${weight} is expected at the harvest planned for ${date}; ${target} is reached on ${targetDate}, ` +
    `${daysOf(days)} earlier. Ask for a price to bring it forward.`,
  planBeforeTarget: ({ date, weight, target, targetDate, days }) =>
    `${weight} is expected at the harvest planned for ${date}; ${target} is only reached on ${targetDate}, ` +
    `${daysOf(days)} later. Move the date or agree a sale at ${weight}.`,
  planOverrun: (date, weight) =>
    `The harvest planned for ${date} has passed with the batch at ${weight}. Set a new date or finish the batch.`,
  weighFirst: ({ date, sample, precision, day, expected }) =>
    `Not weighed yet. Weigh ${sample} shrimp on ${date} (day ${day}); the curve expects ${expected}, ` +
    `and that sample gives the mean to ±${precision}.`,
  weighNext: ({ date, sample, precision }) =>
    `Next weighing on ${date} with ${sample} shrimp (mean to ±${precision}).`,
  weighToday: ({ age, sample, precision }) =>
    `The last weighing is ${daysOf(age)} old. Weigh ${sample} shrimp today (mean to ±${precision}).`,
  lastSampleWas: (sample, error) => ` The last one, of ${sample}, is only good to ±${error}.`,
};

const SPANISH: GrowthWords = {
  unknownSpecies: (name) =>
    `No hay una curva propia para "${name}": los valores esperados son los del vannamei.`,
  below: ({ weight, date, variance, expected, day }) =>
    `${weight} el ${date}: ${variance} por debajo de los ${expected} esperados en el día ${day}. ` +
    'Revise los sobrantes en los comederos después de cada ración y el oxígeno al amanecer antes de cambiar el balanceado.',
  above: ({ weight, date, variance, expected, day }) =>
    `${weight} el ${date}: ${variance} por encima de los ${expected} esperados en el día ${day}. ` +
    `Calcule el balanceado sobre ${weight}, no por la edad del lote.`,
  withinError: ({ weight, date, variance, expected, day, side, sample, error, wanted }) =>
    `${weight} el ${date}: ${variance} por ${side === 'ABOVE' ? 'encima' : 'debajo'} de los ${expected} ` +
    `esperados en el día ${day}, pero la muestra de ${sample} camarones solo garantiza ±${error}. ` +
    `Pese ${wanted} antes de cambiar el manejo.`,
  noShrimp: 'Ningún camarón vivo registrado en el lote: revise la supervivencia o cierre el lote.',
  noGain:
    'El peso promedio no subió en el último intervalo. Revise el muestreo y verifique la muda, los sobrantes ' +
    'en los comederos y el oxígeno de la madrugada.',
  slower: (change) =>
    `El último intervalo creció ${change} menos que los anteriores, ya descontado el tamaño. ` +
    'Verifique la muda, los sobrantes en los comederos y el oxígeno de la madrugada.',
  faster: (change, weight) =>
    `El último intervalo creció ${change} más que los anteriores, ya descontado el tamaño. ` +
    `Ajuste el balanceado para ${weight} y confirme en los comederos.`,
  unevenWeights: (cv, limit) =>
    `Coeficiente de variación de ${cv}, por encima de ${limit}. Busque camarones enanos o con rostro ` +
    'deforme (señal de IHHNV), mande una muestra a analizar y cuente con tallas mezcladas en la cosecha.',
  noSpread: (least) =>
    `En el próximo muestreo pese al menos ${least} camarones uno por uno: sin eso no se puede evaluar la uniformidad.`,
  targetReached: (weight, target) =>
    `El lote pesa ${weight} y ya pasó del peso de cosecha de ${target}. ` +
    'Compare el precio de hoy con el costo de una semana más.',
  targetAhead: (target, date, days) =>
    `Al ritmo de esta piscina el lote llega a ${target} el ${date}, dentro de ${diasDe(days)}.`,
  planAfterTarget: ({ date, weight, target, targetDate, days }) =>
    `En la cosecha prevista para el ${date} se esperan ${weight}; los ${target} se alcanzan el ${targetDate}, ` +
    `${diasDe(days)} antes. Consulte el precio para adelantarla.`,
  planBeforeTarget: ({ date, weight, target, targetDate, days }) =>
    `En la cosecha prevista para el ${date} se esperan ${weight}; los ${target} solo se alcanzan el ${targetDate}, ` +
    `${diasDe(days)} después. Aplace la fecha o negocie la venta con ${weight}.`,
  planOverrun: (date, weight) =>
    `La cosecha prevista para el ${date} ya pasó, con el lote en ${weight}. Fije una fecha nueva o cierre el lote.`,
  weighFirst: ({ date, sample, precision, day, expected }) =>
    `Todavía sin muestreo. Pese ${sample} camarones el ${date} (día ${day}); la curva espera ${expected}, ` +
    `y esa muestra da el promedio con ±${precision}.`,
  weighNext: ({ date, sample, precision }) =>
    `Próximo muestreo el ${date} con ${sample} camarones (promedio con ±${precision}).`,
  weighToday: ({ age, sample, precision }) =>
    `El último muestreo tiene ${diasDe(age)}. Pese ${sample} camarones hoy (promedio con ±${precision}).`,
  lastSampleWas: (sample, error) => ` El último, de ${sample}, solo garantiza ±${error}.`,
};

export const GROWTH_WORDS: Record<Language, GrowthWords> = {
  'pt-BR': PORTUGUESE,
  en: ENGLISH,
  es: SPANISH,
};

function dias(count: number): string {
  return count === 1 ? '1 dia' : `${count} dias`;
}

function diasDe(count: number): string {
  return count === 1 ? '1 día' : `${count} días`;
}

function daysOf(count: number): string {
  return count === 1 ? '1 day' : `${count} days`;
}

import type { FeedingEvent } from '../feeding-adjustments.ts';
import type { Language } from './language.ts';

export type FeedForm = 'STARTER' | 'CRUMBLE' | 'PELLET';

/** The words of feeding advice; arguments come formatted for the language. */
export interface FeedingWords {
  feedType(the: { form: FeedForm; sizeMm: string; protein: string }): string;
  noAdjustment: string;
  notActive: string;
  noShrimp: string;
  notStocked(date: string): string;
  suspended(oxygen: string): string;
  causes: {
    TEMPERATURE(value: string): string;
    OXYGEN(value: string): string;
    DAWN_OXYGEN(value: string): string;
    AMMONIA(value: string): string;
  };
  events: Record<FeedingEvent, string>;
  unknownSpecies(name: string): string;
  /** Postlarvae that were never weighed are fed by a chart. */
  byChart(source: string, sample: string, date: string): string;
  measureOxygen(hours: number, limit: string, assumed: string): string;
  measureTemperature(hours: number, assumed: string): string;
  /** The limit of what unknown water cuts. */
  unknownAtMost(cut: string): string;
  /** The weight in a pond rests on the weighing of another. */
  weighedElsewhere(pond: string, other: string): string;
  /** A reading of some hours ago. */
  agedHours(value: string, hours: number): string;
  /** A value that stands in for one that nobody measured. */
  assumed(value: string): string;
  /** The most that a value may be, with what it could not be worked out from. */
  atMost(value: string, gaps: string): string;
  covered(cause: string, cut: string): string;
  notWeighed(weight: string, day: number, sample: string, date: string): string;
  staleWeighing(age: number, weight: string, sample: string): string;
  grownForward(weighed: string, age: number, weight: string): string;
  wastefulSoFar(fca: string): string;
  wastefulToday(perGain: string): string;
}

const PORTUGUESE: FeedingWords = {
  feedType: ({ form, sizeMm, protein }) => {
    const forms = {
      STARTER: 'Ração inicial em pó ou farelada',
      CRUMBLE: 'Ração triturada ou micropélete',
      PELLET: 'Ração peletizada',
    };
    return `${forms[form]} ${sizeMm} mm, ${protein} PB`;
  },
  noAdjustment: 'Sem ajuste',
  notActive: 'Lote não está ativo',
  noShrimp: 'Nenhum camarão vivo registrado no lote',
  notStocked: (date) => `Povoamento previsto para ${date}`,
  suspended: (oxygen) => `Alimentação suspensa: ${oxygen}`,
  causes: {
    TEMPERATURE: (value) => `temperatura ${value} °C`,
    OXYGEN: (value) => `oxigênio dissolvido ${value} mg/L`,
    DAWN_OXYGEN: (value) => `oxigênio de ${value} mg/L ao amanhecer, para poupar o próximo`,
    AMMONIA: (value) => `amônia não ionizada ${value} mg/L`,
  },
  events: {
    SYNCHRONOUS_MOLT: 'muda sincronizada',
    PARTIAL_MOLT: 'muda parcial',
    HEAVY_RAIN: 'chuva forte',
    BLOOM_CRASH: 'queda do plâncton',
    TREATMENT: 'tratamento da água',
  },
  unknownSpecies: (name) => `Não há tabela própria para "${name}": a ração segue a do vannamei.`,
  byChart: (source, sample, date) =>
    `Ainda sem biometria: a ração segue a tabela dos primeiros dias da fazenda (${source}). Pese ${sample} camarões em ${date}.`,
  measureOxygen: (hours, limit, assumed) =>
    `Sem leitura de oxigênio nas últimas ${hours} h: a ração supõe ${assumed} mg/L; meça antes da próxima refeição, abaixo de ${limit} mg/L a ração deve cair.`,
  measureTemperature: (hours, assumed) =>
    `Sem leitura de temperatura nas últimas ${hours} h: a ração supõe água a ${assumed} °C.`,
  unknownAtMost: (cut) => `O que ninguém mediu corta a ração em ${cut} no máximo.`,
  weighedElsewhere: (pond, other) =>
    `O peso em ${pond} é suposto, não medido: vale a biometria feita em ${other}. Pese ${pond}.`,
  agedHours: (value, hours) => `${value} (lido há ${hours} h)`,
  assumed: (value) => `${value} (suposto, não medido)`,
  atMost: (value, gaps) => `${value} no pior caso (${gaps})`,
  covered: (cause, cut) => `Também pesa ${cause} (por si só, −${cut}), já dentro do corte maior.`,
  notWeighed: (weight, day, sample, date) =>
    `Ainda sem biometria: a ração usa o peso esperado de ${weight} no dia ${day}. Pese ${sample} camarões em ${date}.`,
  staleWeighing: (age, weight, sample) =>
    `A última biometria tem ${age} dias e a ração supõe ${weight}. Pese ${sample} camarões hoje.`,
  grownForward: (weighed, age, weight) =>
    `A ração usa ${weight}: os ${weighed} pesados há ${age === 1 ? '1 dia' : `${age} dias`} mais o crescimento desde então.`,
  wastefulSoFar: (fca) =>
    `Conversão alimentar de ${fca} até aqui: confira as bandejas duas horas após cada refeição e registre o que sobrou: a refeição seguinte desconta isso.`,
  wastefulToday: (perGain) =>
    `No ritmo atual do viveiro esta ração gasta ${perGain} kg por quilo ganho: confira as bandejas antes de dar tudo.`,
};

const ENGLISH: FeedingWords = {
  feedType: ({ form, sizeMm, protein }) => {
    const forms = {
      STARTER: 'Starter powder or crumble',
      CRUMBLE: 'Crumble or micro-pellet',
      PELLET: 'Pellet',
    };
    return `${forms[form]} ${sizeMm} mm, ${protein} CP`;
  },
  noAdjustment: 'No adjustment',
  notActive: 'Batch not active',
  noShrimp: 'No live shrimp recorded in the batch',
  notStocked: (date) => `Stocking is planned for ${date}`,
  suspended: (oxygen) => `Feeding suspended: ${oxygen}`,
  causes: {
    TEMPERATURE: (value) => `temperature ${value} °C`,
    OXYGEN: (value) => `dissolved oxygen ${value} mg/L`,
    DAWN_OXYGEN: (value) => `oxygen of ${value} mg/L at dawn, to spare the next one`,
    AMMONIA: (value) => `un-ionised ammonia ${value} mg/L`,
  },
  events: {
    SYNCHRONOUS_MOLT: 'synchronous molt',
    PARTIAL_MOLT: 'partial molt',
    HEAVY_RAIN: 'heavy rain',
    BLOOM_CRASH: 'bloom crash',
    TREATMENT: 'water treatment',
  },
  unknownSpecies: (name) => `There is no table for "${name}": the ration follows vannamei.`,
  byChart: (source, sample, date) =>
    `Not weighed yet: the ration goes by the farm’s chart of the first days (${source}). Weigh ${sample} shrimp on ${date}.`,
  measureOxygen: (hours, limit, assumed) =>
    `No oxygen reading in the last ${hours} h: the ration assumes ${assumed} mg/L; measure before the next meal, below ${limit} mg/L the ration has to come down.`,
  measureTemperature: (hours, assumed) =>
    `No temperature reading in the last ${hours} h: the ration assumes water at ${assumed} °C.`,
  unknownAtMost: (cut) => `What nobody measured cuts the ration by ${cut} at most.`,
  weighedElsewhere: (pond, other) =>
    `The weight in ${pond} is assumed, not measured: the weighing of ${other} stands in for it. Weigh ${pond}.`,
  agedHours: (value, hours) => `${value} (read ${hours} h ago)`,
  assumed: (value) => `${value} (assumed, not measured)`,
  atMost: (value, gaps) => `${value} at worst (${gaps})`,
  covered: (cause, cut) => `There is also ${cause} (on its own -${cut}); the larger cut already covers it.`,
  notWeighed: (weight, day, sample, date) =>
    `Not weighed yet: the ration uses the ${weight} expected on day ${day}. Weigh ${sample} shrimp on ${date}.`,
  staleWeighing: (age, weight, sample) =>
    `The last weighing is ${age} days old and the ration assumes ${weight}. Weigh ${sample} shrimp today.`,
  grownForward: (weighed, age, weight) =>
    `The ration uses ${weight}: the ${weighed} weighed ${age === 1 ? '1 day' : `${age} days`} ago plus growth since.`,
  wastefulSoFar: (fca) =>
    `Feed conversion ${fca} so far: check the trays two hours after each meal and record what is left: the next meal allows for it.`,
  wastefulToday: (perGain) =>
    `At the pond's present pace this ration spends ${perGain} kg per kilogram gained: check the trays before giving all of it.`,
};

const SPANISH: FeedingWords = {
  feedType: ({ form, sizeMm, protein }) => {
    const forms = {
      STARTER: 'Balanceado iniciador en polvo o migaja',
      CRUMBLE: 'Balanceado triturado o microextruido',
      PELLET: 'Balanceado peletizado',
    };
    return `${forms[form]} ${sizeMm} mm, ${protein} PB`;
  },
  noAdjustment: 'Sin ajuste',
  notActive: 'El lote no está activo',
  noShrimp: 'Ningún camarón vivo registrado en el lote',
  notStocked: (date) => `Siembra prevista para el ${date}`,
  suspended: (oxygen) => `Alimentación suspendida: ${oxygen}`,
  causes: {
    TEMPERATURE: (value) => `temperatura ${value} °C`,
    OXYGEN: (value) => `oxígeno disuelto ${value} mg/L`,
    DAWN_OXYGEN: (value) => `oxígeno de ${value} mg/L al amanecer, para cuidar el próximo`,
    AMMONIA: (value) => `amoníaco no ionizado ${value} mg/L`,
  },
  events: {
    SYNCHRONOUS_MOLT: 'muda sincronizada',
    PARTIAL_MOLT: 'muda parcial',
    HEAVY_RAIN: 'lluvia fuerte',
    BLOOM_CRASH: 'caída del plancton',
    TREATMENT: 'tratamiento del agua',
  },
  unknownSpecies: (name) => `No hay una tabla propia para "${name}": el balanceado sigue la del vannamei.`,
  byChart: (source, sample, date) =>
    `Todavía sin muestreo: el balanceado sigue la tabla de los primeros días de la camaronera (${source}). Pese ${sample} camarones el ${date}.`,
  measureOxygen: (hours, limit, assumed) =>
    `Sin lectura de oxígeno en las últimas ${hours} h: el balanceado supone ${assumed} mg/L; mida antes de la próxima ración, por debajo de ${limit} mg/L el balanceado debe bajar.`,
  measureTemperature: (hours, assumed) =>
    `Sin lectura de temperatura en las últimas ${hours} h: el balanceado supone agua a ${assumed} °C.`,
  unknownAtMost: (cut) => `Lo que nadie midió reduce el balanceado en ${cut} como máximo.`,
  weighedElsewhere: (pond, other) =>
    `El peso en ${pond} se supone, no se midió: vale el muestreo hecho en ${other}. Pese ${pond}.`,
  agedHours: (value, hours) => `${value} (leído hace ${hours} h)`,
  assumed: (value) => `${value} (supuesto, no medido)`,
  atMost: (value, gaps) => `${value} en el peor caso (${gaps})`,
  covered: (cause, cut) => `También pesa ${cause} (por sí solo, −${cut}), ya dentro de la reducción mayor.`,
  notWeighed: (weight, day, sample, date) =>
    `Todavía sin muestreo: el balanceado usa el peso esperado de ${weight} en el día ${day}. Pese ${sample} camarones el ${date}.`,
  staleWeighing: (age, weight, sample) =>
    `El último muestreo tiene ${age} días y el balanceado supone ${weight}. Pese ${sample} camarones hoy.`,
  grownForward: (weighed, age, weight) =>
    `El balanceado usa ${weight}: los ${weighed} pesados hace ${age === 1 ? '1 día' : `${age} días`} más el crecimiento desde entonces.`,
  wastefulSoFar: (fca) =>
    `Factor de conversión de ${fca} hasta aquí: revise los comederos dos horas después de cada ración y registre lo que sobró: la ración siguiente lo descuenta.`,
  wastefulToday: (perGain) =>
    `Al ritmo actual de la piscina este balanceado gasta ${perGain} kg por kilo ganado: revise los comederos antes de dar todo.`,
};

export const FEEDING_WORDS: Record<Language, FeedingWords> = {
  'pt-BR': PORTUGUESE,
  en: ENGLISH,
  es: SPANISH,
};

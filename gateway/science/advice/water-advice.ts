import type { ParameterTrend } from '../parameter-trend.ts';
import type { WaterParameter } from '../water-limits.ts';
import type { AdviceGrade, AdviceStage, WaterProblem } from './advice-sources.ts';
import { adviceOf } from './advice-table.ts';
import { alkalinityDose } from './alkalinity-dose.ts';
import { figure, type Language } from './language.ts';

/** What an action may need to know of the pond. */
type PondWater = {
  /** The latest value of the parameter. */
  value: number;
  /** The limit it should keep to. */
  limit: number;
  /** m³; null: surface or depth unknown. */
  volumeM3: number | null;
  /** Nothing lives there. */
  isEmpty?: boolean | undefined;
  fedAboveMgL?: number | undefined;
};

/** What a technician does about a parameter that is, or soon will be, out of range; null: nothing in particular. */
function waterAction(
  parameter: WaterParameter,
  problem: WaterProblem,
  told: { pond: PondWater; stage: AdviceStage; grade: AdviceGrade | null; language: Language },
): string | null {
  const { pond, stage, grade, language } = told;
  const dose = parameter === 'alkalinity' ? alkalinityDose(pond, language) : null;
  return adviceOf(
    {
      parameter,
      problem,
      stage,
      grade,
      value: pond.value,
      isPondEmpty: pond.isEmpty,
      fedAboveMgL: pond.fedAboveMgL,
    },
    language,
    dose,
  );
}

export type WaterTrendFacts = {
  /** The pond's code, as people call it. */
  pond: string;
  parameter: WaterParameter;
  /** Length of the window asked for, days. */
  periodDays: number;
  trend: ParameterTrend;
  /** Mean of the last day measured; null: nothing was measured in the window. */
  latest: number | null;
  /** Lowest and highest reading of the window, with their local time; null likewise. */
  lowest: { value: number; localDate: string; localTime: string } | null;
  highest: { value: number; localDate: string; localTime: string } | null;
  range: { min: number; max: number | null };
  volumeM3: number | null;
  isPondEmpty?: boolean;
  /** Oxygen above which the farm gives a meal, mg/L. */
  fedAboveMgL?: number;
  /** The newest reading, where it is fresh enough to act on at once and beyond its limit; null: it is not. */
  beyondNow: {
    /** What its limit is compared with: of total ammonia the un-ionised part. */
    compared: number;
    limit: number;
    grade: AdviceGrade;
    side: 'LOW' | 'HIGH';
    localTime: string;
    /** How it is told: ammonia on both bases. */
    reading: string;
  } | null;
  /** Only of ammonia: what the farm's kit measures. */
  ammoniaBasis?: 'NH3' | 'TAN';
};

/** A limit this near at the present pace is acted on now, days. */
const SOON_DAYS = 14;

/**
 * What the trend of a parameter asks for: where it goes in numbers, how near that comes to a limit, and what to do about
 * it. Nothing to do is said in one sentence.
 */
export function waterTrendAdvice(facts: WaterTrendFacts, language: Language): string[] {
  if (facts.latest === null) return [notMeasured(facts, language)];
  const problem = problemOf(facts, facts.latest);
  const sentences = [
    acute(facts, language),
    course(facts, facts.latest, language),
    extreme(facts, problem, language),
  ];
  if (problem !== null) {
    const limit = problem === 'HIGH' ? (facts.range.max ?? facts.range.min) : facts.range.min;
    const pond: PondWater = {
      value: facts.latest,
      limit,
      volumeM3: facts.volumeM3,
      isEmpty: facts.isPondEmpty,
    };
    sentences.push(
      arrival(facts, { latest: facts.latest, limit }, language),
      waterAction(facts.parameter, problem, {
        pond,
        stage: 'week',
        // the newest reading tells how near to harm it is; without one nobody knows
        grade: facts.beyondNow?.side === problem ? facts.beyondNow.grade : null,
        language,
      }),
    );
  }
  return sentences.filter((sentence) => sentence !== null);
}

/** What cannot wait for a trend, with the reading it rests on. */
function acute(
  { beyondNow, parameter, volumeM3, isPondEmpty, fedAboveMgL, pond: cod }: WaterTrendFacts,
  language: Language,
): string | null {
  if (beyondNow === null) return null;
  const { compared, limit, grade, side, localTime, reading } = beyondNow;
  const action = waterAction(parameter, side, {
    pond: { value: compared, limit, volumeM3, isEmpty: isPondEmpty, fedAboveMgL },
    stage: 'now',
    grade,
    language,
  });
  if (action === null) return null;
  const isDeadly = grade === 'CRITICAL';
  return {
    'pt-BR': `${isDeadly ? 'CRÍTICO, v' : 'V'}iveiro ${cod}: ${parameterName(parameter, language)} em ${reading} às ${localTime}. ${action}`,
    en: `${isDeadly ? 'CRITICAL, p' : 'P'}ond ${cod}: ${parameterName(parameter, language)} at ${reading} at ${localTime}. ${action}`,
    es: `${isDeadly ? 'CRÍTICO, p' : 'P'}iscina ${cod}: ${parameterName(parameter, language)} en ${reading} a las ${localTime}. ${action}`,
  }[language];
}

/** Out of range now or within the window, on the way there, or restless. */
function problemOf(facts: WaterTrendFacts, latest: number): WaterProblem | null {
  const { range, trend, lowest, highest } = facts;
  const daysToMin = daysUntil(trend, latest, range.min);
  const daysToMax = range.max === null ? null : daysUntil(trend, latest, range.max);
  if (latest < range.min || (daysToMin !== null && daysToMin <= SOON_DAYS)) return 'LOW';
  if (isAbove(latest, range.max) || (daysToMax !== null && daysToMax <= SOON_DAYS)) return 'HIGH';
  if (lowest !== null && lowest.value < range.min) return 'LOW';
  if (highest !== null && isAbove(highest.value, range.max)) return 'HIGH';
  return trend.direction === 'VOLATILE' ? 'VOLATILE' : null;
}

/** Days until a real trend reaches a level; null: it does not go there. */
function daysUntil(trend: ParameterTrend, latest: number, level: number): number | null {
  const isGoing = trend.direction === 'INCREASING' || trend.direction === 'DECREASING';
  if (!isGoing || trend.slopePerDay === null || trend.slopePerDay === 0) return null;
  const days = (level - latest) / trend.slopePerDay;
  return days > 0 ? days : null;
}

function course(facts: WaterTrendFacts, latest: number, language: Language): string {
  const { parameter, trend, pond, periodDays } = facts;
  const name = parameterName(parameter, language);
  const now = amountOf(facts, latest, language);
  const basis = basisText(facts);
  const weekly = changeAmount(parameter, (trend.slopePerDay ?? 0) * 7, language) + basis;
  const scatter = changeAmount(parameter, trend.residualSd ?? 0, language) + basis;
  switch (trend.direction) {
    case 'INCREASING':
      return {
        'pt-BR': `Viveiro ${pond}: ${name} sobe ${weekly} por semana e está em ${now}.`,
        en: `Pond ${pond}: ${name} rises by ${weekly} a week and stands at ${now}.`,
        es: `Piscina ${pond}: ${name} sube ${weekly} por semana y está en ${now}.`,
      }[language];
    case 'DECREASING':
      return {
        'pt-BR': `Viveiro ${pond}: ${name} cai ${weekly} por semana e está em ${now}.`,
        en: `Pond ${pond}: ${name} falls by ${weekly} a week and stands at ${now}.`,
        es: `Piscina ${pond}: ${name} baja ${weekly} por semana y está en ${now}.`,
      }[language];
    case 'VOLATILE':
      return {
        'pt-BR': `Viveiro ${pond}: ${name} oscila ${scatter} de um dia para o outro, sem rumo, e está em ${now}.`,
        en: `Pond ${pond}: ${name} swings by ${scatter} from day to day, without direction, and stands at ${now}.`,
        es: `Piscina ${pond}: ${name} oscila ${scatter} de un día para otro, sin rumbo, y está en ${now}.`,
      }[language];
    case 'STABLE':
      return {
        'pt-BR': `Viveiro ${pond}: ${name} sem tendência em ${periodDays} dias, agora em ${now}.`,
        en: `Pond ${pond}: ${name} shows no trend over ${periodDays} days and stands at ${now}.`,
        es: `Piscina ${pond}: ${name} sin tendencia en ${periodDays} días, ahora en ${now}.`,
      }[language];
  }
}

/** The worst reading on the side of the problem, with its hour: dawn and afternoon ask for different things. */
function extreme(facts: WaterTrendFacts, problem: WaterProblem | null, language: Language): string | null {
  const worst = problem === 'LOW' ? facts.lowest : problem === 'HIGH' ? facts.highest : null;
  if (worst === null) return null;
  const value = amountOf(facts, worst.value, language);
  const day = dayAndMonth(worst.localDate, language);
  if (language !== 'en') {
    const [low, high] =
      language === 'es'
        ? ['Mínimo del período', 'Máximo del período']
        : ['Mínimo do período', 'Máximo do período'];
    const on = language === 'es' ? `el ${day}, a las` : `em ${day}, às`;
    return `${problem === 'LOW' ? low : high}: ${value} ${on} ${worst.localTime}.`;
  }
  return `${problem === 'LOW' ? 'Lowest' : 'Highest'} of the period: ${value} on ${day} at ${worst.localTime}.`;
}

function arrival(
  facts: WaterTrendFacts,
  { latest, limit }: { latest: number; limit: number },
  language: Language,
): string | null {
  const days = daysUntil(facts.trend, latest, limit);
  if (days === null || days > SOON_DAYS) return null;
  const level = amountOf(facts, limit, language);
  const count = figure(Math.max(1, Math.round(days)), 0, language);
  const isOne = count === '1';
  return {
    'pt-BR': `Nesse ritmo chega a ${level} em ${count} ${isOne ? 'dia' : 'dias'}.`,
    en: `At this pace it reaches ${level} in ${count} ${isOne ? 'day' : 'days'}.`,
    es: `A este ritmo llega a ${level} en ${count} ${isOne ? 'día' : 'días'}.`,
  }[language];
}

function notMeasured({ pond, parameter, periodDays }: WaterTrendFacts, language: Language): string {
  const name = parameterTitle(parameter, language);
  return {
    'pt-BR': `Viveiro ${pond}: nenhuma medição em ${periodDays} dias. ${name}: meça amanhã às 05:00 e às 15:00.`,
    en: `Pond ${pond}: nothing measured in ${periodDays} days. ${name}: measure tomorrow at 05:00 and 15:00.`,
    es: `Piscina ${pond}: ninguna medición en ${periodDays} días. ${name}: mida mañana a las 05:00 y a las 15:00.`,
  }[language];
}

function isAbove(value: number, max: number | null): boolean {
  return max !== null && value > max;
}

/** "18/11" or "18 Nov". */
function dayAndMonth(localDate: string, language: Language): string {
  const [, month = '', day = ''] = localDate.split('-');
  if (language !== 'en') return `${day}/${month}`;
  const name = MONTHS[Number(month) - 1] ?? month;
  return `${Number(day)} ${name}`;
}
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

type Words = Readonly<Record<Language, string>>;

/** With the article, as the subject of a sentence. */
const SUBJECTS: Readonly<Record<WaterParameter, Words>> = {
  temperature: { 'pt-BR': 'a temperatura', en: 'temperature', es: 'la temperatura' },
  dissolved_oxygen: { 'pt-BR': 'o oxigênio', en: 'oxygen', es: 'el oxígeno' },
  ph: { 'pt-BR': 'o pH', en: 'pH', es: 'el pH' },
  salinity: { 'pt-BR': 'a salinidade', en: 'salinity', es: 'la salinidad' },
  alkalinity: { 'pt-BR': 'a alcalinidade', en: 'alkalinity', es: 'la alcalinidad' },
  ammonia: { 'pt-BR': 'a amônia', en: 'ammonia', es: 'el amoníaco' },
  nitrite: { 'pt-BR': 'o nitrito', en: 'nitrite', es: 'el nitrito' },
  nitrate: { 'pt-BR': 'o nitrato', en: 'nitrate', es: 'el nitrato' },
  transparency: { 'pt-BR': 'a transparência', en: 'transparency', es: 'la transparencia' },
};

const UNITS: Readonly<Record<WaterParameter, { unit: string; decimals: number }>> = {
  temperature: { unit: ' °C', decimals: 1 },
  dissolved_oxygen: { unit: ' mg/L', decimals: 1 },
  ph: { unit: '', decimals: 1 },
  salinity: { unit: ' ppt', decimals: 0 },
  alkalinity: { unit: ' mg/L', decimals: 0 },
  ammonia: { unit: ' mg/L', decimals: 2 },
  nitrite: { unit: ' mg/L', decimals: 2 },
  nitrate: { unit: ' mg/L', decimals: 0 },
  transparency: { unit: ' cm', decimals: 0 },
};

/** "o oxigênio", "oxygen". */
function parameterName(parameter: WaterParameter, language: Language): string {
  return SUBJECTS[parameter][language];
}

/** A value with its unit, at the precision it is measured with: "3,2 mg/L", "8.1" for pH. */
export function amount(parameter: WaterParameter, value: number, language: Language): string {
  const { unit, decimals } = UNITS[parameter];
  return figure(value, decimals, language) + unit;
}

/** Ammonia is never told as a bare figure. */
const basisText = ({ ammoniaBasis }: WaterTrendFacts): string =>
  ammoniaBasis === undefined ? '' : { NH3: ' NH₃-N', TAN: ' TAN' }[ammoniaBasis];
const amountOf = (facts: WaterTrendFacts, value: number, language: Language): string =>
  amount(facts.parameter, value, language) + basisText(facts);

/** A change with one more digit than the value it changes. */
function changeAmount(parameter: WaterParameter, change: number, language: Language): string {
  const { unit, decimals } = UNITS[parameter];
  return figure(Math.abs(change), decimals + 1, language) + unit;
}

/** As the first word of a sentence, without the article: "Oxigênio", "pH". */
export function parameterTitle(parameter: WaterParameter, language: Language): string {
  const name = parameterName(parameter, language).replace(/^(?:[oa]|el|la) /, '');
  // pH begins small in every language.
  return parameter === 'ph' ? name : name.charAt(0).toUpperCase() + name.slice(1);
}

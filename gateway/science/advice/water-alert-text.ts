import { type AmmoniaGap, type Nh3, nh3ToActOn } from '../ammonia.ts';
import type { WaterSeverity } from '../severity.ts';
import { isUpperLimit, type Violation } from '../water-limits.ts';
import type { AdviceGrade } from './advice-sources.ts';
import { adviceOf } from './advice-table.ts';
import { figure, type Language } from './language.ts';
import { amount, parameterTitle } from './water-advice.ts';

const SEVERITY_WORDS: Readonly<Record<WaterSeverity | 'CRITICAL', Readonly<Record<Language, string>>>> = {
  CRITICAL: { 'pt-BR': 'CRÍTICO', en: 'CRITICAL', es: 'CRÍTICO' },
  HIGH: { 'pt-BR': 'grave', en: 'high', es: 'grave' },
  MEDIUM: { 'pt-BR': 'moderado', en: 'medium', es: 'moderado' },
  LOW: { 'pt-BR': 'leve', en: 'low', es: 'leve' },
};

/** One sentence of what was measured against which limit, for the message of an alert. */
export function waterAlertMessage(
  alert: { pond: string; violation: Violation; word: WaterSeverity | 'CRITICAL' },
  language: Language,
): string {
  const { parameter, value, threshold, type } = alert.violation;
  if (alert.violation.nh3 !== null) return ammoniaMessage({ ...alert, nh3: alert.violation.nh3 }, language);
  const name = parameterTitle(parameter, language);
  const measured = precise(alert.violation, value, language);
  const limit = amount(parameter, threshold, language);
  const graded = SEVERITY_WORDS[alert.word][language];
  const word =
    alert.violation.isSalinityUnknown === true ? `${graded}; ${salinityMissing(language)}` : graded;
  const side = isUpperLimit(type);
  return {
    'pt-BR': `${name} ${measured} no viveiro ${alert.pond}, ${side ? 'acima' : 'abaixo'} de ${limit} (${word})`,
    en: `${name} ${measured} in pond ${alert.pond}, ${side ? 'above' : 'below'} ${limit} (${word})`,
    es: `${name} ${measured} en la piscina ${alert.pond}, por ${side ? 'encima' : 'debajo'} de ${limit} (${word})`,
  }[language];
}

const salinityMissing = (language: Language): string => gapsText(['SALINITY_MISSING'], language);

/** A message as another language tells it, with what the Portuguese one says of a salinity that nobody measured. */
export function withGapOf(message: string, told: string, language: Language): string {
  return message.endsWith(`; ${salinityMissing('pt-BR')})`) ? `${told} (${salinityMissing(language)})` : told;
}

/** What was typed, on its basis, and the same on the other: the limit is for what is poisonous. */
function ammoniaMessage(
  alert: { pond: string; violation: Violation; word: WaterSeverity | 'CRITICAL'; nh3: Nh3 },
  language: Language,
): string {
  const { violation, nh3, pond } = alert;
  const told = ammoniaText(violation, nh3, language);
  const limit = ammoniaAmount('NH3', violation.threshold, language);
  const word = SEVERITY_WORDS[alert.word][language];
  return {
    'pt-BR': `Amônia ${told} no viveiro ${pond}, acima de ${limit} (${word})`,
    en: `Ammonia ${told} in pond ${pond}, above ${limit} (${word})`,
    es: `Amoníaco ${told} en la piscina ${pond}, por encima de ${limit} (${word})`,
  }[language];
}

/** What was measured beyond its limit: of ammonia on both bases, with what nobody measured. */
export function measuredText(violation: Violation, language: Language): string {
  const { nh3, parameter, measured } = violation;
  return nh3 === null ? amount(parameter, measured, language) : ammoniaText(violation, nh3, language);
}

/** "3,00 mg/L TAN = 0,61 mg/L NH₃-N". */
function ammoniaText(violation: Violation, nh3: Nh3, language: Language): string {
  const { value, measured, tan } = violation;
  const isTotal = measured !== value;
  const typed = isTotal
    ? ammoniaAmount('TAN', measured, language)
    : `${precise(violation, value, language)} NH₃-N`;
  const twin = isTotal
    ? nh3Text(nh3, language)
    : tan === undefined
      ? null
      : ammoniaAmount('TAN', tan, language);
  return twin === null ? typed : `${typed} = ${twin}`;
}

const AMMONIA = /^Amônia (.+?) no viveiro (.+), acima de (\S+ mg\/L NH₃-N) \((\S+)\)$/;
const SPELLED = /[\d.,]+ mg\/L/g;

/** A stored message of ammonia as it was said in another language; null: it is none. */
export function ammoniaMessageIn(language: Exclude<Language, 'pt-BR'>, message: string): string | null {
  const [found, said = '', pond, limit = '', word] = AMMONIA.exec(message) ?? [];
  const graded = Object.values(SEVERITY_WORDS).find((each) => each['pt-BR'] === word);
  if (found === undefined || graded === undefined) return null;
  const upTo = { en: 'up to', es: 'hasta' }[language];
  const amounts = said.replace(/ \(.+\)$/, '').replace('= até ', `= ${upTo} `);
  const gaps = gapsSaidIn(language, / \((.+)\)$/.exec(said)?.[1] ?? '');
  const measured = `${amounts}${gaps === '' ? '' : ` (${gaps})`}`;
  return {
    en: `Ammonia ${pointed(measured)} in pond ${pond}, above ${pointed(limit)} (${graded.en})`,
    es: `Amoníaco ${measured} en la piscina ${pond}, por encima de ${limit} (${graded.es})`,
  }[language];
}

/** 1.234,56 mg/L as 1,234.56 mg/L. */
const pointed = (text: string): string =>
  text.replaceAll(SPELLED, (amounts) => amounts.replaceAll(/[.,]/g, (mark) => (mark === '.' ? ',' : '.')));

/** What to do at this moment about oxygen below its limit. */
export function oxygenNow(
  grade: AdviceGrade,
  language: Language,
  pond: { fedAboveMgL?: number; isPondEmpty?: boolean },
): string {
  const asked = { parameter: 'dissolved_oxygen', problem: 'LOW', stage: 'now', grade, ...pond } as const;
  return adviceOf(asked, language) ?? '';
}

/** What to do at this moment about so much un-ionised ammonia, mg/L as N, that is graded HIGH. */
export function ammoniaNow(nh3MgL: number, language: Language): string {
  const asked = {
    parameter: 'ammonia',
    problem: 'HIGH',
    stage: 'now',
    grade: 'HIGH',
    value: nh3MgL,
  } as const;
  return adviceOf(asked, language) ?? '';
}

/** A value that the usual precision would round onto its limit is written with one digit more. */
function precise({ parameter, threshold }: Violation, value: number, language: Language): string {
  const usual = amount(parameter, value, language);
  if (usual !== amount(parameter, threshold, language)) return usual;
  const digits = [1, 2, 3, 4, 5, 6].find((each) => Number(value.toFixed(each)) !== threshold) ?? 6;
  const unit = usual.replace(/^[\d.,-]+/, '');
  return figure(value, digits, language) + unit;
}

// Ammonia is never told as a bare figure: total (TAN) or un-ionised (NH₃-N), known or the worst that may be.

const UNITS = { NH3: 'mg/L NH₃-N', TAN: 'mg/L TAN' } as const;

const GAPS: Readonly<Record<AmmoniaGap, Readonly<Record<Language, string>>>> = {
  TEMPERATURE_MISSING: {
    'pt-BR': 'temperatura não medida',
    en: 'temperature not measured',
    es: 'temperatura no medida',
  },
  PH_MISSING: { 'pt-BR': 'pH não medido', en: 'pH not measured', es: 'pH no medido' },
  SALINITY_MISSING: {
    'pt-BR': 'salinidade não medida',
    en: 'salinity not measured',
    es: 'salinidad no medida',
  },
  TEMPERATURE_OUT_OF_RANGE: {
    'pt-BR': 'temperatura fora de 5–40 °C',
    en: 'temperature outside 5–40 °C',
    es: 'temperatura fuera de 5–40 °C',
  },
  PH_OUT_OF_RANGE: { 'pt-BR': 'pH fora de 6–10', en: 'pH outside 6–10', es: 'pH fuera de 6–10' },
  SALINITY_OUT_OF_RANGE: {
    'pt-BR': 'salinidade fora de 0–45 ppt',
    en: 'salinity outside 0–45 ppt',
    es: 'salinidad fuera de 0–45 ppt',
  },
};

/** "pH não medido; salinidade não medida". */
export function gapsText(gaps: readonly AmmoniaGap[], language: Language): string {
  return gaps.map((gap) => GAPS[gap][language]).join('; ');
}

/** The same, from Portuguese. */
function gapsSaidIn(language: Language, portuguese: string): string {
  const said = portuguese
    .split('; ')
    .map((each) => Object.values(GAPS).find((gap) => gap['pt-BR'] === each)?.[language] ?? each);
  return said.join('; ');
}

/** "3,00 mg/L TAN". */
function ammoniaAmount(basis: 'NH3' | 'TAN', mgL: number, language: Language): string {
  return `${figure(mgL, 2, language)} ${UNITS[basis]}`;
}

/** What total ammonia holds that is poisonous: "0,61 mg/L NH₃-N", or the most it may hold and why nobody knows better. */
function nh3Text(nh3: Nh3, language: Language): string {
  const amount = ammoniaAmount('NH3', nh3ToActOn(nh3), language);
  if (nh3.isKnown) return amount;
  const gaps = gapsText(nh3.gaps, language);
  return {
    'pt-BR': `até ${amount} (${gaps})`,
    en: `up to ${amount} (${gaps})`,
    es: `hasta ${amount} (${gaps})`,
  }[language];
}

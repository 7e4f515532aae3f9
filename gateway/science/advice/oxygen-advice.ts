import type { AerationSizing } from '../aeration-sizing.ts';
import type { Outlook } from '../oxygen-forecast.ts';
import type { AdviceGrade } from './advice-sources.ts';
import { figure, type Language } from './language.ts';
import { oxygenNow } from './water-alert-text.ts';

export type DawnFacts = {
  pond: string;
  dawnMgL: number;
  uncertaintyMgL: number;
  /** Local time of dawn. */
  dawnTime: string;
  /** The lower of the last reading and what the fall has left of it by now, mg/L. */
  nowMgL: number;
  /** How bad that is already; null: it is above the level to stay above. */
  nowGrade: AdviceGrade | null;
  /** The level to stay above, mg/L. */
  warnMgL: number;
  /** Above which a meal is given, where the farm has its own level, mg/L. */
  fedAboveMgL?: number;
  /** Nothing lives there, so that nothing is fed. */
  isPondEmpty?: boolean;
  /** The next level below that and the local time, still to come, at which it is reached; null: none before dawn. */
  next: { levelMgL: number; at: string } | null;
  /** Whether a dawn below the level is told, may still come, or is unlikely. */
  outlook: Outlook;
  /** Local time at which one more reading tells most; null: now. */
  measureAt: string | null;
  /** What the pond's control point does, which the forecast counts on; UNKNOWN: it has none. */
  aeration: 'ON' | 'OFF' | 'UNKNOWN';
  /** When to measure again where nothing is to be done now. */
  measureAgain: 'MIDNIGHT' | 'BEFORE_DAWN' | 'AT_DAWN';
};

const MEASURE_AGAIN: Readonly<Record<DawnFacts['measureAgain'], Readonly<Record<Language, string>>>> = {
  MIDNIGHT: {
    'pt-BR': 'meça de novo à meia-noite',
    en: 'measure again at midnight',
    es: 'mida de nuevo a medianoche',
  },
  BEFORE_DAWN: {
    'pt-BR': 'meça de novo uma hora antes do amanhecer',
    en: 'measure again an hour before dawn',
    es: 'mida de nuevo una hora antes del amanecer',
  },
  AT_DAWN: {
    'pt-BR': 'meça de novo ao amanhecer',
    en: 'measure again at dawn',
    es: 'mida de nuevo al amanecer',
  },
};

const LEAVE_ON: Readonly<Record<Language, string>> = {
  'pt-BR': 'ligue os aeradores agora e deixe-os ligados até uma hora depois do amanhecer',
  en: 'switch the aerators on now and leave them on until an hour after dawn',
  es: 'encienda los aireadores ahora y déjelos encendidos hasta una hora después del amanecer',
};

const WATCHED: Readonly<Record<Language, string>> = {
  'pt-BR': 'a sonda continua medindo e avisa; deixe os aeradores prontos',
  en: 'the probe goes on measuring and tells; have the aerators ready',
  es: 'la sonda sigue midiendo y avisa; tenga listos los aireadores',
};

/**
 * What to do about the oxygen expected at dawn. What is to be done now comes first; nothing speaks of a time that is past,
 * and below a level nobody is told to act before it. Aerators that run, or may, are named: the forecast counts on them.
 */
export function dawnForecastText(facts: DawnFacts, language: Language): string {
  const counted = COUNTED_ON[facts.aeration][language];
  const said = expectationText(facts, language);
  return counted === '' ? said : `${said} ${counted}`;
}

const COUNTED_ON: Readonly<Record<DawnFacts['aeration'], Readonly<Record<Language, string>>>> = {
  ON: {
    'pt-BR': 'A previsão conta com os aeradores que estão ligados: não os desligue.',
    en: 'The forecast counts on the aerators that are on: do not switch them off.',
    es: 'El pronóstico cuenta con los aireadores que están encendidos: no los apague.',
  },
  OFF: { 'pt-BR': '', en: '', es: '' },
  UNKNOWN: {
    'pt-BR': 'Vale para a aeração como foi entre as leituras.',
    en: 'It holds for aeration as it was between the readings.',
    es: 'Vale para la aireación como fue entre las lecturas.',
  },
};

function expectationText(facts: DawnFacts, language: Language): string {
  const mgL = (value: number) => `${figure(value, 1, language)} mg/L`;
  const { pond, dawnTime, nowMgL, warnMgL, next } = facts;
  const dawn = `${figure(facts.dawnMgL, 1, language)} ± ${mgL(facts.uncertaintyMgL)}`;
  const name = { 'pt-BR': `Viveiro ${pond}`, en: `Pond ${pond}`, es: `Piscina ${pond}` }[language];
  const expected = {
    'pt-BR': `oxigênio previsto para ${dawnTime}: ${dawn}.`,
    en: `oxygen expected at ${dawnTime}: ${dawn}.`,
    es: `oxígeno previsto para las ${dawnTime}: ${dawn}.`,
  }[language];
  if (facts.nowGrade !== null) {
    const isDeadly = facts.nowGrade === 'CRITICAL';
    const act = oxygenNow(facts.nowGrade, language, facts);
    const first = {
      'pt-BR': `${name}: ${isDeadly ? 'CRÍTICO, ' : ''}oxigênio em cerca de ${mgL(nowMgL)}, já abaixo de ${mgL(warnMgL)}. ${act}`,
      en: `${name}: ${isDeadly ? 'CRITICAL, ' : ''}oxygen at about ${mgL(nowMgL)}, below ${mgL(warnMgL)} already. ${act}`,
      es: `${name}: ${isDeadly ? 'CRÍTICO, ' : ''}oxígeno en cerca de ${mgL(nowMgL)}, ya por debajo de ${mgL(warnMgL)}. ${act}`,
    }[language];
    const without =
      next === null
        ? ''
        : {
            'pt-BR': ` Sem isso chega a ${mgL(next.levelMgL)} às ${next.at}.`,
            en: ` Without that it reaches ${mgL(next.levelMgL)} at ${next.at}.`,
            es: ` Sin eso llega a ${mgL(next.levelMgL)} a las ${next.at}.`,
          }[language];
    const then = expected.charAt(0).toLocaleUpperCase(language) + expected.slice(1);
    return `${first}${without} ${then}`;
  }
  const said = `${name}: ${expected}`;
  if (facts.outlook === 'MEASURE') return `${said} ${requestText(facts, mgL(warnMgL), language)}`;
  if (next === null && facts.outlook !== 'WELL') {
    const mayFall = {
      'pt-BR': `Pode ficar abaixo de ${mgL(warnMgL)}`,
      en: `It may fall below ${mgL(warnMgL)}`,
      es: `Puede quedar por debajo de ${mgL(warnMgL)}`,
    }[language];
    const act = facts.outlook === 'WARN' ? LEAVE_ON[language] : WATCHED[language];
    return `${said} ${mayFall}: ${act}.`;
  }
  if (next === null) {
    const again = MEASURE_AGAIN[facts.measureAgain][language];
    return {
      'pt-BR': `${said} Fica acima de ${mgL(warnMgL)}; ${again}.`,
      en: `${said} It stays above ${mgL(warnMgL)}; ${again}.`,
      es: `${said} Queda por encima de ${mgL(warnMgL)}; ${again}.`,
    }[language];
  }
  return {
    'pt-BR': `${said} Chega a ${mgL(next.levelMgL)} às ${next.at}: ligue os aeradores antes dessa hora e meça 30 minutos depois.`,
    en: `${said} It reaches ${mgL(next.levelMgL)} at ${next.at}: switch the aerators on before and measure 30 minutes later.`,
    es: `${said} Llega a ${mgL(next.levelMgL)} a las ${next.at}: encienda los aireadores antes de esa hora y mida 30 minutos después.`,
  }[language];
}

/** Not an alarm: what is not known is asked for, and what to do where nobody can measure is said at once. */
function requestText({ next, measureAt }: DawnFacts, warn: string, language: Language): string {
  if (language === 'es') {
    const when = measureAt === null ? 'ahora' : `a las ${measureAt}`;
    const act =
      next === null
        ? 'deje los aireadores encendidos'
        : `encienda los aireadores antes de las ${next.at} y déjelos encendidos`;
    return `Las lecturas son pocas para descartar un amanecer por debajo de ${warn}: mida de nuevo ${when}. Si nadie puede medir, ${act} hasta una hora después del amanecer.`;
  }
  if (language === 'pt-BR') {
    const when = measureAt === null ? 'agora' : `às ${measureAt}`;
    const act =
      next === null
        ? 'deixe os aeradores ligados'
        : `ligue os aeradores antes das ${next.at} e deixe-os ligados`;
    return `As leituras são poucas para descartar um amanhecer abaixo de ${warn}: meça de novo ${when}. Se ninguém puder medir, ${act} até uma hora depois do amanhecer.`;
  }
  const when = measureAt === null ? 'now' : `at ${measureAt}`;
  const act =
    next === null ? 'leave the aerators on' : `switch the aerators on before ${next.at} and leave them on`;
  return `The readings are too few to rule out a dawn below ${warn}: measure again ${when}. If nobody can measure, ${act} until an hour after dawn.`;
}

/** What a pond's aerators lack for its biomass; null: nothing. */
export function aerationText(
  facts: { pond: string; biomassKg: number; sizing: AerationSizing },
  language: Language,
): string | null {
  const { sizing, pond } = facts;
  if (sizing.rating !== 'ADD_AERATION' && sizing.rating !== 'RISKY') return null;
  const kg = figure(facts.biomassKg, 0, language);
  const hp = figure(sizing.horsepower, 1, language);
  // Half a horsepower is the smallest motor there is.
  const missing = figure(Math.max(0.5, Math.ceil(sizing.missingHorsepower * 2) / 2), 1, language);
  const isRisky = sizing.rating === 'RISKY';
  if (language === 'es') {
    const urgency = isRisky ? 'antes de esta noche' : 'esta semana';
    return `Piscina ${pond}: ${kg} kg para ${hp} HP de aireación; agregue ${missing} HP ${urgency} o coseche una parte.`;
  }
  if (language === 'pt-BR') {
    const urgency = isRisky ? 'antes desta noite' : 'nesta semana';
    return `Viveiro ${pond}: ${kg} kg para ${hp} cv de aeração; acrescente ${missing} cv ${urgency} ou despesque uma parte.`;
  }
  const urgency = isRisky ? 'before tonight' : 'this week';
  return `Pond ${pond}: ${kg} kg on ${hp} hp of aeration; add ${missing} hp ${urgency} or harvest a part.`;
}

import type { LoopReason } from '../closed-loop.ts';
import type { AdviceGrade } from './advice-sources.ts';
import { figure, type Language } from './language.ts';
import { oxygenNow } from './water-alert-text.ts';

/** Why there is no forecast of the morning's oxygen. */
export type NoForecast =
  | 'CLOCK_UNTRUSTED'
  | 'BY_DAY'
  | 'NO_READING'
  | 'ONE_READING'
  | 'TOO_CLOSE'
  | 'NOT_FALLING';

/**
 * In plain words, with what to do; first what cannot wait.
 *
 * @param last the last reading of this night, mg/L, where it is below its limit, and how bad that is
 */
export function noForecastText(
  why: NoForecast,
  last: { mgL: number; grade: AdviceGrade } | null,
  language: Language,
): string {
  if (last === null) return TEXTS[why][language];
  const isDeadly = last.grade === 'CRITICAL';
  const reading = `${figure(last.mgL, 1, language)} mg/L`;
  const act = oxygenNow(last.grade, language);
  return language === 'pt-BR'
    ? `${isDeadly ? 'CRÍTICO: última' : 'Última'} leitura ${reading}. ${act}`
    : `${isDeadly ? 'CRITICAL: last' : 'Last'} reading ${reading}. ${act}`;
}

const TEXTS: Readonly<Record<NoForecast, Readonly<Record<Language, string>>>> = {
  CLOCK_UNTRUSTED: {
    'pt-BR': 'O relógio do gateway não é confiável; acerte a hora para ter a previsão.',
    en: 'The clock of the gateway is not to be trusted; set the time to have a forecast.',
  },
  BY_DAY: {
    'pt-BR':
      'A previsão é feita à noite, com pelo menos duas leituras a partir de uma hora antes do pôr do sol e uma hora entre elas.',
    en: 'The forecast is made at night, from at least two readings an hour apart, the first at most an hour before sunset.',
  },
  NO_READING: {
    'pt-BR':
      'Nenhuma leitura de oxigênio nesta noite: conte com oxigênio baixo ao amanhecer. Deixe a aeração da noite ligada, meça agora e de novo daqui a duas horas.',
    en: 'No oxygen reading tonight: reckon with low oxygen at dawn. Keep the aeration of the night on, measure now and again in two hours.',
  },
  ONE_READING: {
    'pt-BR':
      'Só uma leitura de oxigênio nesta noite, e ninguém sabe quanto ele cai: deixe a aeração da noite ligada e meça de novo pelo menos uma hora depois dela.',
    en: 'Only one oxygen reading tonight, and nobody knows how fast it falls: keep the aeration of the night on and measure again an hour after it or later.',
  },
  TOO_CLOSE: {
    'pt-BR':
      'As leituras desta noite estão muito próximas para uma previsão: deixe a aeração da noite ligada e meça de novo daqui a uma hora.',
    en: 'The readings of tonight are too close together for a forecast: keep the aeration of the night on and measure again in an hour.',
  },
  NOT_FALLING: {
    'pt-BR':
      'As leituras desta noite não mostram queda do oxigênio, o que o erro do medidor pode esconder: meça de novo daqui a duas horas.',
    en: 'The readings of tonight show no fall of oxygen, which the error of the meter may hide: measure again in two hours.',
  },
};

type LoopTextFacts = {
  pond: string;
  reason: LoopReason;
  /** The reading that decided; null: there is none. */
  oxygenMgL: number | null;
  /** The level it was held against; null: none. */
  levelMgL: number | null;
  /** Age of the reading, whole minutes; null: nobody can tell. */
  ageMinutes: number | null;
};

/** Why oxygen asks for a motor, with pond, value and level: for the order, the log and the console. */
export function loopText(facts: LoopTextFacts, language: Language): string {
  const { pond, oxygenMgL, levelMgL } = facts;
  const value = oxygenMgL === null ? null : `${figure(oxygenMgL, 2, language)} mg/L`;
  const level = levelMgL === null ? null : `${figure(levelMgL, 2, language)} mg/L`;
  const what = REASONS[facts.reason][language];
  if (language === 'pt-BR') {
    const read = value === null ? 'sem leitura' : `${value}${ageText(facts, language)}`;
    return `oxigênio no viveiro ${pond}: ${read}, ${what}${level === null ? '' : ` (${level})`}`;
  }
  const read = value === null ? 'no reading' : `${value}${ageText(facts, language)}`;
  return `oxygen in pond ${pond}: ${read}, ${what}${level === null ? '' : ` (${level})`}`;
}

/** What an order's reason in English begins with, so that a later run knows whose order it was. */
export const LOOP_TEXT_BEGINS = 'oxygen in pond ';

function ageText({ ageMinutes }: LoopTextFacts, language: Language): string {
  if (ageMinutes === null) return language === 'pt-BR' ? ' em hora desconhecida' : ' at an unknown time';
  if (ageMinutes < 1) return '';
  return language === 'pt-BR' ? ` há ${ageMinutes} min` : ` ${ageMinutes} min ago`;
}

const REASONS: Readonly<Record<LoopReason, Readonly<Record<Language, string>>>> = {
  EMERGENCY_LEVEL: {
    'pt-BR': 'no nível de emergência ou abaixo',
    en: 'at or below the emergency level',
  },
  EMERGENCY_HELD: {
    'pt-BR': 'emergência mantida até uma leitura bem acima do nível',
    en: 'emergency held until a reading well above the level',
  },
  BELOW_ON_LEVEL: { 'pt-BR': 'no nível de ligar ou abaixo', en: 'at or below the ON level' },
  LAST_KNOWN_LOW: {
    'pt-BR': 'última leitura no nível de ligar ou abaixo, à espera de uma nova',
    en: 'the last reading is at or below the ON level, waiting for a new one',
  },
  BETWEEN_LEVELS: {
    'pt-BR': 'ainda abaixo do nível de desligar',
    en: 'still below the OFF level',
  },
  NOT_SEEN: {
    'pt-BR': 'mantido até uma leitura nova acima do nível de desligar',
    en: 'held until a fresh reading at the OFF level',
  },
  MINIMUM_RUN: {
    'pt-BR': 'recuperado, em tempo mínimo de funcionamento',
    en: 'recovered, within the minimum run',
  },
  SILENT_AT_NIGHT: {
    'pt-BR': 'a sonda parou de enviar à noite',
    en: 'the probe has fallen silent at night',
  },
  ABOVE_OFF_LEVEL: {
    'pt-BR': 'no nível de desligar ou acima',
    en: 'at or above the OFF level',
  },
  RECOVERED: { 'pt-BR': 'recuperado', en: 'recovered' },
  SILENT: { 'pt-BR': 'sem leitura nova', en: 'no fresh reading' },
  NO_OXYGEN_LEVELS: { 'pt-BR': 'controle por oxigênio desligado', en: 'oxygen control is off' },
};

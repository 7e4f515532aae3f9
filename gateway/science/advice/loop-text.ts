import type { LoopReason } from '../closed-loop.ts';
import { figure, type Language } from './language.ts';

export type LoopTextFacts = {
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

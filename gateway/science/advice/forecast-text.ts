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
  last: { mgL: number; grade: AdviceGrade; fedAboveMgL?: number; isPondEmpty?: boolean } | null,
  language: Language,
): string {
  if (last === null) return TEXTS[why][language];
  const isDeadly = last.grade === 'CRITICAL';
  const reading = `${figure(last.mgL, 1, language)} mg/L`;
  const act = oxygenNow(last.grade, language, last);
  return {
    'pt-BR': `${isDeadly ? 'CRÍTICO: última' : 'Última'} leitura ${reading}. ${act}`,
    en: `${isDeadly ? 'CRITICAL: last' : 'Last'} reading ${reading}. ${act}`,
    es: `${isDeadly ? 'CRÍTICO: última' : 'Última'} lectura ${reading}. ${act}`,
  }[language];
}

const TEXTS: Readonly<Record<NoForecast, Readonly<Record<Language, string>>>> = {
  CLOCK_UNTRUSTED: {
    'pt-BR': 'O relógio do gateway não é confiável; acerte a hora para ter a previsão.',
    en: 'The clock of the gateway is not to be trusted; set the time to have a forecast.',
    es: 'El reloj del gateway no es confiable; ajuste la hora para tener el pronóstico.',
  },
  BY_DAY: {
    'pt-BR':
      'A previsão é feita à noite, com pelo menos duas leituras a partir de uma hora antes do pôr do sol e uma hora entre elas.',
    en: 'The forecast is made at night, from at least two readings an hour apart, the first at most an hour before sunset.',
    es: 'El pronóstico se hace de noche, con al menos dos lecturas desde una hora antes de la puesta del sol y una hora entre ellas.',
  },
  NO_READING: {
    'pt-BR':
      'Nenhuma leitura de oxigênio nesta noite: conte com oxigênio baixo ao amanhecer. Deixe a aeração da noite ligada, meça agora e de novo daqui a duas horas.',
    en: 'No oxygen reading tonight: reckon with low oxygen at dawn. Keep the aeration of the night on, measure now and again in two hours.',
    es: 'Ninguna lectura de oxígeno esta noche: cuente con oxígeno bajo al amanecer. Deje encendida la aireación de la noche, mida ahora y de nuevo dentro de dos horas.',
  },
  ONE_READING: {
    'pt-BR':
      'Só uma leitura de oxigênio nesta noite, e ninguém sabe quanto ele cai: deixe a aeração da noite ligada e meça de novo pelo menos uma hora depois dela.',
    en: 'Only one oxygen reading tonight, and nobody knows how fast it falls: keep the aeration of the night on and measure again an hour after it or later.',
    es: 'Solo una lectura de oxígeno esta noche, y nadie sabe cuánto baja: deje encendida la aireación de la noche y mida de nuevo al menos una hora después de ella.',
  },
  TOO_CLOSE: {
    'pt-BR':
      'As leituras desta noite estão muito próximas para uma previsão: deixe a aeração da noite ligada e meça de novo daqui a uma hora.',
    en: 'The readings of tonight are too close together for a forecast: keep the aeration of the night on and measure again in an hour.',
    es: 'Las lecturas de esta noche están demasiado juntas para un pronóstico: deje encendida la aireación de la noche y mida de nuevo dentro de una hora.',
  },
  NOT_FALLING: {
    'pt-BR':
      'As leituras desta noite não mostram queda do oxigênio, o que o erro do medidor pode esconder: meça de novo daqui a duas horas.',
    en: 'The readings of tonight show no fall of oxygen, which the error of the meter may hide: measure again in two hours.',
    es: 'Las lecturas de esta noche no muestran caída del oxígeno, lo que el error del medidor puede esconder: mida de nuevo dentro de dos horas.',
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
  if (language !== 'en') {
    const [none, inPond] =
      language === 'es' ? ['sin lectura', 'oxígeno en la piscina'] : ['sem leitura', 'oxigênio no viveiro'];
    const read = value === null ? none : `${value}${ageText(facts, language)}`;
    return `${inPond} ${pond}: ${read}, ${what}${level === null ? '' : ` (${level})`}`;
  }
  const read = value === null ? 'no reading' : `${value}${ageText(facts, language)}`;
  return `oxygen in pond ${pond}: ${read}, ${what}${level === null ? '' : ` (${level})`}`;
}

/** What an order's reason in English begins with, so that a later run knows whose order it was. */
export const LOOP_TEXT_BEGINS = 'oxygen in pond ';

function ageText({ ageMinutes }: LoopTextFacts, language: Language): string {
  if (ageMinutes === null)
    return { 'pt-BR': ' em hora desconhecida', en: ' at an unknown time', es: ' a una hora desconocida' }[
      language
    ];
  if (ageMinutes < 1) return '';
  return { 'pt-BR': ` há ${ageMinutes} min`, en: ` ${ageMinutes} min ago`, es: ` hace ${ageMinutes} min` }[
    language
  ];
}

const REASONS: Readonly<Record<LoopReason, Readonly<Record<Language, string>>>> = {
  EMERGENCY_LEVEL: {
    'pt-BR': 'no nível de emergência ou abaixo',
    en: 'at or below the emergency level',
    es: 'en el nivel de emergencia o por debajo',
  },
  EMERGENCY_HELD: {
    'pt-BR': 'emergência mantida até uma leitura bem acima do nível',
    en: 'emergency held until a reading well above the level',
    es: 'emergencia mantenida hasta una lectura bien por encima del nivel',
  },
  BELOW_ON_LEVEL: {
    'pt-BR': 'no nível de ligar ou abaixo',
    en: 'at or below the ON level',
    es: 'en el nivel de encender o por debajo',
  },
  LAST_KNOWN_LOW: {
    'pt-BR': 'última leitura no nível de ligar ou abaixo, à espera de uma nova',
    en: 'the last reading is at or below the ON level, waiting for a new one',
    es: 'última lectura en el nivel de encender o por debajo, a la espera de una nueva',
  },
  BETWEEN_LEVELS: {
    'pt-BR': 'ainda abaixo do nível de desligar',
    en: 'still below the OFF level',
    es: 'todavía por debajo del nivel de apagar',
  },
  NOT_SEEN: {
    'pt-BR': 'mantido até uma leitura nova acima do nível de desligar',
    en: 'held until a fresh reading at the OFF level',
    es: 'mantenido hasta una lectura nueva por encima del nivel de apagar',
  },
  MINIMUM_RUN: {
    'pt-BR': 'recuperado, em tempo mínimo de funcionamento',
    en: 'recovered, within the minimum run',
    es: 'recuperado, en tiempo mínimo de funcionamiento',
  },
  SILENT_AT_NIGHT: {
    'pt-BR': 'a sonda parou de enviar à noite',
    en: 'the probe has fallen silent at night',
    es: 'la sonda dejó de enviar de noche',
  },
  ABOVE_OFF_LEVEL: {
    'pt-BR': 'no nível de desligar ou acima',
    en: 'at or above the OFF level',
    es: 'en el nivel de apagar o por encima',
  },
  RECOVERED: { 'pt-BR': 'recuperado', en: 'recovered', es: 'recuperado' },
  SILENT: { 'pt-BR': 'sem leitura nova', en: 'no fresh reading', es: 'sin lectura nueva' },
  NO_OXYGEN_LEVELS: {
    'pt-BR': 'controle por oxigênio desligado',
    en: 'oxygen control is off',
    es: 'control por oxígeno desactivado',
  },
};

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

import type { Language } from './language.ts';

/** Why there is no forecast of the morning's oxygen. */
export type NoForecast =
  | 'CLOCK_UNTRUSTED'
  | 'BY_DAY'
  | 'NO_READING'
  | 'ONE_READING'
  | 'TOO_CLOSE'
  | 'NOT_FALLING';

/** In plain words, with what to do. */
export function noForecastText(why: NoForecast, language: Language): string {
  return TEXTS[why][language];
}

const TEXTS: Readonly<Record<NoForecast, Readonly<Record<Language, string>>>> = {
  CLOCK_UNTRUSTED: {
    'pt-BR': 'O relógio do gateway não é confiável; acerte a hora para ter a previsão.',
    en: 'The clock of the gateway is not to be trusted; set the time to have a forecast.',
  },
  BY_DAY: {
    'pt-BR':
      'A previsão é feita à noite, com pelo menos duas leituras depois do pôr do sol e uma hora entre elas.',
    en: 'The forecast is made at night, from at least two readings after sunset an hour apart.',
  },
  NO_READING: {
    'pt-BR': 'Nenhuma leitura de oxigênio nesta noite; meça agora e de novo daqui a duas horas.',
    en: 'No oxygen reading tonight; measure now and again in two hours.',
  },
  ONE_READING: {
    'pt-BR': 'Só uma leitura de oxigênio nesta noite; meça de novo pelo menos uma hora depois dela.',
    en: 'Only one oxygen reading tonight; measure again an hour after it or later.',
  },
  TOO_CLOSE: {
    'pt-BR': 'As leituras desta noite estão muito próximas; meça de novo daqui a uma hora.',
    en: 'The readings of tonight are too close together; measure again in an hour.',
  },
  NOT_FALLING: {
    'pt-BR': 'O oxigênio não está caindo nesta noite; a última leitura vale como está.',
    en: 'Oxygen is not falling tonight; the last reading stands as it is.',
  },
};

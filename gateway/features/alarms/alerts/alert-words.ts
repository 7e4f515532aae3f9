import { plainNumber } from '#contract/plain-number.ts';
import type { AlertType, Severity } from '#contract/words.ts';
import type { SubjectNames } from '#core/alerting.ts';
import type { Language, Words } from '#core/notifying.ts';

// What alerts say. `message` of an alert is Portuguese, the language of the farms; a notification speaks its reader's.

const TITLES: Readonly<Record<AlertType, Readonly<Record<Language, string>>>> = {
  POWER_FAILURE: { 'pt-BR': 'Falta de energia', en: 'Power failure', es: 'Corte de energía' },
  LOW_OXYGEN: { 'pt-BR': 'Oxigênio baixo', en: 'Low oxygen', es: 'Oxígeno bajo' },
  HIGH_TEMPERATURE: { 'pt-BR': 'Temperatura alta', en: 'High temperature', es: 'Temperatura alta' },
  DEVICE_OFFLINE: {
    'pt-BR': 'Controlador sem comunicação',
    en: 'Controller offline',
    es: 'Controlador sin comunicación',
  },
  COMMAND_NOT_CONFIRMED: {
    'pt-BR': 'Comando não confirmado',
    en: 'Order not confirmed',
    es: 'Orden no confirmada',
  },
  UNSTABLE: { 'pt-BR': 'Controlador instável', en: 'Controller unstable', es: 'Controlador inestable' },
  OFF_SCHEDULE: {
    'pt-BR': 'Desligado à mão fora da agenda',
    en: 'Switched off against its schedule',
    es: 'Apagado a mano fuera de la programación',
  },
  NO_CURRENT: {
    'pt-BR': 'Motor ligado sem corrente',
    en: 'Motor on without current',
    es: 'Motor encendido sin corriente',
  },
  GATEWAY_OFFLINE: {
    'pt-BR': 'Gateway sem comunicação',
    en: 'Gateway offline',
    es: 'Gateway sin comunicación',
  },
  CLOCK_UNTRUSTED: {
    'pt-BR': 'Relógio do gateway não confiável',
    en: 'Gateway clock not to be trusted',
    es: 'Reloj del gateway no confiable',
  },
  DISK_FULL: { 'pt-BR': 'Disco do gateway cheio', en: 'Gateway disk full', es: 'Disco del gateway lleno' },
  LOW_TEMPERATURE: { 'pt-BR': 'Temperatura baixa', en: 'Low temperature', es: 'Temperatura baja' },
  LOW_PH: { 'pt-BR': 'pH baixo', en: 'Low pH', es: 'pH bajo' },
  HIGH_PH: { 'pt-BR': 'pH alto', en: 'High pH', es: 'pH alto' },
  LOW_ALKALINITY: { 'pt-BR': 'Alcalinidade baixa', en: 'Low alkalinity', es: 'Alcalinidad baja' },
  HIGH_AMMONIA: { 'pt-BR': 'Amônia alta', en: 'High ammonia', es: 'Amoníaco alto' },
  HIGH_NITRITE: { 'pt-BR': 'Nitrito alto', en: 'High nitrite', es: 'Nitrito alto' },
  HIGH_NITRATE: { 'pt-BR': 'Nitrato alto', en: 'High nitrate', es: 'Nitrato alto' },
  LOW_OXYGEN_FORECAST: {
    'pt-BR': 'Oxigênio baixo previsto',
    en: 'Low oxygen expected',
    es: 'Oxígeno bajo previsto',
  },
  MEASURE_OXYGEN: { 'pt-BR': 'Meça o oxigênio', en: 'Measure the oxygen', es: 'Mida el oxígeno' },
};

/** Severity of an alert whose values do not grade it. Water grades by its values. */
export const SEVERITY_BY_TYPE: Readonly<Record<AlertType, Severity>> = {
  POWER_FAILURE: 'HIGH',
  LOW_OXYGEN: 'HIGH',
  HIGH_TEMPERATURE: 'MEDIUM',
  // a motor nobody can see may be one that stands still
  DEVICE_OFFLINE: 'HIGH',
  COMMAND_NOT_CONFIRMED: 'HIGH',
  UNSTABLE: 'MEDIUM',
  // a stocked pond without its air by night
  OFF_SCHEDULE: 'HIGH',
  NO_CURRENT: 'HIGH',
  GATEWAY_OFFLINE: 'HIGH',
  CLOCK_UNTRUSTED: 'MEDIUM',
  DISK_FULL: 'HIGH',
  LOW_TEMPERATURE: 'MEDIUM',
  LOW_PH: 'MEDIUM',
  HIGH_PH: 'MEDIUM',
  LOW_ALKALINITY: 'LOW',
  HIGH_AMMONIA: 'MEDIUM',
  HIGH_NITRITE: 'MEDIUM',
  HIGH_NITRATE: 'MEDIUM',
  LOW_OXYGEN_FORECAST: 'MEDIUM',
  MEASURE_OXYGEN: 'LOW',
};

export const SIMULATED: Readonly<Record<Language, string>> = {
  'pt-BR': 'SIMULADO',
  en: 'SIMULATED',
  es: 'SIMULADO',
};

/** Wherever it is read, it is read as what it is. */
export const simulatedWords =
  (words: Words): Words =>
  (language) =>
    `${SIMULATED[language]}: ${words(language)}`;

export function titleOf(type: AlertType, names: SubjectNames, language: Language): string {
  const mark =
    names.pond === null && names.controlPoint?.isSimulated === true ? `${SIMULATED[language]} · ` : '';
  return `${mark}${TITLES[type][language]}: ${names.pond?.cod ?? names.controlPoint?.cod ?? names.farmName}`;
}

const UNITS: Readonly<Record<string, string>> = {
  temperature: ' °C',
  dissolved_oxygen: ' mg/L',
  alkalinity: ' mg/L',
  // what a limit is for, whatever the farm's kit shows
  ammonia: ' mg/L NH₃-N',
  nitrite: ' mg/L',
  nitrate: ' mg/L',
};

/** Words for an alert about a measured value; null when there is none to speak of. */
export function measuredWords(
  cause: { type: AlertType; parameter?: string; value?: number; threshold?: number },
  names: SubjectNames,
): Words | null {
  const { parameter, value, threshold } = cause;
  if (parameter === undefined || value === undefined || threshold === undefined || names.pond === null)
    return null;
  const pond = names.pond.cod;
  const unit = UNITS[parameter] ?? '';
  return (language) => {
    const figure = (n: number) => plainNumber(n).replace('.', language === 'en' ? '.' : ',') + unit;
    return {
      'pt-BR': `${TITLES[cause.type]['pt-BR']} no viveiro ${pond}: ${figure(value)} (limite ${figure(threshold)})`,
      en: `${TITLES[cause.type].en} in pond ${pond}: ${figure(value)} (limit ${figure(threshold)})`,
      es: `${TITLES[cause.type].es} en la piscina ${pond}: ${figure(value)} (límite ${figure(threshold)})`,
    }[language];
  };
}

const NOBODY: Readonly<Record<Language, string>> = {
  'pt-BR': 'Ninguém reconheceu este alerta. Reconheça-o para que os outros saibam que você está cuidando.',
  en: 'Nobody has acknowledged this alert. Acknowledge it so that the others know that you are on it.',
  es: 'Nadie reconoció esta alerta. Reconózcala para que los demás sepan que usted se está ocupando.',
};

/** What is said again of an alert that nobody answers, minutes after people were told. */
export function escalationTitle(title: string, minutes: number, language: Language): string {
  return {
    'pt-BR': `Sem resposta há ${minutes} min: ${title}`,
    en: `No answer for ${minutes} min: ${title}`,
    es: `Sin respuesta desde hace ${minutes} min: ${title}`,
  }[language];
}

export function escalationMessage(message: string, language: Language): string {
  return `${message}\n${NOBODY[language]}`;
}

export const clockWords: Words = (language) =>
  ({
    'pt-BR':
      'O relógio do gateway não é confiável: as programações seguem o modo seguro. Verifique a internet ou acerte a hora.',
    en: 'The clock of the gateway is not to be trusted: schedules run in the fail-safe profile. Check its internet connection or set the time.',
    es: 'El reloj del gateway no es confiable: las programaciones siguen el modo seguro. Revise el internet o ajuste la hora.',
  })[language];

export const diskWords: Words = (language) =>
  ({
    'pt-BR':
      'O disco do gateway está cheio ou não grava mais: a aeração continua pela memória, mas nada novo é gravado. Libere espaço ou troque o cartão.',
    en: 'The disk of the gateway is full or takes no writes: aeration goes on from memory, but nothing new is stored. Free some space, or replace the card.',
    es: 'El disco del gateway está lleno o ya no graba: la aireación continúa desde la memoria, pero no se graba nada nuevo. Libere espacio o cambie la tarjeta.',
  })[language];

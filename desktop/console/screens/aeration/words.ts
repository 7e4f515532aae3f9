import { plannedRuleOf, type Schedule, timeOf } from '../../data/schedules.ts';
import { dictionary, language } from '../../i18n/language.ts';
import { daysMore } from '../../state/schedule-week.ts';
import { scheduleWords } from './point-words.ts';

export const aerationWords = dictionary({
  'pt-BR': {
    title: 'Aeração',
    board: 'Quadro',
    calendar: 'Agenda',
    point: 'Ponto',
    ponds: 'Viveiros',
    wanted: 'Desejado',
    reported: 'Relatado',
    heard: 'Último sinal',
    power: 'Consumo',
    origin: 'Por quem',
    states: { ON: 'Ligado', OFF: 'Desligado' },
    origins: {
      LOCAL: 'pessoa na fazenda',
      REMOTE: 'pessoa à distância',
      SCHEDULE: 'agenda',
      SAFETY: 'segurança',
      DEVICE: 'acionado no local',
    },
    never: 'nunca',
    none: 'Ainda não há pontos de controle nesta fazenda.',
    addPoint: 'Instalar controlador',
    allOn: 'Ligar todos',
    allOff: 'Desligar todos',
    allOnTitle: 'Ligar todos, um por vez',
    allOnText: (n: number, s: number) =>
      `${n} motores partem com ${s} s entre um e outro, para o gerador aguentar.`,
    allOffTitle: 'Desligar toda a aeração?',
    allOffText: 'Nenhum viveiro ficará aerado. O camarão morre em poucas horas sem oxigênio.',
    allOffWord: 'DESLIGAR',
    typeWord: (word: string) => `Digite ${word} para confirmar`,
    start: 'Começar',
    stop: 'Parar',
    progress: (done: number, all: number) => `${done} de ${all}`,
    done: 'Pronto',
    failedFor: (codes: string) => `Não aceito por: ${codes}`,
    unsureFor: (codes: string) => `Sem resposta, não se sabe se chegou: ${codes}`,
    stoppedAt: (done: number, all: number) => `Parou: só ${done} de ${all} receberam a ordem.`,
    close: 'Fechar',
    cancel: 'Cancelar',
    details: 'Detalhes',
    notConfirmed: (cod: string) => `${cod} não confirmou a ordem. Veja no local se o motor obedeceu.`,
    again: 'Tentar de novo',
    againFor: (cod: string) => `Tentar de novo com ${cod}`,
    seeDevice: 'Ver dispositivo',
    deviceOf: (cod: string) => `Ver dispositivo de ${cod}`,
    lockedBy: (why: string) => `Bloqueado: ${why}`,
    sirens: 'Sirenes',
    sirensText: 'Tocam com alarme crítico e não arejam nada: nem ordens nem agenda as ligam.',
    isSiren:
      'Este ponto é uma sirene: toca com alarme crítico e não areja nada. Nem ordens nem agenda o ligam.',
    toSirens: 'Sirene e SMS',
  },
  en: {
    title: 'Aeration',
    board: 'Board',
    calendar: 'Calendar',
    point: 'Point',
    ponds: 'Ponds',
    wanted: 'Wanted',
    reported: 'Reported',
    heard: 'Last sign',
    power: 'Power',
    origin: 'By whom',
    states: { ON: 'On', OFF: 'Off' },
    origins: {
      LOCAL: 'person at the farm',
      REMOTE: 'person from afar',
      SCHEDULE: 'schedule',
      SAFETY: 'safety',
      DEVICE: 'switched on site',
    },
    never: 'never',
    none: 'This farm has no control points yet.',
    addPoint: 'Install a controller',
    allOn: 'Turn all on',
    allOff: 'Turn all off',
    allOnTitle: 'Turn all on, one at a time',
    allOnText: (n: number, s: number) =>
      `${n} motors start with ${s} s between them, so that the generator bears it.`,
    allOffTitle: 'Turn all aeration off?',
    allOffText: 'No pond will be aerated. Shrimp die within hours without oxygen.',
    allOffWord: 'TURN OFF',
    typeWord: (word: string) => `Type ${word} to confirm`,
    start: 'Begin',
    stop: 'Stop',
    progress: (done: number, all: number) => `${done} of ${all}`,
    done: 'Done',
    failedFor: (codes: string) => `Not taken by: ${codes}`,
    unsureFor: (codes: string) => `No answer, nobody knows whether it arrived: ${codes}`,
    stoppedAt: (done: number, all: number) => `Stopped: only ${done} of ${all} got the order.`,
    close: 'Close',
    cancel: 'Cancel',
    details: 'Details',
    notConfirmed: (cod: string) => `${cod} did not confirm the order. Look on site whether the motor obeyed.`,
    again: 'Try again',
    againFor: (cod: string) => `Try again with ${cod}`,
    seeDevice: 'See the device',
    deviceOf: (cod: string) => `See the device of ${cod}`,
    lockedBy: (why: string) => `Locked out: ${why}`,
    sirens: 'Sirens',
    sirensText: 'They sound with a critical alarm and air nothing: neither orders nor schedules switch them.',
    isSiren:
      'This point is a siren: it sounds with a critical alarm and airs nothing. Neither orders nor schedules switch it.',
    toSirens: 'Siren and SMS',
  },
});

// The gateway keeps the reason of its own orders in English; those it is known to give are told in the person's words.
// What a person wrote stays as it was written.

const reasonWords = dictionary({
  'pt-BR': {
    lockedOut: 'bloqueado',
    lockedOutFor: (why: string) => `bloqueado: ${why}`,
    holdsAgain: 'a ordem de uma pessoa volta a valer',
    order: 'ordem de uma pessoa',
    schedule: 'agenda',
    estimated: 'agenda, com hora estimada',
    nothing: 'nenhuma ordem e nenhuma agenda diz outra coisa',
    clock: 'o relógio não é confiável',
    aerator: (name: string) => `aerador ${name}`,
    oxygen: (pond: string, value: string | null) =>
      `oxigênio no viveiro ${pond}: ${value === null ? 'sem leitura' : `${value.replace('.', ',')} mg/L`}`,
  },
  en: {
    lockedOut: 'locked out',
    lockedOutFor: (why: string) => `locked out: ${why}`,
    holdsAgain: 'a person’s order holds again',
    order: 'an order of a person',
    schedule: 'schedule',
    estimated: 'schedule, by an estimated time',
    nothing: 'no order and no schedule says otherwise',
    clock: 'the clock is not to be trusted',
    aerator: (name: string) => `aerator ${name}`,
    oxygen: (pond: string, value: string | null) =>
      `oxygen in pond ${pond}: ${value === null ? 'no reading' : `${value} mg/L`}`,
  },
});

const LOCKED = 'locked out: ';
const ESTIMATED = 'schedule by an estimated time';
const AERATOR = 'aerator ';
const OXYGEN = /^oxygen in pond (.+?): (?:no reading|([\d.]+) mg\/L)/;

export function reasonText(reason: string | null): string {
  if (reason === null || reason === '') return '—';
  const words = reasonWords();
  const whole: Readonly<Record<string, string>> = {
    'locked out': words.lockedOut,
    'an order of a person holds again': words.holdsAgain,
    'an order of a person': words.order,
    schedule: words.schedule,
    'no order and no schedule says otherwise': words.nothing,
    'the clock is not to be trusted': words.clock,
  };
  const known = whole[reason];
  if (known !== undefined) return known;
  if (reason.startsWith(LOCKED)) return words.lockedOutFor(reason.slice(LOCKED.length));
  if (reason.startsWith(ESTIMATED)) return words.estimated;
  if (reason.startsWith(AERATOR)) return words.aerator(reason.slice(AERATOR.length));
  const oxygen = OXYGEN.exec(reason);
  if (oxygen === null || language.value === 'en') return reason;
  return words.oxygen(oxygen[1] ?? '', oxygen[2] ?? null);
}

/** `Ligar 18:00–06:00 · todo dia` */
export function ruleText(schedule: Schedule): string {
  const words = scheduleWords();
  const rule = plannedRuleOf(schedule);
  const more = daysMore(rule);
  const end =
    rule.lengthMinutes === null
      ? ''
      : `–${timeOf(rule.startMinute + rule.lengthMinutes)}${more > 0 ? ` ${words.moreDays(more)}` : ''}`;
  const days =
    rule.pattern === 'WEEKLY' && rule.daysOfWeek !== null
      ? rule.daysOfWeek.map((day) => words.weekdays[day - 1]).join(' ')
      : words.patterns[rule.pattern];
  const state = schedule.is_active ? '' : ` · ${words.inactive}`;
  return `${rule.action === 'ON' ? words.on : words.off} ${timeOf(rule.startMinute)}${end} · ${days}${state}`;
}

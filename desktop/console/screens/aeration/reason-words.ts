import { dictionary, language } from '../../i18n/language.ts';

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

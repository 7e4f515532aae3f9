import { reasonWords, scheduleWords } from '#words/aeration.ts';
import { spoken } from '#words/language.ts';
import { plannedRuleOf, type Schedule, timeOf } from '../../data/schedules.ts';
import { daysMore } from '../../state/week-outlook.ts';

// The gateway keeps the reason of its own orders in English; those it is known to give are told in the person's words.
// What a person wrote stays as it was written.

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
  if (oxygen === null || spoken.isOfInterface) return reason;
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

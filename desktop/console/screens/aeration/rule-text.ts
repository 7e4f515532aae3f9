import { plannedRuleOf, type Schedule, timeOf } from '../../data/schedules.ts';
import { daysMore } from '../../state/schedule-week.ts';
import { scheduleWords } from './schedule-words.ts';

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

import { addDays, occursOn, type PlannedRule } from './schedule-week.ts';

// What the schedules of one control point will do next. Pure; days and minutes are those of the farm's clock.

export type Run = {
  ruleId: string;
  /** What is done: at its end a rule does the opposite. */
  action: 'ON' | 'OFF';
  day: string;
  minute: number;
  /** Another rule wants the opposite within the same time. */
  isContradicted: boolean;
};

const DAY_MINUTES = 1_440;
const MOST_DAYS = 366;
/** A rule of the week after may still contradict one that is long. */
const LEAST_DAYS = 8;
/** A rule without an end is a moment: as long as the calendar draws it. */
const MOMENT_MINUTES = 15;

/** Minutes are counted from midnight of the day that is asked for. */
type Occurrence = { rule: PlannedRule; from: number; to: number };

/** The next `count` switchings after that minute of that day, soonest first. */
export function nextRuns(
  rules: readonly PlannedRule[],
  { day, minute }: { day: string; minute: number },
  count: number,
): Run[] {
  const occurrences: Occurrence[] = [];
  const isEnough = (offset: number) =>
    offset > LEAST_DAYS &&
    eventsOf(occurrences).filter(({ at }) => at > minute && at < offset * DAY_MINUTES).length >= count;
  const before = Math.max(0, ...rules.map(daysBack));
  for (let offset = -before; offset <= MOST_DAYS && !isEnough(offset); offset += 1) {
    const here = addDays(day, offset);
    for (const rule of rules) {
      if (!occursOn(rule, here)) continue;
      const from = offset * DAY_MINUTES + rule.startMinute;
      occurrences.push({ rule, from, to: from + (rule.lengthMinutes ?? MOMENT_MINUTES) });
    }
  }
  return eventsOf(occurrences)
    .filter(({ at }) => at > minute)
    .toSorted((a, b) => a.at - b.at)
    .slice(0, count)
    .map(({ of, action, at }) => ({
      ruleId: of.rule.id,
      action,
      day: addDays(day, Math.floor(at / DAY_MINUTES)),
      minute: at % DAY_MINUTES,
      isContradicted: occurrences.some((other) => contradicts(of, other)),
    }));
}

/** What began so many days ago may not be over yet. */
const daysBack = ({ lengthMinutes }: PlannedRule): number =>
  Math.min(Math.ceil((lengthMinutes ?? 0) / DAY_MINUTES), MOST_DAYS);

const eventsOf = (occurrences: readonly Occurrence[]) =>
  occurrences.flatMap((of) => {
    const { action, lengthMinutes } = of.rule;
    const begin = { of, action, at: of.from };
    const end = { of, action: action === 'ON' ? ('OFF' as const) : ('ON' as const), at: of.to };
    return lengthMinutes === null ? [begin] : [begin, end];
  });

const contradicts = (a: Occurrence, b: Occurrence): boolean =>
  a.rule.action !== b.rule.action && a.from < b.to && b.from < a.to;

import { Temporal } from 'temporal-polyfill';
import type { SwitchState } from '#contract/words.ts';
import type { ScheduleRule } from '#features/control/schedules/schedule-events.ts';

// What schedules mean, told slowly and from scratch: somebody sits before the farm's clock, minute by minute, with the
// list of schedules in hand, and notes who decides. Times must be full minutes. Nothing of the program is used.

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Instants and what the clock on the wall shows at each, minute by minute. */
export type WallMinutes = { from: number; walls: Float64Array };

/** Clocks change at half hours only, since 1970, in the zones that the tests use. */
export function wallMinutes(zone: string, from: number, to: number): WallMinutes {
  const walls = new Float64Array((to - from) / MINUTE_MS);
  let offset = 0;
  for (let n = 0; n < walls.length; n += 1) {
    const at = from + n * MINUTE_MS;
    if (n === 0 || at % (30 * MINUTE_MS) === 0) {
      const moment = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
      offset = moment.offsetNanoseconds / 1_000_000;
    }
    walls[n] = at + offset;
  }
  return { from, walls };
}

/** From an instant on this schedule decides, and asks for this. */
export type Noted = { at: number; action: SwitchState; schedule_id: string; edge: 'start' | 'end' };

type Open = { rule: ScheduleRule; began: number; isOver: (at: number, wall: number) => boolean };

/** Every instant at which who decides changes, in order. */
export function notedEvents(rules: readonly ScheduleRule[], minutes: WallMinutes): Noted[] {
  const sitting = rules.filter(({ is_active }) => is_active).map((rule) => sitBefore(rule, minutes));
  const noted: Noted[] = [];
  let open: Open[] = [];
  let point: Noted | null = null;
  let deciding: string | null = null;
  for (const [n, wall] of minutes.walls.entries()) {
    const at = minutes.from + n * MINUTE_MS;
    const begun: Open[] = [];
    for (const begins of sitting) {
      const window = begins(at, wall);
      if (window !== null) begun.push(window);
    }
    // nothing to note at this minute
    if (begun.length === 0 && !open.some((window) => window.isOver(at, wall))) continue;
    const goesOn = new Set(begun.map(({ rule }) => rule.id));
    const over = open.filter((window) => !goesOn.has(window.rule.id) && window.isOver(at, wall));
    open = open.filter((window) => !goesOn.has(window.rule.id) && !over.includes(window));
    open.push(...begun.filter(({ rule }) => rule.end_time !== null));
    const points = [
      ...over.map(
        ({ rule }): Noted => ({ at, action: other(rule.action), schedule_id: rule.id, edge: 'end' }),
      ),
      ...begun
        .filter(({ rule }) => rule.end_time === null)
        .map(({ rule }): Noted => ({ at, action: rule.action, schedule_id: rule.id, edge: 'start' })),
    ];
    point = points.sort(strongestLast).at(-1) ?? point;
    const window = open
      .map(
        ({ rule, began }): Noted => ({ at: began, action: rule.action, schedule_id: rule.id, edge: 'start' }),
      )
      .sort((a, b) => a.at - b.at || strongestLast(a, b))
      .at(-1);
    const now = window ?? point;
    if (now === null) continue;
    const name = `${window === undefined ? 'point' : 'window'} ${now.at} ${now.schedule_id}`;
    if (name !== deciding) noted.push({ ...now, at });
    deciding = name;
  }
  return noted;
}

const other = (state: SwitchState): SwitchState => (state === 'ON' ? 'OFF' : 'ON');

function strongestLast(a: Noted, b: Noted): number {
  if (a.action !== b.action) return a.action === 'ON' ? 1 : -1;
  return a.schedule_id < b.schedule_id ? -1 : 1;
}

/** Asked at each minute, answers the occurrence of the schedule that begins then, if one does. */
function sitBefore(rule: ScheduleRule, { from, walls }: WallMinutes) {
  const showedAt = (at: number) => walls[(at - from) / MINUTE_MS] ?? Number.NaN;
  const entered = showedAt(rule.start_time);
  const onTheWall = rule.end_time === null ? 0 : showedAt(rule.end_time) - entered;
  const length = onTheWall > 0 ? onTheWall : (rule.end_time ?? 0) - rule.start_time;
  const timeOfDay = ((entered % DAY_MS) + DAY_MS) % DAY_MS;
  let day = entered - timeOfDay;
  while (!isItsDay(rule, entered, day)) day += DAY_MS;
  return (at: number, wall: number): Open | null => {
    if (day === Number.POSITIVE_INFINITY) return null;
    const isEntered = day + timeOfDay === entered;
    const begins = isEntered ? at >= rule.start_time : wall >= day + timeOfDay;
    if (!begins) return null;
    const endsAtWall = day + timeOfDay + length;
    const end = isEntered ? rule.end_time : wall >= endsAtWall ? at + length : null;
    if (rule.repeat_pattern === 'ONCE') day = Number.POSITIVE_INFINITY;
    else
      do day += DAY_MS;
      while (!isItsDay(rule, entered, day));
    const isOver = (now: number, shown: number) => (end === null ? shown >= endsAtWall : now >= end);
    return { rule, began: at, isOver };
  };
}

/** Whether the schedule takes place on a day (its midnight as the wall shows it) on or after that of its start. */
function isItsDay(rule: ScheduleRule, entered: number, day: number): boolean {
  const start = new Date(entered);
  const date = new Date(day);
  const lastOfMonth = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  const isDayOfMonth = date.getUTCDate() === Math.min(start.getUTCDate(), lastOfMonth);
  switch (rule.repeat_pattern) {
    case 'ONCE':
    case 'DAILY':
      return true;
    case 'WEEKLY':
      return rule.days_of_week?.includes(date.getUTCDay() === 0 ? 7 : date.getUTCDay()) ?? false;
    case 'MONTHLY':
      return isDayOfMonth;
    case 'YEARLY':
      return isDayOfMonth && date.getUTCMonth() === start.getUTCMonth();
  }
}

import { instanceValue } from '#contract/resources/local-tables.ts';
import { type SwitchState, unreachable } from '#contract/words.ts';
import { type Change, purge, put } from '#core/changes.ts';
import { DAY_MS, timeOfDayOfWall, wallOf, type Zone } from '#core/zone-clock.ts';
import { type ControlView, type OverridingReason, targetOf } from '../control-view.ts';
import { localPartsOf } from './local-time.ts';
import { chosenDays, isUsableInstant, type RepeatPattern, wallDuration } from './schedule-events.ts';
import type { Wish } from './wanted-state.ts';

export type ScheduleInput = {
  action: SwitchState;
  start_time: number;
  end_time: number | null;
  repeat_pattern: RepeatPattern;
  days_of_week: readonly number[] | null;
};

type ScheduleViolation = {
  path: 'start_time' | 'end_time' | 'days_of_week';
  code: string;
  message: string;
};

/** Everything wrong with a schedule, for one answer; empty when it may be stored. */
export function checkSchedule(input: ScheduleInput, zone: Zone): ScheduleViolation[] {
  const violations = [...checkTimes(input), ...checkDays(input)];
  // A length can be judged only against times and days that are right themselves.
  return violations.length > 0 ? violations : checkDuration(input, zone);
}

/**
 * Two schedules of one control point with the same key are the same schedule: creating the second updates the first.
 * The end, and whether it is active, are what such an update changes.
 */
export function sameScheduleKey(rule: ScheduleInput, zone: Zone): string {
  const kind = `${rule.action} ${rule.repeat_pattern}`;
  if (rule.repeat_pattern === 'ONCE') return `${kind} ${rule.start_time}`;
  const timeOfDay = timeOfDayOfWall(wallOf(zone, rule.start_time));
  return `${kind} ${timeOfDay} ${daysKey(rule, zone)}`.trimEnd();
}

function daysKey(rule: ScheduleInput, zone: Zone): string {
  if (rule.repeat_pattern === 'WEEKLY') return chosenDays(rule.days_of_week).join(',');
  const { month, day } = localPartsOf(zone, rule.start_time);
  if (rule.repeat_pattern === 'MONTHLY') return `${day}`;
  return rule.repeat_pattern === 'YEARLY' ? `${month}-${day}` : '';
}

function checkTimes({ start_time, end_time }: ScheduleInput): ScheduleViolation[] {
  const violations: ScheduleViolation[] = [];
  if (!isUsableInstant(start_time)) violations.push(outOfRange('start_time'));
  if (end_time === null) return violations;
  if (!isUsableInstant(end_time)) violations.push(outOfRange('end_time'));
  else if (end_time <= start_time) {
    violations.push({ path: 'end_time', code: 'end_not_after_start', message: 'must be after start_time' });
  }
  return violations;
}

function checkDays({ repeat_pattern, days_of_week }: ScheduleInput): ScheduleViolation[] {
  const days = days_of_week ?? [];
  const violation = (code: string, message: string): ScheduleViolation[] => [
    { path: 'days_of_week', code, message },
  ];
  // An empty list says nothing, so it is no contradiction to another pattern.
  if (repeat_pattern !== 'WEEKLY') {
    if (days.length === 0) return [];
    return violation('days_only_with_weekly', 'is only for WEEKLY schedules');
  }
  if (days.length === 0) return violation('days_required', 'a WEEKLY schedule needs at least one day');
  if (days.some((day) => !Number.isInteger(day) || day < 1 || day > 7)) {
    return violation('day_out_of_range', 'each day is a whole number from 1 (Monday) to 7 (Sunday)');
  }
  if (new Set(days).size < days.length) return violation('duplicate_day', 'each day may be given once');
  return [];
}

function checkDuration(input: ScheduleInput, zone: Zone): ScheduleViolation[] {
  const duration = wallDuration(input, zone);
  const limit = longestDuration(input);
  if (duration === null || limit === null || duration < limit.ms) return [];
  return [
    { path: 'end_time', code: 'overlaps_next_occurrence', message: `must be less than ${limit.words}` },
  ];
}

/** The shortest time from one occurrence to the next: a repeat must be over before it begins again. */
function longestDuration(input: ScheduleInput): { ms: number; words: string } | null {
  switch (input.repeat_pattern) {
    case 'ONCE':
      return null;
    case 'DAILY':
      return { ms: DAY_MS, words: '24 hours after start_time for a DAILY schedule' };
    case 'WEEKLY': {
      const days = smallestGap(chosenDays(input.days_of_week));
      return {
        ms: days * DAY_MS,
        words: `${days * 24} hours after start_time, when the next of the chosen days begins`,
      };
    }
    case 'MONTHLY':
      return { ms: 28 * DAY_MS, words: '28 days after start_time for a MONTHLY schedule' };
    case 'YEARLY':
      return { ms: 365 * DAY_MS, words: '365 days after start_time for a YEARLY schedule' };
    default:
      return unreachable(input.repeat_pattern);
  }
}

/** Days between the closest two chosen days, round the week. */
function smallestGap(days: readonly number[]): number {
  const gaps = days.map((day, i) => (days[i + 1] ?? (days[0] ?? day) + 7) - day);
  return Math.min(7, ...gaps);
}

function outOfRange(path: 'start_time' | 'end_time'): ScheduleViolation {
  return { path, code: 'out_of_range', message: 'must be a date between the years 1 and 9999' };
}

// A stronger reason for the target that holds already is an event of its own: it raises the version, so that a hand at
// the controller no longer stands against it, and it is logged and shown. When it ends, the weaker one is shown again.

const SHOWN_REASON_PREFIX = 'shown_reason:';

/** A hand that works against the reason is answered by a new version: at first so long after the last one, then rarer. */
const FIRST_REPEAT_MS = 60_000;
const LAST_REPEAT_MS = 15 * 60_000;
/** What was reported longer ago says nothing of a hand now. */
const REPORT_HOLDS_MS = 90_000;

/** The reason for a wish that goes before orders and hands; null: it is none of these. */
export function overridingReason({ row }: Pick<ControlView, 'row'>, wish: Wish): OverridingReason | null {
  if (row.locked_out) return 'LOCK_OUT';
  return wish.details['demand'] === 'EMERGENCY_OXYGEN' ? 'EMERGENCY_OXYGEN' : null;
}

/**
 * Remembers which reason was announced last for each control point, on disk too: once for each start of the reason, not at
 * every look, nor again after a restart.
 */
export function createShownReasons(deps: {
  monotonic: () => number;
  /** Notes of an earlier run. */
  stored: () => Promise<readonly { id: string; value: string }[]>;
}) {
  const shownById = new Map<string, OverridingReason>();
  const storedById = new Map<string, OverridingReason>();
  const announcedById = new Map<string, { at: number; repeats: number }>();
  let isLoaded = false;

  function isByHandAgainst(view: ControlView, target: string): boolean {
    const { id } = view.row;
    const { current, source, lastReportMonotonic, isLost } = view.presence;
    const announced = announcedById.get(id);
    const now = deps.monotonic();
    if (current === target && announced !== undefined) announcedById.set(id, { ...announced, repeats: 0 });
    const isHeard = lastReportMonotonic !== null && now - lastReportMonotonic <= REPORT_HOLDS_MS && !isLost;
    if (current === null || current === target || source !== 'manual' || !isHeard) return false;
    const waitMs = Math.min(LAST_REPEAT_MS, FIRST_REPEAT_MS * 2 ** (announced?.repeats ?? 0));
    return announced === undefined || now - announced.at >= waitMs;
  }

  return {
    /** Until it succeeds once, an earlier run's reasons are announced again at worst. */
    async load(): Promise<void> {
      if (isLoaded) return;
      for (const { id, value } of await deps.stored()) {
        if (value !== 'LOCK_OUT' && value !== 'EMERGENCY_OXYGEN') continue;
        const controlPointId = id.slice(SHOWN_REASON_PREFIX.length);
        storedById.set(controlPointId, value);
        if (!shownById.has(controlPointId)) shownById.set(controlPointId, value);
      }
      isLoaded = true;
    },
    /** Whether this reason is to become an order of its own, though the target stays as it is. */
    needsOrder(view: ControlView, reason: OverridingReason | null): boolean {
      const { target_status, target_origin } = targetOf(view);
      const shown = shownById.get(view.row.id) ?? null;
      const isShown = target_origin === 'SAFETY';
      if (reason === null) return shown !== null && isShown;
      // the order of a lock-out comes with it
      if (shown !== reason) return reason === 'EMERGENCY_OXYGEN' || !isShown;
      // an order of a person was given over it; announced again once that one is done
      if (!isShown) return view.openOrder === null && view.unsaved === null;
      return isByHandAgainst(view, target_status);
    },
    /** True when what is remembered is not what holds. */
    isOther: (id: string, reason: OverridingReason | null): boolean => (shownById.get(id) ?? null) !== reason,
    /** The rows that note it. */
    changes(id: string, reason: OverridingReason | null): Change[] {
      if ((storedById.get(id) ?? null) === reason) return [];
      const key = `${SHOWN_REASON_PREFIX}${id}`;
      return [reason === null ? purge(instanceValue, key) : put(instanceValue, { id: key, value: reason })];
    },
    /** It was announced; `isStored`: its rows are on disk. */
    record(id: string, reason: OverridingReason | null, { isStored }: { isStored: boolean }): void {
      const isSame = shownById.get(id) === reason;
      const repeats = isSame ? (announcedById.get(id)?.repeats ?? -1) + 1 : 0;
      if (reason === null) {
        shownById.delete(id);
        announcedById.delete(id);
      } else {
        shownById.set(id, reason);
        announcedById.set(id, { at: deps.monotonic(), repeats });
      }
      if (!isStored) return;
      if (reason === null) storedById.delete(id);
      else storedById.set(id, reason);
    },
    /** Control points for which something is remembered. */
    ids: (): string[] => [...new Set([...shownById.keys(), ...storedById.keys()])],
  };
}

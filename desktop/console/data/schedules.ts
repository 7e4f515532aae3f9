import { type UseQueryResult, useQueries } from '@tanstack/preact-query';
import type { ScheduleAnswer } from '#contract/resources/schedules.ts';
import { clockTime, instantAt, isoDay } from '../i18n/format.ts';
import { nextRuns } from '../state/next-runs.ts';
import { addDays, type PlannedRule } from '../state/schedule-week.ts';
import { get } from './api.ts';

export type Schedule = ScheduleAnswer;

/** Schedules of several control points, each by its id. */
export function useSchedules(
  pointIds: readonly string[],
): ReadonlyMap<string, UseQueryResult<readonly Schedule[]>> {
  const results: readonly UseQueryResult<readonly Schedule[]>[] = useQueries({
    queries: pointIds.map((id) => ({
      queryKey: ['control-points', `/control-points/${id}/schedules`, {}],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        get<Schedule[]>(`/control-points/${id}/schedules`, {}, signal),
    })),
  });
  return new Map(
    pointIds.flatMap((id, index) => {
      const result = results[index];
      return result === undefined ? [] : [[id, result]];
    }),
  );
}

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

/** A schedule by the farm's own clock. */
export function plannedRuleOf(schedule: Schedule): PlannedRule {
  const { start_time, end_time } = schedule;
  return {
    id: schedule.id,
    action: schedule.action,
    pattern: schedule.repeat_pattern,
    startDay: isoDay(start_time),
    startMinute: minuteOf(clockTime(start_time)),
    lengthMinutes:
      end_time === null ? null : Math.round((Date.parse(end_time) - Date.parse(start_time)) / 60_000),
    daysOfWeek: schedule.days_of_week,
  };
}

export type NextRun = { schedule: Schedule; action: 'ON' | 'OFF'; at: number; isContradicted: boolean };

/** What these schedules do next, soonest first, by the farm's own clock; each control point contradicts only itself. */
export function nextRunsOf(schedules: readonly Schedule[], now: number, count: number): NextRun[] {
  const at = { day: isoDay(now), minute: minuteOf(clockTime(now)) };
  const byId = new Map(schedules.map((schedule) => [schedule.id, schedule]));
  const points = new Set(schedules.map(({ control_point_id }) => control_point_id));
  return [...points]
    .flatMap((point) => {
      const active = schedules.filter(
        ({ control_point_id, is_active }) => control_point_id === point && is_active,
      );
      return nextRuns(active.map(plannedRuleOf), at, count);
    })
    .flatMap(({ ruleId, action, day, minute, isContradicted }) => {
      const schedule = byId.get(ruleId);
      if (schedule === undefined) return [];
      return [{ schedule, action, at: Date.parse(instantAt(day, timeOf(minute))), isContradicted }];
    })
    .toSorted((a, b) => a.at - b.at)
    .slice(0, count);
}

/** 18:00 */
export const timeOf = (minuteOfDay: number): string =>
  `${String(Math.floor(minuteOfDay / 60) % 24).padStart(2, '0')}:${String(minuteOfDay % 60).padStart(2, '0')}`;

export const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

/** First occurrence and its end as instants; an end at or before the start is on the next day, or some days more. */
export function instantsOf({
  day,
  start,
  end,
  moreDays,
}: {
  day: string;
  start: string;
  end: string;
  moreDays: number;
}): { start_time: string; end_time: string | null } {
  const endDay = addDays(day, (end <= start ? 1 : 0) + moreDays);
  return {
    start_time: instantAt(day, start),
    end_time: end === '' ? null : instantAt(endDay, end),
  };
}

import { type UseQueryResult, useQuery } from '@tanstack/preact-query';
import type { ScheduleAnswer } from '#contract/resources/schedules.ts';
import { clockTime, instantAt, isoDay } from '../i18n/format.ts';
import { addDays, type PlannedRule } from '../state/week-outlook.ts';
import { get } from './api.ts';
import { farm } from './farm-store.ts';

export type Schedule = ScheduleAnswer;

/** As many as the interface tells at once: more than any calendar has. */
const MOST = 10_000;

/** Schedules of every control point of a farm, by default the chosen one, for one question; see `schedulesAt`. */
export function useSchedules(farm_id = farm.value?.id): UseQueryResult<SchedulesByPoint> {
  return useQuery({
    // a change at a control point makes them be asked anew
    queryKey: ['control-points', '/schedules/', { farm_id }],
    queryFn: ({ signal }: { signal: AbortSignal }) => get('/schedules/', { farm_id, limit: MOST }, signal),
    select: byPoint,
    enabled: farm_id !== undefined,
  });
}

export type SchedulesByPoint = ReadonlyMap<string, readonly Schedule[]>;
const NONE: readonly Schedule[] = [];

/** Those of one control point; the same list until another answer is there. */
export const schedulesAt = (all: SchedulesByPoint, pointId: string): readonly Schedule[] =>
  all.get(pointId) ?? NONE;

function byPoint(schedules: readonly Schedule[]): SchedulesByPoint {
  const found = new Map<string, Schedule[]>();
  for (const schedule of schedules) {
    const ofPoint = found.get(schedule.control_point_id);
    if (ofPoint === undefined) found.set(schedule.control_point_id, [schedule]);
    else ofPoint.push(schedule);
  }
  return found;
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

import { type UseQueryResult, useQuery } from '@tanstack/preact-query';
import type { ControlPlan, ControlPointAnswer, TimelineSegment } from '#contract/resources/control-points.ts';
import type { SwitchState } from '#contract/words.ts';
import { clockTime, instantAt } from '../i18n/format.ts';
import { addDays, type Span } from '../state/week-outlook.ts';
import { get } from './api.ts';
import { serverNow } from './clock.ts';
import { farm } from './farm-store.ts';
import { useGetAgain } from './query.ts';

// What control points will do, as the function that switches them sees it: with schedules, orders, lock-outs and oxygen.

export type Segment = TimelineSegment;
type FarmSegment = Segment & { control_point_id: string };
export type PlansByPoint = ReadonlyMap<string, ControlPlan>;
export type TimelineByPoint = ReadonlyMap<string, readonly Segment[]>;

/** As far ahead as it is told. */
const MOST_HOURS = 192;
const SOONEST_MS = 2_000;
const LATEST_MS = 5 * 60_000;
/** A timer of a browser counts to 24 days, and fires at once beyond them. */
const MOST_MS = 6 * 3_600_000;
const AFTER_FAULT_MS = 30_000;

/** Who decides at each control point of the chosen farm, and until when. */
export function usePlans(farm_id = farm.value?.id): UseQueryResult<PlansByPoint> {
  return useQuery({
    // a change at a control point makes them be asked anew
    queryKey: ['control-points', '/control-points/', { farm_id }],
    queryFn: ({ signal }: { signal: AbortSignal }) => get('/control-points/', { farm_id }, signal),
    select: plansOf,
    enabled: farm_id !== undefined,
    refetchInterval: ({ state }) =>
      state.error === null ? untilNext(state.data?.map(({ plan }) => plan?.until) ?? []) : AFTER_FAULT_MS,
  });
}

/** The days ahead of every control point of the chosen farm. */
export function useTimeline(farm_id = farm.value?.id): UseQueryResult<TimelineByPoint> {
  return useQuery({
    queryKey: ['control-points', '/timeline', { farm_id }],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      get(`/farms/${farm_id}/timeline`, { hours: MOST_HOURS }, signal),
    select: timelinesOf,
    enabled: farm_id !== undefined,
    refetchInterval: ({ state }) =>
      state.error === null ? untilNext(state.data?.map(({ until }) => until) ?? []) : AFTER_FAULT_MS,
  });
}

/** What one control point would do if a person ordered this now; of an order from afar, `force` as it would be sent. */
export function useOutcome(
  pointId: string,
  asked: { order: SwitchState; for_s?: number | undefined; force?: boolean },
): UseQueryResult<Segment[]> {
  return useGetAgain(`/control-points/${pointId}/timeline`, { ...asked, hours: MOST_HOURS });
}

const plansOf = (points: readonly ControlPointAnswer[]): PlansByPoint =>
  new Map(points.flatMap(({ id, plan }) => (plan === undefined ? [] : [[id, plan] as const])));

function timelinesOf(segments: readonly FarmSegment[]): TimelineByPoint {
  const found = new Map<string, Segment[]>();
  for (const segment of segments) {
    const own = found.get(segment.control_point_id);
    if (own === undefined) found.set(segment.control_point_id, [segment]);
    else own.push(segment);
  }
  return found;
}

/** What is told holds until the next of these instants; a little later the answer is another. Without any it stands. */
function untilNext(instants: readonly (string | null | undefined)[]): number | false {
  const left = instants.flatMap((at) => (at == null ? [] : [Date.parse(at) - serverNow()]));
  if (left.length === 0) return false;
  const ahead = left.filter((ms) => ms > 0);
  return ahead.length === 0 ? LATEST_MS : Math.min(MOST_MS, ...ahead) + SOONEST_MS;
}

/** What is told of the seven days from `monday`, by the farm's own clock; what runs past midnight goes on in the next. */
export function spansOfWeek(segments: readonly Segment[], monday: string): Span[] {
  return [0, 1, 2, 3, 4, 5, 6].flatMap((dayIndex) => {
    const day = addDays(monday, dayIndex);
    const [begins, ends] = [instantAt(day, '00:00'), instantAt(addDays(day, 1), '00:00')];
    return segments
      .filter(({ from, until }) => from < ends && until > begins)
      .map(({ from, until, target, cause, schedule_id }) => ({
        dayIndex,
        fromMinute: from <= begins ? 0 : minuteOfDay(from),
        toMinute: until >= ends ? 1_440 : minuteOfDay(until),
        target,
        cause,
        scheduleId: schedule_id,
      }));
  });
}

const minuteOfDay = (at: string): number => {
  const time = clockTime(at);
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
};

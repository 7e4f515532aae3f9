import type { PlanCause, TimelineSegment } from '#contract/resources/control-points.ts';
import type { Block } from './schedule-week.ts';

// What control points will do, and where that is not what the calendar's rules ask for. Pure; days and minutes are those
// of the farm's clock.

/** A part of a day in which the wanted state is known. */
export type Span = {
  dayIndex: number;
  fromMinute: number;
  toMinute: number;
  target: 'ON' | 'OFF';
  cause: PlanCause;
  scheduleId: string | null;
};

/** A part of a block in which the motor will not do what the block asks for, and who decides instead. */
export type Waiting = { fromMinute: number; toMinute: number; cause: PlanCause };

export function waitingParts(block: Block, spans: readonly Span[]): Waiting[] {
  const parts: Waiting[] = [];
  for (const span of spans) {
    const fromMinute = Math.max(block.fromMinute, span.fromMinute);
    const toMinute = Math.min(block.toMinute, span.toMinute);
    if (span.dayIndex !== block.dayIndex || fromMinute >= toMinute || span.target === block.action) continue;
    const last = parts.at(-1);
    if (last?.cause === span.cause && last.toMinute === fromMinute) last.toMinute = toMinute;
    else parts.push({ fromMinute, toMinute, cause: span.cause });
  }
  return parts;
}

/** What decides instead of the calendar: people, water, a lock-out, a clock that is not to be trusted. */
export const isOffCalendar = ({ cause }: Pick<Span, 'cause'>): boolean =>
  cause !== 'SCHEDULE' && cause !== 'BASE';

export type NextTurn = { pointId: string; at: number; target: 'ON' | 'OFF'; scheduleId: string | null };

/** When the wanted state of these control points next changes, soonest first. */
export function nextTurns(
  timeline: ReadonlyMap<string, readonly TimelineSegment[]>,
  pointIds: readonly string[],
  now: number,
): NextTurn[] {
  return pointIds
    .flatMap((pointId) => {
      const segments = timeline.get(pointId) ?? [];
      return segments.flatMap(({ from, target, schedule_id }, n): NextTurn[] => {
        const at = Date.parse(from);
        const isTurn = n > 0 && segments[n - 1]?.target !== target && at > now;
        return isTurn ? [{ pointId, at, target, scheduleId: schedule_id }] : [];
      });
    })
    .toSorted((a, b) => a.at - b.at);
}

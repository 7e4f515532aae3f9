import { Temporal } from 'temporal-polyfill';
import type { ManualOrder } from '#features/control/schedules/manual-orders.ts';
import type { ScheduleEvent, ScheduleRule } from '#features/control/schedules/schedule-events.ts';
import type { WantedFacts } from '#features/control/schedules/wanted-state.ts';

export const RECIFE = 'America/Recife';
export const NEW_YORK = 'America/New_York';
export const ALWAYS = Number.NEGATIVE_INFINITY;

/** Instant of a text with its offset or zone: `2030-01-07T18:00-03:00`. */
export function at(text: string): number {
  return Temporal.Instant.from(text).epochMilliseconds;
}

/** Recife has had no clock change since 2002: plain days. A date alone is its midnight. */
export function recife(text: string): number {
  return at(text.includes('T') ? `${text}-03:00` : `${text}T00:00-03:00`);
}

/** Night aeration, 18:00 to 06:00 in Recife from Monday 7 January 2030 on, unless told otherwise. */
export function aSchedule(changes: Partial<ScheduleRule> = {}): ScheduleRule {
  return {
    id: 'night',
    action: 'ON',
    start_time: recife('2030-01-07T18:00'),
    end_time: recife('2030-01-08T06:00'),
    repeat_pattern: 'DAILY',
    days_of_week: null,
    is_active: true,
    effective_from: ALWAYS,
    ...changes,
  };
}

export function anOrder(changes: Partial<ManualOrder> = {}): ManualOrder {
  const issuedAt = changes.at ?? recife('2030-01-10T12:00');
  return {
    id: `o${changes.sequence ?? 1}`,
    at: issuedAt,
    sequence: 1,
    target: 'ON',
    origin: 'LOCAL',
    until: null,
    ...changes,
  };
}

/** Nothing wanted yet, at noon on Thursday 10 January 2030. */
export function facts(changes: Partial<WantedFacts> = {}): WantedFacts {
  return {
    now: recife('2030-01-10T12:00'),
    zone: RECIFE,
    lockedOut: false,
    safety: [],
    orders: [],
    schedules: [],
    base: { target: 'OFF', at: recife('2030-01-01T00:00') },
    ...changes,
  };
}

/** Events as a person would note them: `2030-01-07 18:00:00 ON start`, on the zone's wall. */
export function noted(events: readonly ScheduleEvent[], zone: string): string[] {
  return events.map((event) => {
    const local = Temporal.Instant.fromEpochMilliseconds(event.at).toZonedDateTimeISO(zone);
    const offset = local.offset.slice(0, 3);
    return `${local.toPlainDate()} ${local.toPlainTime().toString({ smallestUnit: 'second' })} ${offset} ${event.action} ${event.edge}`;
  });
}

import { isDateOnly } from '#contract/fields.ts';
import {
  type MeasurementAnswer,
  WATER_FIELDS,
  type WaterAlert,
  type WaterField,
} from '#contract/resources/water-quality.ts';
import { ALERT_TYPES } from '#contract/words.ts';
import { isoOf } from '#core/kernel.ts';
import { roundTo } from '#core/rounding.ts';
import { dayAfter, localDay, startOfDay, type Zone } from '#core/zone-clock.ts';
import { alertAdvice } from '#science/advice/alert-advice.ts';
import type { Language } from '#science/advice/language.ts';
import type { Water } from '#science/water-limits.ts';
import type { MeasurementRow, Span, WaterAlertRow } from './ports.ts';

/** Digits of averages: as fine as the finest kit. */
export const waterFigure = <N extends number | null>(value: N): N => roundTo(value, 3);

export function measurementValuesOf(
  row: MeasurementRow,
): Omit<MeasurementAnswer, 'ammonia_as' | 'oxygen_saturation_percent'> {
  return {
    id: row.id,
    pond_id: row.pond_id,
    measurement_date: row.measurement_date,
    temperature: row.temperature,
    dissolved_oxygen: row.dissolved_oxygen,
    ph: row.ph,
    salinity: row.salinity,
    alkalinity: row.alkalinity,
    ammonia: row.ammonia,
    nitrite: row.nitrite,
    nitrate: row.nitrate,
    transparency: row.transparency,
    notes: row.notes,
    source: row.source,
    created_by: row.created_by,
    clock_quality: row.clock_quality,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** As a POST tells it, in the reader's language and by the limits of the farm. */
export function waterAlertOf(
  { status, type: word, ...row }: WaterAlertRow,
  { water, language }: { water: Water; language: Language },
): WaterAlert {
  // the column holds these words alone
  const type = ALERT_TYPES.find((known) => known === word) ?? 'LOW_OXYGEN';
  return {
    id: row.id,
    type,
    parameter: row.parameter,
    value: row.value,
    threshold: row.threshold,
    severity: row.severity,
    message: row.message,
    triggered_at: row.triggered_at,
    resolved: status === 'RESOLVED',
    resolved_at: row.resolved_at,
    episode_id: row.episode_id,
    advice: alertAdvice({ type, severity: row.severity, value: row.value }, language, water),
  };
}

export function isWaterField(word: string): word is WaterField {
  return WATER_FIELDS.some((field) => field === word);
}

type Asked = { start_date?: string | undefined; end_date?: string | undefined };

/** Bare dates are days of the farm's zone; the end is inclusive. */
export function spanOf({ start_date, end_date }: Asked, zone: Zone): Span {
  return {
    from:
      start_date === undefined ? null : isDateOnly(start_date) ? startOfDay(start_date, zone) : start_date,
    before: end_date === undefined ? null : endOf(end_date, zone),
  };
}

function endOf(end: string, zone: Zone): string {
  return isDateOnly(end) ? startOfDay(dayAfter(end, 1), zone) : isoOf(Date.parse(end) + 1);
}

/** The days a list speaks of: those asked for, else those of its first and last entry. */
export function dateRangeOf(
  { start_date, end_date }: Asked,
  found: { first: string | null; last: string | null },
  zone: Zone,
): { start: string | null; end: string | null } {
  return { start: dayOf(start_date ?? found.first, zone), end: dayOf(end_date ?? found.last, zone) };
}

function dayOf(date: string | null, zone: Zone): string | null {
  if (date === null) return null;
  return isDateOnly(date) ? date : localDay(date, zone);
}

const MINUTE_MS = 60_000;
const UNITS = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: MINUTE_MS },
] as const;
const JUST_NOW: Readonly<Record<Language, string>> = { 'pt-BR': 'agora mesmo', en: 'just now' };

/** `há 2 horas`, `2 hours ago`. */
export function timeSince(at: string, now: number, language: Language): string {
  const passedMs = now - Date.parse(at);
  const found = UNITS.find(({ ms }) => passedMs >= ms);
  if (found === undefined) return JUST_NOW[language];
  const words = new Intl.RelativeTimeFormat(language, { numeric: 'always' });
  return words.format(-Math.floor(passedMs / found.ms), found.unit);
}

import { isDateOnly } from '#contract/fields.ts';
import {
  type AmmoniaAs,
  type MeasurementAnswer,
  WATER_FIELDS,
  type WaterAlert,
  type WaterField,
} from '#contract/resources/water-quality.ts';
import { ALERT_TYPES } from '#contract/words.ts';
import { invalidField } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { roundTo } from '#core/rounding.ts';
import { dayAfter, localDay, startOfDay, type Zone } from '#core/zone-clock.ts';
import { alertAdvice } from '#science/advice/alert-advice.ts';
import type { Language } from '#science/advice/language.ts';
import { oxygenSaturationPercent } from '#science/oxygen-saturation.ts';
import { type AmmoniaOnBoth, ammoniaOnBoth, type Water } from '#science/water-limits.ts';
import { sampleOf } from './judge-water.ts';
import type { MeasurementRow, RecordQueries, ScienceOf, Span, WaterAlertRow } from './ports.ts';
import { salinityFor } from './record-measurement.ts';

/** Digits of averages: as fine as the finest kit. */
export const waterFigure = <N extends number | null>(value: N): N => roundTo(value, 3);

function measurementValuesOf(
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
    advice: alertAdvice({ ...row, type }, language, water),
  };
}

export function isWaterField(word: string): word is WaterField {
  return WATER_FIELDS.some((field) => field === word);
}

type Asked = { start_date?: string | undefined; end_date?: string | undefined };

/** Bare dates are days of the farm's zone; the end is inclusive. Throws 422 for one that lies before the start. */
export function spanOf({ start_date, end_date }: Asked, zone: Zone): Span {
  const from =
    start_date === undefined ? null : isDateOnly(start_date) ? startOfDay(start_date, zone) : start_date;
  const before = end_date === undefined ? null : endOf(end_date, zone);
  if (from !== null && before !== null && before <= from)
    throw invalidField(422, 'end_date', 'must not be before start_date');
  return { from, before };
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
const JUST_NOW: Readonly<Record<Language, string>> = {
  'pt-BR': 'agora mesmo',
  en: 'just now',
  es: 'ahora mismo',
};

/** `há 2 horas`, `2 hours ago`. */
export function timeSince(at: string, now: number, language: Language): string {
  const passedMs = now - Date.parse(at);
  const found = UNITS.find(({ ms }) => passedMs >= ms);
  if (found === undefined) return JUST_NOW[language];
  const words = new Intl.RelativeTimeFormat(language, { numeric: 'always' });
  return words.format(-Math.floor(passedMs / found.ms), found.unit);
}

type AnswerMeasurementDeps = {
  queries: Pick<RecordQueries, 'salinityBefore'>;
  scienceOf: ScienceOf;
};

/** A measurement as it is answered: as it was entered, its ammonia on both bases beside it. */
export async function answerMeasurement(
  deps: AnswerMeasurementDeps,
  farmId: string,
  row: MeasurementRow,
): Promise<MeasurementAnswer> {
  const values = { ...measurementValuesOf(row), oxygen_saturation_percent: saturationOf(row) };
  if (row.ammonia === null) return { ...values, ammonia_as: null };
  const { water } = await deps.scienceOf(farmId);
  return { ...values, ammonia_as: await ammoniaOfRow(deps, water, { ...row, ammonia: row.ammonia }) };
}

/** The ammonia of a measurement on both bases, by the water it was measured in. */
export async function ammoniaOfRow(
  { queries }: Pick<AnswerMeasurementDeps, 'queries'>,
  water: Water,
  row: MeasurementRow & { ammonia: number },
): Promise<AmmoniaAs> {
  const salinity = row.salinity ?? (await salinityFor(queries, row));
  return ammoniaAs(water, { ...sampleOf(row), salinity, ammonia: row.ammonia });
}

const CERTAINTIES = ['KNOWN', 'EXTRAPOLATED', 'WORST_CASE'] as const;

/** The mean of several, as certain as the least certain of them: where one has no total, the mean has none. */
export function meanAmmonia(found: readonly AmmoniaAs[]): AmmoniaAs | null {
  const [first] = found;
  if (first === undefined) return null;
  const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
  const totals = found.flatMap(({ tan }) => (tan === null ? [] : [tan]));
  const certainty =
    CERTAINTIES.findLast((each) => found.some((one) => one.certainty === each)) ?? 'WORST_CASE';
  return {
    basis: first.basis,
    nh3_n: waterFigure(mean(found.map(({ nh3_n }) => nh3_n))),
    tan: totals.length < found.length ? null : waterFigure(mean(totals)),
    certainty,
    gaps: [...new Set(found.flatMap(({ gaps }) => gaps))],
  };
}

/** Only from what was measured together: in an hour of sun the temperature of the morning says nothing. */
function saturationOf(row: MeasurementRow): number | null {
  const { dissolved_oxygen: oxygenMgL, temperature: temperatureC, salinity: salinityPpt } = row;
  if (oxygenMgL === null || temperatureC === null || salinityPpt === null) return null;
  return roundTo(oxygenSaturationPercent({ oxygenMgL, temperatureC, salinityPpt }), 1);
}

function ammoniaAs(water: Water, sample: Parameters<typeof ammoniaOnBoth>[1]): AmmoniaAs {
  const found = ammoniaOnBoth(water, sample);
  return {
    basis: water.ammoniaBasis,
    nh3_n: waterFigure(found.nh3N),
    tan: waterFigure(found.tan),
    ...certaintyOf(found),
  };
}

function certaintyOf(found: AmmoniaOnBoth): Pick<AmmoniaAs, 'certainty' | 'gaps'> {
  if (!found.isKnown) return { certainty: 'WORST_CASE', gaps: [...found.gaps] };
  return { certainty: found.isExtrapolated ? 'EXTRAPOLATED' : 'KNOWN', gaps: [] };
}

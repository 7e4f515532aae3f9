import type * as z from 'zod';
import {
  type MeasurementCreate,
  measurement,
  type triggeredAlert,
  WATER_FIELDS,
  type WaterField,
} from '#contract/resources/water-quality.ts';
import type { Alerting, OpenEpisode } from '#core/alerting.ts';
import { asParent, type Change, type GuardSeen, insert } from '#core/changes.ts';
import { conflict, invalidField, notFound } from '#core/errors.ts';
import { isAhead } from '#core/facts-of-now.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import { instantOnFarm } from '#core/zone-clock.ts';
import { alertAdvice } from '#science/advice/alert-advice.ts';
import type { Language } from '#science/advice/language.ts';
import { plausibilityText } from '#science/advice/plausibility-text.ts';
import { implausibilitiesOf } from '#science/plausibility.ts';
import type { Water, WaterAlertType } from '#science/water-limits.ts';
import type { GradedViolation } from '#science/water-status.ts';
import {
  causeOf,
  endedTypes,
  everyField,
  type Judged,
  judged,
  knownOf,
  sampleOf,
  wantsSalinity,
} from './judge-water.ts';
import type { MeasurementRow, PondToMeasure, RecordQueries, ScienceOf } from './ports.ts';

export type RecordMeasurementDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'> & {
  queries: RecordQueries;
  alerting: Pick<Alerting, 'raise' | 'resolve'>;
  scienceOf: ScienceOf;
};

export type TriggeredAlert = z.infer<typeof triggeredAlert>;
export type WaterWarning = { code: string; message: string };
export type RecordedMeasurement = {
  row: MeasurementRow;
  alerts_triggered: TriggeredAlert[];
  warnings: WaterWarning[];
};

const DAY_MS = 86_400_000;
/** A value this much older than the newest of its pond is history, whether or not it was measured again. */
export const NEWS_DAYS = 7;
/** Salinity changes with seasons; an older one says nothing about today. */
export const SALINITY_DAYS = 90;

/**
 * Decides a measurement, the alerts of what is beyond its limit, and the end of the episodes it ends. A value that was
 * measured again later (an old laboratory result entered today) stores an alert that is over: it neither wakes anyone nor
 * touches the episode of tonight.
 *
 * Throws 404 for a pond that is gone, 409 for an id that is taken, 422 for a date too far ahead.
 */
export async function recordMeasurement(
  deps: RecordMeasurementDeps,
  by: { userId: string | null; language: Language },
  input: MeasurementCreate,
  sentDate?: unknown,
): Promise<Decision<RecordedMeasurement>> {
  const { queries } = deps;
  const pond = await queries.pondToMeasure(input.pond_id);
  if (pond === null) throw notFound('Pond');
  if (input.id !== undefined && (await queries.measurementIdTaken(input.id)))
    throw conflict('This id is taken', 'ID_TAKEN');
  const row = rowOf(deps, pond, { input, sentDate, userId: by.userId });
  const { water } = await deps.scienceOf(pond.farm_id);
  const verdict = judged(water, row, await salinityFor(queries, row));
  const superseded = isOfThePast(row, { clock: deps.clockQuality(), atMs: deps.now() })
    ? everyField
    : await supersededIn(queries, row, pond.newest_at);
  const open = pond.hasOpenAlerts ? await queries.openEpisodes(pond.id) : [];
  const ended = await endedBy(deps, { water, pond, verdict, superseded, open });
  const raised = await raisedBy(deps, { water, pond, row, verdict, superseded, open });
  const toldWater =
    raised.of.length === 0 ? water : { ...water, isPondEmpty: await queries.isPondEmpty(pond.id) };
  const isTurn = ended.length > 0 || raised.begins;
  return {
    answer: {
      row,
      alerts_triggered: raised.of.map(({ words, ...told }) => ({
        ...told,
        message: words(by.language),
        advice: alertAdvice(told, by.language, toldWater),
      })),
      warnings: await warningsIn(queries, water, row, by.language),
    },
    changes: [insert(measurement, row), ...ended, ...raised.changes],
    guards: guardsOf(pond, isTurn),
  };
}

/**
 * The pond must stand. Readings beside each other do not disturb each other; but where an episode begins or ends, those
 * at the same moment look again, so that two of them never begin it twice.
 */
export function guardsOf(pond: PondToMeasure, isTurn: boolean): GuardSeen[] {
  const water = { entity: 'pond_water', id: pond.id, n: pond.water_guard };
  return [asParent({ entity: 'pond', id: pond.id, n: pond.pond_guard }), isTurn ? water : asParent(water)];
}

function rowOf(
  deps: RecordMeasurementDeps,
  pond: PondToMeasure,
  { input, sentDate, userId }: { input: MeasurementCreate; sentDate: unknown; userId: string | null },
): MeasurementRow {
  const now = deps.now();
  return {
    id: input.id ?? deps.newId(),
    pond_id: pond.id,
    measurement_date:
      input.measurement_date == null
        ? isoOf(now)
        : measuredAt(deps, instantOnFarm(input.measurement_date, sentDate, pond.timezone)),
    temperature: input.temperature ?? null,
    dissolved_oxygen: input.dissolved_oxygen ?? null,
    ph: input.ph ?? null,
    salinity: input.salinity ?? null,
    alkalinity: input.alkalinity ?? null,
    ammonia: input.ammonia ?? null,
    nitrite: input.nitrite ?? null,
    nitrate: input.nitrate ?? null,
    transparency: input.transparency ?? null,
    notes: input.notes ?? null,
    source: input.source,
    created_by: userId,
    clock_quality: deps.clockQuality(),
    created_at: isoOf(now),
    updated_at: null,
  };
}

/** Throws 422 for what has not happened yet, as long as the clock here is to be trusted. */
export function measuredAt(deps: Pick<Kernel, 'now' | 'clockQuality'>, at: string): string {
  if (isAhead(deps, at)) {
    throw invalidField(422, 'measurement_date', 'must not lie more than 10 minutes ahead');
  }
  return at;
}

export async function salinityFor(
  queries: Pick<RecordQueries, 'salinityBefore'>,
  row: MeasurementRow,
): Promise<number | null> {
  return wantsSalinity(row) ? pondSalinity(queries, row) : null;
}

function pondSalinity(
  queries: Pick<RecordQueries, 'salinityBefore'>,
  row: MeasurementRow,
): Promise<number | null> {
  const notBefore = isoOf(Date.parse(row.measurement_date) - SALINITY_DAYS * DAY_MS);
  return queries.salinityBefore(row.pond_id, row.measurement_date, notBefore);
}

/** What is older than a day says nothing of the pond as it is now: it raises no alert of now, and ends none. */
export function isOfThePast(
  row: Pick<MeasurementRow, 'measurement_date'>,
  entered: { clock: MeasurementRow['clock_quality']; atMs: number },
): boolean {
  return entered.clock === 'trusted' && entered.atMs - Date.parse(row.measurement_date) > DAY_MS;
}

const NOTHING: ReadonlySet<WaterField> = new Set();

/** Parameters of this measurement that were measured again later. */
async function supersededIn(
  queries: Pick<RecordQueries, 'measuredAfter'>,
  row: MeasurementRow,
  newestAt: string | null,
): Promise<ReadonlySet<WaterField>> {
  if (newestAt === null || row.measurement_date >= newestAt) return NOTHING;
  const isHistory = Date.parse(newestAt) - Date.parse(row.measurement_date) > NEWS_DAYS * DAY_MS;
  return isHistory ? everyField : queries.measuredAfter(row.pond_id, row.measurement_date, row.id);
}

type Facts = {
  water: Water;
  pond: PondToMeasure;
  verdict: Judged;
  superseded: ReadonlySet<WaterField>;
  open: readonly OpenEpisode[];
};

async function endedBy(deps: RecordMeasurementDeps, facts: Facts): Promise<Change[]> {
  const { water, pond, verdict, superseded, open } = facts;
  if (open.length === 0) return [];
  const changes: Change[] = [];
  for (const type of endedTypes(water, verdict.sample, superseded)) {
    if (!open.some((episode) => episode.type === type)) continue;
    changes.push(...(await deps.alerting.resolve({ type, pond_id: pond.id })));
  }
  return changes;
}

type Raised = {
  changes: Change[];
  /** Whether an episode begins. */
  begins: boolean;
  of: (Omit<TriggeredAlert, 'message' | 'advice' | 'type'> & { type: WaterAlertType } & {
    words: (language: Language) => string;
  })[];
};

async function raisedBy(
  deps: RecordMeasurementDeps,
  facts: Facts & { row: MeasurementRow },
): Promise<Raised> {
  const raised: Raised = { changes: [], begins: false, of: [] };
  for (const violation of facts.verdict.violations) {
    const { type, parameter, value, threshold, severity } = violation;
    const as = standingOf(facts, violation);
    const cause = causeOf(facts, violation, as);
    const newest = facts.open.find((episode) => episode.type === type) ?? null;
    raised.changes.push(...(await deps.alerting.raise(cause, knownOf(facts.pond, newest))));
    raised.begins ||= as !== 'past' && newest === null;
    const id = deps.idOf(cause.cause);
    raised.of.push({
      type,
      value,
      threshold,
      severity,
      id,
      parameter,
      resolved: as === 'past',
      words: cause.words,
    });
  }
  return raised;
}

/** What is behind is not news, and what is imported wakes nobody. */
export function standingOf(
  { superseded, row }: { superseded: ReadonlySet<WaterField>; row: Pick<MeasurementRow, 'source'> },
  { parameter }: GradedViolation,
): 'news' | 'quiet' | 'past' {
  if (superseded.has(parameter)) return 'past';
  return row.source === 'import' ? 'quiet' : 'news';
}

/** What is unlikely about a measurement, but kept as it was entered; where salinity would tell, by that of the pond. */
export async function warningsIn(
  queries: Pick<RecordQueries, 'salinityBefore'>,
  water: Water,
  row: MeasurementRow,
  language: Language,
): Promise<WaterWarning[]> {
  const own = sampleOf(row);
  const isAsked = implausibilitiesOf(water, own).some(({ missing }) => missing.includes('salinity'));
  const salinity = isAsked ? await pondSalinity(queries, row) : own.salinity;
  return implausibilitiesOf(water, { ...own, salinity }).map((found) => ({
    code: found.kind,
    message: plausibilityText(found, language),
  }));
}

/** True when at least one parameter is there. */
export function hasValue(row: MeasurementRow): boolean {
  return WATER_FIELDS.some((field) => row[field] !== null);
}

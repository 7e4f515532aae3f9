import type { RowOf, Stored } from '#contract/resource.ts';
import type { measurement, WaterField } from '#contract/resources/water-quality.ts';
import type { Severity } from '#contract/words.ts';
import type { OpenEpisode } from '#core/alerting.ts';
import type { ScienceConstants } from '#science/constants.ts';
import type { WaterAlertType } from '#science/water-limits.ts';

export type MeasurementRow = RowOf<typeof measurement>;
export type Measurement = Stored<MeasurementRow>;

/** A pond as those who judge its water look at it, all read at one moment. */
export type PondToMeasure = {
  id: string;
  cod: string;
  farm_id: string;
  farm_name: string;
  timezone: string;
  control_point_id: string | null;
  control_point_cod: string | null;
  /** Numbers of the guards `pond` and `pond_water` of this pond. */
  pond_guard: number;
  water_guard: number;
  /** When its newest measurement was taken; null: none yet. */
  newest_at: string | null;
  hasOpenAlerts: boolean;
};

export type PondName = {
  id: string;
  cod: string;
  farm_id: string;
  timezone: string;
  volumeM3: number | null;
};

/** From an instant (included) to another (left out), ISO 8601 UTC; null: open. */
export type Span = { from: string | null; before: string | null };
export type Page = { skip: number; limit: number };

export type WaterStatistics = {
  count: number;
  first: string | null;
  last: string | null;
  temperature: number | null;
  dissolved_oxygen: number | null;
  ph: number | null;
  salinity: number | null;
};

export type WaterAlertRow = {
  id: string;
  type: string;
  parameter: string | null;
  value: number | null;
  threshold: number | null;
  severity: Severity;
  message: string;
  triggered_at: string;
  status: 'ACTIVE' | 'RESOLVED';
  resolved_at: string | null;
  episode_id: string;
};

export type AlertScope = { pondId: string; span: Span; status: WaterAlertRow['status'] | null };
export type AlertCounts = readonly { status: WaterAlertRow['status']; severity: Severity; count: number }[];

/** A stretch of a pond's life that counts as one day on the farm. */
export type DaySpan = { day: string; from: string; before: string };
export type DailyFigures = {
  day: string;
  count: number;
  sum: number;
  squares: number;
  min: number;
  max: number;
};
/** What was measured in a stretch of the clock; `at`: its first reading. */
export type StretchFigures = { at: string; count: number; sum: number; min: number; max: number };
export type Reading = { value: number; at: string };

/** What recording asks for. */
export type RecordQueries = {
  /** By UUID or number; null: no such pond. */
  pondToMeasure: (ref: string) => Promise<PondToMeasure | null>;
  /** Its batches have all ended: nothing is fed. One of which no batch was ever entered may be full. */
  isPondEmpty: (pondId: string) => Promise<boolean>;
  measurementIdTaken: (id: string) => Promise<boolean>;
  /** The newest ACTIVE alert of each water type. */
  openEpisodes: (pondId: string) => Promise<OpenEpisode[]>;
  /** Parameters that were measured after an instant, in measurements other than that one. */
  measuredAfter: (pondId: string, at: string, exceptId: string) => Promise<ReadonlySet<WaterField>>;
  /** The salinity that was measured last before an instant, not before another. */
  salinityBefore: (pondId: string, at: string, notBefore: string) => Promise<number | null>;
  /** The newest measurements with that parameter, other than the one named, newest first. */
  newestWith: (
    pondId: string,
    parameter: WaterField,
    exceptId: string | null,
    most: number,
  ) => Promise<Measurement[]>;
};

/** What corrections ask for besides. */
export type CorrectQueries = RecordQueries & {
  measurementById: (id: string) => Promise<Measurement | null>;
};

/** The water of one pond in a span of time. */
export type WaterInSpan = {
  /** Newest first. */
  measurements: (page: Page) => AsyncIterable<Measurement>;
  statistics: () => Promise<WaterStatistics>;
  /** Days without a value are left out. */
  dailyFigures: (parameter: WaterField, days: readonly DaySpan[]) => Promise<DailyFigures[]>;
  /** Stretches of so many minutes, of which a day has a whole number; those without a value are left out. */
  stretches: (parameter: WaterField, minutes: number) => Promise<StretchFigures[]>;
  extremes: (parameter: WaterField) => Promise<{ lowest: Reading | null; highest: Reading | null }>;
  /** How often these types were raised. */
  countRaised: (types: readonly WaterAlertType[]) => Promise<number>;
};

/** Facts for readers; long lists are read beside control. */
export type WaterReadQueries = {
  pondName: (ref: string) => Promise<PondName | null>;
  /** Ponds of the farms a user owns or is a member of, oldest first. */
  pondsOf: (userId: string) => Promise<PondName[]>;
  /** Looks once how much there is, so that little is read at once and much beside control. */
  waterIn: (pondId: string, span: Span) => Promise<WaterInSpan>;
  /** Per pond that was ever measured its newest measurement. */
  latestReadings: (pondIds: readonly string[]) => Promise<ReadonlyMap<string, Measurement>>;
  /** ACTIVE alerts of the water of these ponds, each episode by its newest, newest first. */
  activeAlerts: (pondIds: readonly string[]) => Promise<ReadonlyMap<string, WaterAlertRow[]>>;
  alertsOf: (scope: AlertScope, page: Page) => AsyncIterable<WaterAlertRow>;
  countAlerts: (scope: AlertScope) => Promise<AlertCounts>;
};

export type ScienceOf = (farmId: string) => Promise<ScienceConstants>;

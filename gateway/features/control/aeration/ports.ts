import type { RowOf } from '#contract/resource.ts';
import type { alert } from '#contract/resources/alerts.ts';
import type { measurement } from '#contract/resources/water-quality.ts';
import type { DawnAlert } from '#contract/words.ts';

/** A stored measurement, as far as it tells of oxygen. */
export type OxygenRow = Pick<
  RowOf<typeof measurement>,
  | 'id'
  | 'pond_id'
  | 'measurement_date'
  | 'created_at'
  | 'dissolved_oxygen'
  | 'temperature'
  | 'salinity'
  | 'source'
  | 'clock_quality'
>;

/** A pond that an aerator with a control point of its own airs, besides the pond's own control point. */
export type AiredPond = { controlPointId: string; pondId: string; cod: string };

export type FarmPlace = { id: string; zone: string; lat: string | null; lng: string | null };

export type OxygenQueries = {
  /**
   * Oxygen readings of a pond, newest first, taken at or before an instant (null: whatever their time); imports of past
   * cycles are left out, those that were taken back are not: the loop ran through them, too. `after` is the last one of
   * the page before.
   */
  newestReadings: (
    pondId: string,
    page: {
      until: string | null;
      after: Pick<OxygenRow, 'measurement_date' | 'id'> | null;
      limit: number;
    },
  ) => Promise<(OxygenRow & { isTakenBack: boolean })[]>;
  /** Aerators whose device is a control point of the same owner, other than that of their pond. */
  airedByAerators: () => Promise<AiredPond[]>;
  farmPlaces: () => Promise<FarmPlace[]>;
  /** Why the safety rules switched on what they hold ON now, by control point. */
  reasonsOfSafety: () => Promise<{ controlPointId: string; reason: string | null }[]>;
};

export type PondPlace = {
  id: string;
  cod: string;
  farmId: string;
  farmName: string;
  zone: string;
  lat: string | null;
  lng: string | null;
  /** Emergency level of its control point, mg/L; null: none, or no control point. */
  emergencyMgL: number | null;
  /** What its control point is to do; null: none, so nobody knows what airs the pond. */
  motor: 'ON' | 'OFF' | null;
};

export type ForecastQueries = {
  pondPlace: (pondId: string) => Promise<PondPlace | null>;
  isPondEmpty: (pondId: string) => Promise<boolean>;
  /** Oxygen readings of a pond in a stretch of time (ISO), oldest first, evenly thinned to some hundreds. */
  readingsBetween: (pondId: string, from: string, to: string) => Promise<OxygenRow[]>;
  /** Ponds with an oxygen reading since an instant, with their farm's zone. */
  pondsMeasuredSince: (since: string) => Promise<{ id: string; zone: string }[]>;
  /** ACTIVE forecasts of low oxygen and requests to measure it. */
  openForecasts: () => Promise<OpenForecast[]>;
  forecastById: (alertId: string) => Promise<StoredForecast | null>;
};

/** An ACTIVE alert of one of these types. */
export type OpenForecast = { id: string; type: DawnAlert; pondId: string; triggeredAt: string };

/** The forecast of one pond and night, ACTIVE or not. */
export type StoredForecast = Pick<RowOf<typeof alert>, 'status' | 'severity' | 'value'> & {
  isByPerson: boolean;
};

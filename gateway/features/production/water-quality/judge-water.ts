import { WATER_FIELDS, type WaterField } from '#contract/resources/water-quality.ts';
import type { AlertCause, KnownSubject, OpenEpisode, SubjectNames } from '#core/alerting.ts';
import type { Language } from '#science/advice/language.ts';
import { waterAlertMessage } from '#science/advice/water-alert-text.ts';
import { implausibilitiesOf } from '#science/plausibility.ts';
import { severityWord } from '#science/severity.ts';
import {
  comparedValue,
  endsEpisode,
  parameterOf,
  WATER_ALERT_TYPES,
  type Water,
  type WaterAlertType,
  type WaterSample,
} from '#science/water-limits.ts';
import { type GradedViolation, gradedViolations } from '#science/water-status.ts';
import type { MeasurementRow, PondToMeasure } from './ports.ts';

/** A measurement before its pond's own limits. */
export type Judged = {
  /** With the salinity that counts for it, its own or the pond's last. */
  sample: WaterSample;
  violations: readonly GradedViolation[];
};

export function judged(water: Water, row: MeasurementRow, pondSalinityPpt: number | null): Judged {
  const own = sampleOf(row);
  return {
    sample: { ...own, salinity: own.salinity ?? pondSalinityPpt },
    violations: gradedViolations(water, own, pondSalinityPpt),
  };
}

export function sampleOf(row: MeasurementRow): WaterSample {
  return {
    temperature: row.temperature,
    dissolved_oxygen: row.dissolved_oxygen,
    ph: row.ph,
    salinity: row.salinity,
    alkalinity: row.alkalinity,
    ammonia: row.ammonia,
    nitrite: row.nitrite,
    nitrate: row.nitrate,
    transparency: row.transparency,
  };
}

/** Whether the pond's last known salinity matters for a measurement: it grades what dissolved salts protect from. */
export function wantsSalinity(row: MeasurementRow): boolean {
  return row.salinity === null && (row.ammonia !== null || row.nitrite !== null || row.nitrate !== null);
}

/**
 * Types whose episodes a measurement ends, with the parameters that were not measured again since. A value that no pond
 * can have (a probe out of order, a slip of the pen) says nothing is well.
 */
export function endedTypes(
  water: Water,
  sample: WaterSample,
  superseded: ReadonlySet<WaterField>,
): WaterAlertType[] {
  const doubted = new Set<WaterField>(implausibilitiesOf(water, sample).map(({ parameter }) => parameter));
  return WATER_ALERT_TYPES.filter((type) => {
    const parameter = parameterOf(type);
    if (superseded.has(parameter) || doubted.has(parameter)) return false;
    const value = comparedValue(water, sample, parameter);
    return value !== null && endsEpisode(water, type, value);
  });
}

export const everyField: ReadonlySet<WaterField> = new Set(WATER_FIELDS);

export type CauseFacts = {
  water: Water;
  pond: Pick<PondToMeasure, 'id' | 'cod' | 'farm_id'>;
  row: Pick<MeasurementRow, 'id' | 'measurement_date'>;
};

/** Names the alert of a measurement: the same on every instance. */
export const causeName = (measurementId: string, type: WaterAlertType): string =>
  `water:${measurementId}:${type}`;

export function causeOf(
  { water, pond, row }: CauseFacts,
  violation: GradedViolation,
  as: AlertCause['as'] & string,
): AlertCause & { words: (language: Language) => string } {
  const { type, parameter, value, threshold, severity } = violation;
  const word = severityWord(water, violation, severity);
  const words = (language: Language) => waterAlertMessage({ pond: pond.cod, violation, word }, language);
  return {
    farm_id: pond.farm_id,
    // the control point follows from the pond: a pond that gets another one takes its alerts along
    control_point_id: null,
    pond_id: pond.id,
    type,
    severity,
    message: words('pt-BR'),
    words,
    parameter,
    value,
    threshold,
    cause: causeName(row.id, type),
    at: Date.parse(row.measurement_date),
    as,
  };
}

export function knownOf(pond: PondToMeasure, open: OpenEpisode | null): KnownSubject {
  return { names: namesOf(pond), open };
}

function namesOf(pond: PondToMeasure): SubjectNames {
  const { id, cod, control_point_id, control_point_cod } = pond;
  return {
    farmName: pond.farm_name,
    pond: { id, cod },
    controlPoint:
      control_point_id === null || control_point_cod === null
        ? null
        : // the water is real, whatever airs it
          { id: control_point_id, cod: control_point_cod, isSimulated: false, ponds: [{ id, cod }] },
  };
}

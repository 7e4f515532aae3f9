import { type MeasurementUpdate, measurement } from '#contract/resources/water-quality.ts';
import type { Alerting } from '#core/alerting.ts';
import { remove, update } from '#core/changes.ts';
import { type CorrectionDeps, changesOf, correctionEntry } from '#core/correct-record.ts';
import { invalidField, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import { instantOnFarm, localDay } from '#core/zone-clock.ts';
import type { Language } from '#science/advice/language.ts';
import { alertsAfter } from './alerts-after-correction.ts';
import type { CorrectQueries, Measurement, MeasurementRow, PondToMeasure, ScienceOf } from './ports.ts';
import { guardsOf, hasValue, measuredAt, type WaterWarning, warningsOf } from './record-measurement.ts';

export type CorrectMeasurementDeps = CorrectionDeps &
  Pick<Kernel, 'now' | 'clockQuality'> & {
    queries: CorrectQueries;
    alerting: Alerting;
    scienceOf: ScienceOf;
  };

type By = { userId: string; language: Language };

/**
 * Decides a correction: the values, the audit entry with old and new ones, and what it means for the alerts. Fields left
 * out stay, null takes a value away. Throws 422 when no value would be left.
 */
export async function correctMeasurement(
  deps: CorrectMeasurementDeps,
  by: By,
  current: Measurement,
  { input, sentDate }: { input: MeasurementUpdate; sentDate: unknown },
): Promise<Decision<{ row: Measurement; warnings: WaterWarning[] }>> {
  const pond = await pondOf(deps, current);
  const { measurement_date, ...values } = input;
  const changed = changesOf<MeasurementRow>(current, {
    ...values,
    ...(measurement_date === undefined
      ? {}
      : { measurement_date: measuredAt(deps, instantOnFarm(measurement_date, sentDate, pond.timezone)) }),
  });
  if (changed === null) return { answer: { row: current, warnings: [] } };
  const set = { ...changed.after, updated_at: isoOf(deps.now()) };
  const row: Measurement = { ...current, ...set, rev: current.rev + 1 };
  if (!hasValue(row))
    throw invalidField(422, 'temperature', 'at least one value must stay; delete the measurement instead');
  const { water } = await deps.scienceOf(pond.farm_id);
  return {
    answer: { row, warnings: warningsOf(water, row, by.language) },
    changes: [
      update(measurement, current, set),
      correctionEntry(deps, { ...entryOf(by, pond, current), ...changed }),
      ...(await alertsAfter(deps, { water, pond, before: current, after: row })),
    ],
    guards: guardsOf(pond, true),
  };
}

/** Decides the end of a measurement; its values stay in the audit, and its alerts end with it. */
export async function deleteMeasurement(
  deps: CorrectMeasurementDeps,
  by: By,
  current: Measurement,
): Promise<Decision<void>> {
  const pond = await pondOf(deps, current);
  const { water } = await deps.scienceOf(pond.farm_id);
  const { rev: _rev, ...before } = current;
  return {
    answer: undefined,
    changes: [
      remove(measurement, current),
      correctionEntry(deps, { ...entryOf(by, pond, current), before, after: null }),
      ...(await alertsAfter(deps, { water, pond, before: current, after: null })),
    ],
    guards: guardsOf(pond, true),
  };
}

async function pondOf(deps: CorrectMeasurementDeps, { pond_id }: Measurement): Promise<PondToMeasure> {
  const pond = await deps.queries.pondToMeasure(pond_id);
  if (pond === null) throw notFound('Measurement');
  return pond;
}

function entryOf(by: By, pond: PondToMeasure, row: Measurement) {
  return {
    kind: 'measurement' as const,
    id: row.id,
    name: `Water of ${pond.cod}, ${localDay(row.measurement_date, pond.timezone)}`,
    farmId: pond.farm_id,
    userId: by.userId,
  };
}

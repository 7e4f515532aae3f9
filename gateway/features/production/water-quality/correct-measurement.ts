import {
  type MeasurementUpdate,
  measurement,
  WATER_FIELDS,
  type WaterField,
} from '#contract/resources/water-quality.ts';
import type { Alerting, OpenEpisode } from '#core/alerting.ts';
import { type Change, remove, update } from '#core/changes.ts';
import { type CorrectionDeps, changesOf, correctionEntry } from '#core/correct-record.ts';
import { invalidField, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import { instantOnFarm, localDay } from '#core/zone-clock.ts';
import type { Language } from '#science/advice/language.ts';
import { alertTypesOf, type Water, type WaterAlertType } from '#science/water-limits.ts';
import { causeName, causeOf, endedTypes, judged, knownOf } from './judge-water.ts';
import type { CorrectQueries, Measurement, MeasurementRow, PondToMeasure, ScienceOf } from './ports.ts';
import {
  guardsOf,
  hasValue,
  measuredAt,
  salinityFor,
  standingOf,
  supersededIn,
  type WaterWarning,
  warningsOf,
} from './record-measurement.ts';

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
      ...(await alertChanges(deps, { water, pond, before: current, after: row })),
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
      ...(await alertChanges(deps, { water, pond, before: current, after: null })),
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

type Correction = {
  water: Water;
  pond: PondToMeasure;
  before: Measurement;
  /** null: deleted. */
  after: MeasurementRow | null;
};

/**
 * The alerts as they would stand had the value been right at once: the measurement's own say what is so, and where it was
 * or is the newest of a parameter, the newest one decides whether there is trouble now.
 */
async function alertChanges(deps: CorrectMeasurementDeps, correction: Correction): Promise<Change[]> {
  const { pond, after } = correction;
  const open = pond.hasOpenAlerts ? await deps.queries.openEpisodes(pond.id) : [];
  const changes = new AlertChanges();
  const superseded = await supersededAfter(deps, correction);
  for (const parameter of WATER_FIELDS) {
    if (!touches(correction, parameter)) continue;
    // decides first, so that an alert that ends with its episode ends once
    if (after === null || after[parameter] === null || superseded.has(parameter)) {
      await letNewestDecide(deps, correction, { parameter, open, changes });
    } else {
      await endWhatEnds(deps, correction, { row: after, parameter, open, changes });
    }
    await reviseOwn(deps, correction, { parameter, open, changes, superseded });
  }
  return changes.all;
}

/** Collects changes of alerts; an alert changes once in a commit. */
class AlertChanges {
  readonly all: Change[] = [];
  readonly #changed = new Set<string>();

  add(changes: readonly Change[]): void {
    const isKnown = changes.some((change) => change.op === 'update' && this.#changed.has(change.id));
    if (isKnown) return;
    for (const change of changes) if (change.op === 'update') this.#changed.add(change.id);
    this.all.push(...changes);
  }
}

function touches({ before, after }: Correction, parameter: WaterField): boolean {
  if (alertTypesOf(parameter).length === 0) return false;
  const then = before[parameter];
  const now = after?.[parameter] ?? null;
  if (then === null && now === null) return false;
  return (
    after === null ||
    then !== now ||
    before.measurement_date !== after.measurement_date ||
    // what is compared of ammonia depends on these
    (parameter === 'ammonia' &&
      (before.ph !== after.ph ||
        before.temperature !== after.temperature ||
        before.salinity !== after.salinity)) ||
    (before.salinity !== after.salinity && (parameter === 'nitrite' || parameter === 'nitrate'))
  );
}

type Turn = { parameter: WaterField; open: readonly OpenEpisode[]; changes: AlertChanges };

/** Parameters that were measured again after the corrected date. */
async function supersededAfter(
  { queries }: CorrectMeasurementDeps,
  { pond, before, after }: Correction,
): Promise<ReadonlySet<WaterField>> {
  if (after === null) return new Set();
  // the newest of the pond was this very measurement, at its wrong date
  const isMovedBack =
    before.measurement_date === pond.newest_at && after.measurement_date < before.measurement_date;
  return isMovedBack
    ? queries.measuredAfter(pond.id, after.measurement_date, after.id)
    : supersededIn(queries, after, pond.newest_at);
}

/** The corrected measurement no longer speaks for this parameter; the newest that does, does. */
async function letNewestDecide(
  deps: CorrectMeasurementDeps,
  correction: Correction,
  turn: Turn,
): Promise<void> {
  const { water, pond, before } = correction;
  const newest = await deps.queries.newestWith(pond.id, turn.parameter, before.id);
  // it was behind already: nothing that stands now rests on it
  if (newest === null || newest.measurement_date > before.measurement_date || before[turn.parameter] === null)
    return;
  await endWhatEnds(deps, correction, { ...turn, row: newest });
  const { violations } = judged(water, newest, await salinityFor(deps.queries, newest));
  for (const violation of violations.filter(({ parameter }) => parameter === turn.parameter)) {
    const cause = causeOf(
      { water, pond, row: newest },
      violation,
      newest.source === 'import' ? 'quiet' : 'news',
    );
    const revised = await deps.alerting.revise(cause.cause, cause);
    turn.changes.add(revised ?? (await deps.alerting.raise(cause, known(pond, turn.open, violation.type))));
  }
}

async function endWhatEnds(
  deps: CorrectMeasurementDeps,
  { water, pond }: Correction,
  { row, parameter, open, changes }: Turn & { row: MeasurementRow },
): Promise<void> {
  const { sample } = judged(water, row, await salinityFor(deps.queries, row));
  const ended = endedTypes(water, sample, new Set());
  for (const type of alertTypesOf(parameter)) {
    if (!ended.includes(type) || !open.some((episode) => episode.type === type)) continue;
    changes.add(await deps.alerting.resolve({ type, pond_id: pond.id }));
  }
}

async function reviseOwn(
  deps: CorrectMeasurementDeps,
  { water, pond, before, after }: Correction,
  { parameter, open, changes, superseded }: Turn & { superseded: ReadonlySet<WaterField> },
): Promise<void> {
  const violations =
    after === null ? [] : judged(water, after, await salinityFor(deps.queries, after)).violations;
  for (const type of alertTypesOf(parameter)) {
    const violation = violations.find((each) => each.type === type);
    if (after === null || violation === undefined) {
      changes.add((await deps.alerting.revise(causeName(before.id, type), null)) ?? []);
      continue;
    }
    const cause = causeOf(
      { water, pond, row: after },
      violation,
      standingOf({ superseded, row: after }, violation),
    );
    const revised = await deps.alerting.revise(cause.cause, cause);
    changes.add(revised ?? (await deps.alerting.raise(cause, known(pond, open, type))));
  }
}

function known(pond: PondToMeasure, open: readonly OpenEpisode[], type: WaterAlertType) {
  return knownOf(pond, open.find((episode) => episode.type === type) ?? null);
}

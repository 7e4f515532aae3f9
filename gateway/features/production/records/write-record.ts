import type { RowOf } from '#contract/resource.ts';
import {
  farmRecord,
  type RecordCreate,
  type RecordKind,
  type RecordUpdate,
} from '#contract/resources/farm-records.ts';
import { asParent, type GuardSeen, insert, remove, update } from '#core/changes.ts';
import { changesOf, correctionEntry } from '#core/correct-record.ts';
import { conflict, invalidField, notFound } from '#core/errors.ts';
import { notAhead } from '#core/facts-of-now.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { dayAfter, instantOnFarm, localDay, startOfDay } from '#core/zone-clock.ts';
import type { Language } from '#science/advice/language.ts';
import type { FarmRecord, Place, RecordQueries } from './ports.ts';
import { requireOfKind, toldOf } from './record-fields.ts';
import { requireMeal, requireTold } from './record-rules.ts';
import { meterWarnings, type RecordWarning, recordWarnings } from './record-warnings.ts';

export type WriteRecordDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'guard' | 'clockQuality'> & {
  queries: RecordQueries;
};

/** Of one pond, batch or control point and day of the farm: no farm writes that much, and a program gone wild would. */
export const MOST_A_DAY = 200;

type Written<Row> = Decision<{ row: Row; warnings: RecordWarning[] }>;
type Sent = { sentDate: unknown; language: Language };

export async function requirePlace(
  { queries }: { queries: Pick<RecordQueries, 'place'> },
  kind: Place['kind'],
  ref: string,
): Promise<Place> {
  const place = await queries.place(kind, ref);
  if (place === null)
    throw notFound({ pond: 'Pond', batch: 'Batch', control_point: 'Control point', farm: 'Farm' }[kind]);
  return place;
}

/**
 * Decides a new record of a place. Throws 409 for an id that is taken, or more than MOST_A_DAY of one day; 422 for a day more
 * than one ahead.
 *
 * @param sentDate the date as it came: a bare day begins on the farm, not in UTC
 */
export async function writeRecord(
  deps: WriteRecordDeps,
  caller: Caller,
  at: { kind: Place['kind']; ref: string },
  { input, sentDate, language }: Sent & { input: RecordCreate },
): Promise<Written<RowOf<typeof farmRecord>>> {
  const { id } = await requirePlace(deps, at.kind, at.ref);
  const guard = asParent(await deps.guard(at.kind, id));
  // read again behind its guard: one that was deleted between the two is told as missing
  const place = await requirePlace(deps, at.kind, id);
  if (input.id !== undefined && (await deps.queries.recordIdTaken(input.id)))
    throw conflict('This id is taken', 'ID_TAKEN');
  const now = isoOf(deps.now());
  const happenedAt =
    input.happened_at === undefined ? now : dateOf(deps, place, { instant: input.happened_at, sentDate });
  const room = await requireRoom(deps, place, happenedAt);
  const row: RowOf<typeof farmRecord> = {
    id: input.id ?? deps.newId(),
    farm_id: place.farm_id,
    pond_id: place.kind === 'pond' ? place.id : null,
    batch_id: place.kind === 'batch' ? place.id : null,
    control_point_id: place.kind === 'control_point' ? place.id : null,
    happened_at: happenedAt,
    ...toldOf(input),
    created_by: caller.userId,
    clock_quality: deps.clockQuality(),
    created_at: now,
    updated_at: null,
  };
  requireTold(deps, row, place.timezone);
  await requireMeal(deps, row, { isNamed: true });
  return {
    answer: { row, warnings: await warningsOf(deps, { row, place }, language) },
    changes: [insert(farmRecord, row)],
    guards: [guard, room],
  };
}

async function warningsOf(
  deps: WriteRecordDeps,
  { row, place }: { row: RowOf<typeof farmRecord>; place: Place },
  language: Language,
): Promise<RecordWarning[]> {
  const beside = row.meter === null ? null : await deps.queries.readingsBeside(row);
  return [
    ...recordWarnings(deps, { row, place }, language),
    ...(beside === null ? [] : meterWarnings(row, beside, language)),
  ];
}

/** Decides a correction. Fields left out stay; what changes nothing leaves no entry. */
export async function changeRecord(
  deps: WriteRecordDeps,
  caller: Caller,
  current: FarmRecord,
  { input, sentDate, language }: Sent & { input: RecordUpdate },
): Promise<Written<FarmRecord>> {
  requireOfKind(current, input);
  const place = await placeOf(deps, current);
  const { pond_id, happened_at, ...fields } = input;
  const pond = pond_id === undefined ? place : await pondOnFarm(deps, pond_id, current.farm_id);
  const happenedAt =
    happened_at === undefined ? current.happened_at : dateOf(deps, place, { instant: happened_at, sentDate });
  const changed = changesOf(current, {
    ...fields,
    ...(pond_id === undefined ? {} : { pond_id: pond.id }),
    happened_at: happenedAt,
  });
  if (changed === null) return { answer: { row: current, warnings: [] } };
  const isMoved = localDay(happenedAt, place.timezone) !== localDay(current.happened_at, place.timezone);
  const guards = isMoved || pond.id !== place.id ? [await requireRoom(deps, pond, happenedAt)] : [];
  const set = { ...changed.after, updated_at: isoOf(deps.now()) };
  const row: FarmRecord = { ...current, ...set, rev: current.rev + 1 };
  requireTold(deps, row, place.timezone);
  await requireMeal(deps, row, { isNamed: row.feeding_id !== current.feeding_id });
  return {
    answer: { row, warnings: await warningsOf(deps, { row, place: pond }, language) },
    changes: [
      update(farmRecord, current, set),
      correctionEntry(deps, { ...entryOf(caller, place, current), ...changed }),
    ],
    guards,
  };
}

/** Decides the end of a record; its values stay in the audit. */
export async function deleteRecord(
  deps: WriteRecordDeps,
  caller: Caller,
  current: FarmRecord,
): Promise<Decision<void>> {
  const { rev: _rev, ...before } = current;
  const entry = correctionEntry(deps, {
    ...entryOf(caller, await placeOf(deps, current), current),
    before,
    after: null,
  });
  return { answer: undefined, changes: [remove(farmRecord, current), entry] };
}

const CALLED: Readonly<Record<RecordKind, string>> = {
  TREATMENT: 'Treatment',
  WATER_EXCHANGE: 'Water exchange',
  NOTE: 'Note',
  DISEASE: 'Signs of disease',
  LAB: 'Laboratory result',
  FEED_TRAYS: 'Feeding trays',
  PREPARATION: 'Pond preparation',
  METER: 'Meter reading',
};

function entryOf(caller: Caller, place: Place, row: FarmRecord) {
  const of = row.kind === 'TREATMENT' ? (row.product ?? '') : (row.step ?? row.disease ?? row.meter);
  const what = of === null ? CALLED[row.kind] : `${CALLED[row.kind]} (${of})`;
  return {
    kind: 'farm_record' as const,
    id: row.id,
    name: `${what} of ${place.name}, ${localDay(row.happened_at, place.timezone)}`,
    farmId: row.farm_id,
    userId: caller.userId,
  };
}

export function placeOf(
  deps: { queries: Pick<RecordQueries, 'place'> },
  {
    farm_id,
    pond_id,
    batch_id,
    control_point_id,
  }: Pick<FarmRecord, 'farm_id' | 'pond_id' | 'batch_id' | 'control_point_id'>,
): Promise<Place> {
  if (pond_id !== null) return requirePlace(deps, 'pond', pond_id);
  if (batch_id !== null) return requirePlace(deps, 'batch', batch_id);
  return control_point_id === null
    ? requirePlace(deps, 'farm', farm_id)
    : requirePlace(deps, 'control_point', control_point_id);
}

/** Throws 422 unless the pond lies on that farm. */
async function pondOnFarm(deps: WriteRecordDeps, ref: string, farmId: string): Promise<Place> {
  const pond = await deps.queries.place('pond', ref);
  if (pond?.farm_id !== farmId) throw invalidField(422, 'pond_id', 'no such pond on the farm of this record');
  return pond;
}

function dateOf(
  deps: Pick<Kernel, 'now' | 'clockQuality'>,
  { timezone }: Place,
  { instant, sentDate }: { instant: string; sentDate: unknown },
): string {
  return notAhead(deps, 'happened_at', instantOnFarm(instant, sentDate, timezone), timezone);
}

/** Counted and written are one step, behind the guard that it answers: of many at the same moment none is one too many. */
async function requireRoom(deps: WriteRecordDeps, place: Place, at: string): Promise<GuardSeen> {
  const guard = await deps.guard('records', place.id);
  const day = localDay(at, place.timezone);
  const span = {
    from: startOfDay(day, place.timezone),
    before: startOfDay(dayAfter(day, 1), place.timezone),
  };
  if ((await deps.queries.countBetween(place, span)) < MOST_A_DAY) return guard;
  throw conflict(
    `${place.name} has ${MOST_A_DAY} records of ${day} already: correct one of them, or delete some`,
    'TOO_MANY_RECORDS',
  );
}

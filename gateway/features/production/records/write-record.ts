import type { RowOf } from '#contract/resource.ts';
import {
  DOSE_UNITS,
  EXCHANGE_UNITS,
  farmRecord,
  METER_UNITS,
  MOST_DOSE,
  PREPARATION_UNITS,
  type RecordCreate,
  type RecordKind,
  type RecordUpdate,
} from '#contract/resources/farm-records.ts';
import { LAB_UNITS } from '#contract/resources/health-records.ts';
import { asParent, insert, remove, update } from '#core/changes.ts';
import { changesOf, correctionEntry } from '#core/correct-record.ts';
import { conflict, invalidField, notFound } from '#core/errors.ts';
import { notAhead } from '#core/facts-of-now.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { dayAfter, instantOnFarm, localDay, startOfDay } from '#core/zone-clock.ts';
import type { Language } from '#science/advice/language.ts';
import type { FarmRecord, Place, RecordQueries } from './ports.ts';
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
  await requireRoom(deps, place, happenedAt);
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
    guards: [guard],
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

function toldOf(input: RecordCreate) {
  const nothing = {
    product: null,
    product_kind: null,
    product_lot: null,
    amount: null,
    unit: null,
    responsible: null,
    withdrawal_days: null,
    source: null,
    signs: null,
    affected_percent: null,
    severity: null,
    disease: null,
    disease_name: null,
    sample: null,
    method: null,
    result: null,
    result_on: null,
    report_number: null,
    trays: null,
    feeding_id: null,
    step: null,
    ended_on: null,
    meter: null,
    meter_factor: null,
    meter_change: null,
  };
  const { kind } = input;
  switch (kind) {
    case 'TREATMENT':
      return {
        ...nothing,
        kind,
        text: input.text ?? null,
        product: input.product,
        product_kind: input.product_kind,
        product_lot: input.product_lot ?? null,
        amount: input.amount,
        unit: input.unit,
        responsible: input.responsible ?? null,
        withdrawal_days: input.withdrawal_days ?? null,
      };
    case 'WATER_EXCHANGE':
      return {
        ...nothing,
        kind,
        text: input.text ?? null,
        amount: input.amount,
        unit: input.unit,
        responsible: input.responsible ?? null,
        source: input.source ?? null,
      };
    case 'NOTE':
      return { ...nothing, kind, text: input.text };
    case 'DISEASE':
      return {
        ...nothing,
        kind,
        text: input.text ?? null,
        responsible: input.responsible ?? null,
        signs: input.signs,
        affected_percent: input.affected_percent ?? null,
        severity: input.severity ?? null,
        disease: input.disease ?? null,
        disease_name: input.disease_name ?? null,
      };
    case 'LAB':
      return {
        ...nothing,
        kind,
        text: input.text ?? null,
        amount: input.amount ?? null,
        unit: input.unit ?? null,
        responsible: input.responsible ?? null,
        source: input.source,
        sample: input.sample,
        method: input.method,
        disease: input.disease,
        disease_name: input.disease_name ?? null,
        result: input.result ?? null,
        result_on: input.result_on ?? null,
        report_number: input.report_number ?? null,
      };
    case 'FEED_TRAYS':
      return {
        ...nothing,
        kind,
        text: input.text ?? null,
        responsible: input.responsible ?? null,
        trays: input.trays,
        feeding_id: input.feeding_id ?? null,
      };
    case 'PREPARATION':
      return {
        ...nothing,
        kind,
        text: input.text ?? null,
        product: input.product ?? null,
        product_lot: input.product_lot ?? null,
        amount: input.amount ?? null,
        unit: input.unit ?? null,
        responsible: input.responsible ?? null,
        source: input.source ?? null,
        step: input.step,
        ended_on: input.ended_on ?? null,
      };
    case 'METER':
      return {
        ...nothing,
        kind,
        text: input.text ?? null,
        amount: input.amount,
        unit: 'kWh' as const,
        responsible: input.responsible ?? null,
        meter: input.meter,
        meter_factor: input.meter_factor ?? null,
        meter_change: input.meter_change ?? null,
      };
  }
}

/** Which fields a correction may name. */
const FIELDS: Readonly<Record<RecordKind, ReadonlySet<keyof RecordUpdate>>> = {
  TREATMENT: new Set([
    'pond_id',
    'happened_at',
    'text',
    'product',
    'product_kind',
    'product_lot',
    'amount',
    'unit',
    'responsible',
    'withdrawal_days',
  ]),
  WATER_EXCHANGE: new Set(['pond_id', 'happened_at', 'text', 'amount', 'unit', 'responsible', 'source']),
  NOTE: new Set(['happened_at', 'text']),
  DISEASE: new Set([
    'pond_id',
    'happened_at',
    'text',
    'responsible',
    'signs',
    'affected_percent',
    'severity',
    'disease',
    'disease_name',
  ]),
  LAB: new Set([
    'pond_id',
    'happened_at',
    'text',
    'amount',
    'unit',
    'responsible',
    'source',
    'sample',
    'method',
    'disease',
    'disease_name',
    'result',
    'result_on',
    'report_number',
  ]),
  FEED_TRAYS: new Set(['pond_id', 'happened_at', 'text', 'responsible', 'trays', 'feeding_id']),
  PREPARATION: new Set([
    'pond_id',
    'happened_at',
    'text',
    'product',
    'product_lot',
    'amount',
    'unit',
    'responsible',
    'source',
    'step',
    'ended_on',
  ]),
  METER: new Set([
    'happened_at',
    'text',
    'amount',
    'unit',
    'responsible',
    'meter',
    'meter_factor',
    'meter_change',
  ]),
};

const UNITS: Readonly<Record<RecordKind, readonly string[]>> = {
  TREATMENT: DOSE_UNITS,
  WATER_EXCHANGE: EXCHANGE_UNITS,
  NOTE: [],
  DISEASE: [],
  LAB: LAB_UNITS,
  FEED_TRAYS: [],
  PREPARATION: PREPARATION_UNITS,
  METER: METER_UNITS,
};

/** Throws for what the schema lets through, and a record of that kind has not. */
function requireOfKind({ kind, pond_id }: FarmRecord, input: RecordUpdate): void {
  // the schema let no other names through
  for (const [field, value] of Object.entries(input))
    if (value !== undefined && value !== null && !FIELDS[kind].has(field as keyof RecordUpdate))
      throw invalidField(422, field, `a record of kind ${kind} has no such field`, 'OTHER_KIND');
  if (input.pond_id !== undefined && pond_id === null)
    throw invalidField(422, 'pond_id', 'a record of a batch has no pond', 'OTHER_KIND');
  const { unit, amount } = input;
  if (unit !== undefined && unit !== null && !UNITS[kind].includes(unit))
    throw invalidField(422, 'unit', `must be one of ${UNITS[kind].join(', ')}`);
  if (kind === 'TREATMENT' || kind === 'WATER_EXCHANGE') {
    if (unit === null) throw invalidField(422, 'unit', 'a dose and an exchange have a unit');
    if (amount !== undefined && (amount === null || amount <= 0 || amount > MOST_DOSE))
      throw invalidField(422, 'amount', `must be above 0 and at most ${MOST_DOSE}`);
  }
  if (kind === 'PREPARATION' && typeof amount === 'number' && (amount <= 0 || amount > MOST_DOSE))
    throw invalidField(422, 'amount', `must be above 0 and at most ${MOST_DOSE}`);
  if (kind === 'TREATMENT' && input.product === null)
    throw invalidField(422, 'product', 'a treatment has a product');
  if (kind === 'NOTE' && (input.text === null || input.text === ''))
    throw invalidField(422, 'text', 'a note needs a text; to be rid of it, delete it');
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
  if (isMoved || pond.id !== place.id) await requireRoom(deps, pond, happenedAt);
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

async function requireRoom({ queries }: WriteRecordDeps, place: Place, at: string): Promise<void> {
  const day = localDay(at, place.timezone);
  const span = {
    from: startOfDay(day, place.timezone),
    before: startOfDay(dayAfter(day, 1), place.timezone),
  };
  if ((await queries.countBetween(place, span)) < MOST_A_DAY) return;
  throw conflict(
    `${place.name} has ${MOST_A_DAY} records of ${day} already: correct one of them, or delete some`,
    'TOO_MANY_RECORDS',
  );
}

import {
  DOSE_UNITS,
  EXCHANGE_UNITS,
  METER_UNITS,
  MOST_DOSE,
  NOTHING_TOLD,
  PREPARATION_UNITS,
  type RecordCreate,
  type RecordKind,
  type RecordUpdate,
} from '#contract/resources/farm-records.ts';
import { LAB_UNITS } from '#contract/resources/health-records.ts';
import { invalidField } from '#core/errors.ts';
import type { FarmRecord } from './ports.ts';

// What a record of each kind holds: its fields, and what a correction may say of them.

/** What a new record says, the fields of other kinds null. */
export function toldOf(input: RecordCreate) {
  const { kind } = input;
  switch (kind) {
    case 'TREATMENT':
      return {
        ...NOTHING_TOLD,
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
        ...NOTHING_TOLD,
        kind,
        text: input.text ?? null,
        amount: input.amount,
        unit: input.unit,
        responsible: input.responsible ?? null,
        source: input.source ?? null,
      };
    case 'NOTE':
      return { ...NOTHING_TOLD, kind, text: input.text };
    case 'DISEASE':
      return {
        ...NOTHING_TOLD,
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
        ...NOTHING_TOLD,
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
        ...NOTHING_TOLD,
        kind,
        text: input.text ?? null,
        responsible: input.responsible ?? null,
        trays: input.trays,
        feeding_id: input.feeding_id ?? null,
      };
    case 'PREPARATION':
      return {
        ...NOTHING_TOLD,
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
        ...NOTHING_TOLD,
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
export function requireOfKind({ kind, pond_id }: FarmRecord, input: RecordUpdate): void {
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

import { audit } from './audit.ts';
import type { Change } from './changes.ts';
import type { Kernel } from './kernel.ts';

/** Records of the farm that are corrected or deleted after the fact. */
export type RecordKind =
  | 'biometry'
  | 'feeding_record'
  | 'measurement'
  | 'expense'
  | 'harvest'
  | 'transfer'
  | 'loss'
  | 'farm_record'
  | 'feed_stock'
  | 'harvest_lot'
  | 'task'
  | 'task_mark'
  | 'photo';

export type CorrectionDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'>;

export type Correction = {
  kind: RecordKind;
  id: string;
  /** What people know it by, for example the code of the batch and the day. */
  name: string;
  farmId: string;
  userId: string;
  /** The fields that change, as they were; of a deleted record all of them. */
  before: Record<string, unknown>;
  /** The same fields as they are now; null: the record is gone. */
  after: Record<string, unknown> | null;
};

/** The audit entry of a correction, with old and new values, for the commit that does it. */
export function correctionEntry(deps: CorrectionDeps, correction: Correction): Change {
  const { kind, id, name, farmId, userId, before, after } = correction;
  return audit(deps, {
    farm_id: farmId,
    entity_type: 'SYSTEM',
    entity_id: id,
    entity_name: name,
    action: after === null ? 'delete' : 'update',
    user_id: userId,
    details: { record: kind, before, ...(after === null ? {} : { after }) },
  });
}

/** What an input changes of a row, before and after; null: nothing. Fields left out stay. */
export function changesOf<Row extends Record<string, unknown>>(
  row: Row,
  input: Readonly<{ [Field in keyof Row]?: Row[Field] | undefined }>,
): { before: Partial<Row>; after: Partial<Row> } | null {
  const changed = Object.entries(input).filter(
    ([field, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(row[field]),
  );
  if (changed.length === 0) return null;
  const before = Object.fromEntries(changed.map(([field]) => [field, row[field]] as const));
  // the fields of `input` are fields of `Row`, with its types
  return { before: before as Partial<Row>, after: Object.fromEntries(changed) as Partial<Row> };
}

/** Details of an entry as they are told to who may not read the farm's finance: that it was corrected, not the amounts. */
export function withoutAmounts(details: Record<string, unknown> | null): Record<string, unknown> | null {
  if (details === null || details['record'] === 'expense') return null;
  return Object.fromEntries(
    Object.entries(details)
      .filter(([field]) => !AMOUNTS.has(field))
      .map(([field, value]) => [field, BESIDE.has(field) ? withoutAmountsIn(value) : value]),
  );
}

const AMOUNTS: ReadonlySet<string> = new Set(['cost_per_kg', 'price_per_kg']);
/** What a record was before and is after. */
const BESIDE: ReadonlySet<string> = new Set(['before', 'after', 'classes']);

function withoutAmountsIn(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value)
    ? value.map(withoutAmountsIn)
    : withoutAmounts(value as Record<string, unknown>);
}

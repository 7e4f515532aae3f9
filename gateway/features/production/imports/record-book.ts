import type { ImportKind } from '#contract/resources/imports.ts';
import { meterKey } from '#contract/resources/meter-readings.ts';
import { WATER_FIELDS } from '#contract/resources/water-quality.ts';
import { dayAfter, localDay, startOfDay } from '#core/zone-clock.ts';
import type { ImportDeps, OnRecord, Place, RowFacts } from './ports.ts';
import type { Identified } from './read-rows.ts';

/** `other`: the row further up that says the same. */
type Known = { is: 'same' | 'beside'; sentence: string; other?: string };

/**
 * Holds the rows of a file against what is on record, however it came there: an export sent back, or what somebody typed,
 * is the same thing although its id is another. Of equal rows as many are known as are on record.
 */
export function createRecordBook(deps: Pick<ImportDeps, 'queries'>, kind: ImportKind, facts: RowFacts) {
  /** Ids that the file itself brings: a record of one of them is that row, and no other. */
  const own = new Set<string>();
  const consumed = new Set<string>();
  const rowByKey = new Map<string, number>();
  return {
    expect: (id: string): void => void own.add(id),
    /** By id of the row: what is on record of it, or stands further up in the file. */
    async look(rows: readonly Identified[]): Promise<Map<string, Known>> {
      const known = new Map<string, Known>();
      if (kind === 'batches' || rows.length === 0) return known;
      const sought = rows.map((row) => ({ row, place: placeOf(row, facts), key: keyOf(kind, row) }));
      const records = await deps.queries.onRecordAt(kind, stretchesOf(sought.map(({ place }) => place)));
      for (const { row, place, key } of sought) {
        const near = records.filter(
          (record) => !own.has(record.id) && isAt(record, place) && isOfPond(record, row),
        );
        const same = near.find((record) => !consumed.has(record.id) && isSame(kind, record, row));
        if (same !== undefined) {
          consumed.add(same.id);
          known.set(row.id, {
            is: 'same',
            sentence: row.isTimed ? 'SAME_TIME_SAME_VALUES' : 'SAME_DAY_SAME_AMOUNT',
          });
          continue;
        }
        const other = rowByKey.get(key);
        if (other === undefined) rowByKey.set(key, row.row);
        // the meals of one row may well be alike
        if (other !== undefined && other !== row.row)
          known.set(row.id, { is: 'beside', sentence: 'IDENTICAL_ROW', other: String(other) });
        else if (near.length > 0 && (row.isTimed || kind === 'biometries'))
          known.set(row.id, { is: 'beside', sentence: 'OTHER_VALUE_THERE' });
      }
      return known;
    },
  };
}

/** Rows of a probe are minutes apart: one stretch holds them, with what lies between, and is asked about once. */
const APART_MS = 15 * 60_000;

function stretchesOf(places: readonly Place[]): Place[] {
  const stretches: Place[] = [];
  const inOrder = places.toSorted((one, other) =>
    one.parentId === other.parentId
      ? one.from < other.from
        ? -1
        : 1
      : one.parentId < other.parentId
        ? -1
        : 1,
  );
  for (const place of inOrder) {
    const last = stretches.at(-1);
    const isNear =
      last?.parentId === place.parentId && Date.parse(place.from) - Date.parse(last.before) <= APART_MS;
    if (isNear)
      stretches[stretches.length - 1] = {
        ...last,
        before: place.before > last.before ? place.before : last.before,
      };
    else stretches.push(place);
  }
  return stretches;
}

/** The second of a row with a time; the day of one without. */
function placeOf({ planned, isTimed }: Identified, { clock }: RowFacts): Place {
  const at = instantOf(planned.content);
  const parentId = planned.parent.id;
  if (isTimed) {
    const from = Math.floor(Date.parse(at) / 1000) * 1000;
    return { parentId, from: new Date(from).toISOString(), before: new Date(from + 1000).toISOString() };
  }
  const day = localDay(at, clock);
  return { parentId, from: startOfDay(day, clock), before: startOfDay(dayAfter(day, 1), clock) };
}

const instantOf = (content: Readonly<Record<string, unknown>>): string =>
  String(content['measurement_date'] ?? content['feed_date'] ?? content['happened_at']);

const isAt = ({ parentId, at }: OnRecord, place: Place): boolean =>
  parentId === place.parentId && at >= place.from && at < place.before;

/** A record of the whole batch may be of any of its ponds; a reading is of its meter. */
function isOfPond({ values }: OnRecord, { planned: { content } }: Identified): boolean {
  if ('meter' in content)
    return (
      values['kind'] === 'METER' && meterKey(String(values['meter'])) === meterKey(String(content['meter']))
    );
  const [one, other] = [values['pond_id'] ?? null, content['pond_id'] ?? null];
  return one === null || other === null || one === other;
}

/** What an amount is told by, with the digits that an export keeps. */
const AMOUNTS: Readonly<Record<Exclude<ImportKind, 'batches'>, Readonly<Record<string, number>>>> = {
  biometries: { sample_size: 0, total_weight_g: 0.00006 },
  feeding: { quantity_kg: 0.0006 },
  measurements: Object.fromEntries(WATER_FIELDS.map((field) => [field, 1e-9])),
  meters: { amount: 0.0006 },
};

function isSame(
  kind: Exclude<ImportKind, 'batches'>,
  { values }: OnRecord,
  { planned: { content } }: Identified,
): boolean {
  if (kind === 'feeding' && values['feed_type'] !== content['feed_type']) return false;
  const amounts = Object.entries(AMOUNTS[kind]);
  // an export of the interface has not all that was measured
  return amounts.every(([name, within]) => {
    const [one, other] = [values[name] ?? null, content[name] ?? null];
    if (one === null || other === null) return one === other || (kind === 'measurements' && other === null);
    return Math.abs(Number(one) - Number(other)) <= within;
  });
}

function keyOf(kind: Exclude<ImportKind, 'batches'>, { planned: { content, parent } }: Identified): string {
  const amounts = Object.keys(AMOUNTS[kind]).map((name) => content[name] ?? null);
  return JSON.stringify([
    parent.id,
    instantOf(content),
    content['feed_type'] ?? null,
    content['pond_id'] ?? null,
    content['meter'] ?? null,
    amounts,
  ]);
}

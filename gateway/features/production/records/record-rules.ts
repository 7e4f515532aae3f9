import type { RowOf } from '#contract/resource.ts';
import type { farmRecord } from '#contract/resources/farm-records.ts';
import { invalidField } from '#core/errors.ts';
import { requireNotAhead } from '#core/facts-of-now.ts';
import type { Kernel } from '#core/kernel.ts';
import { localDay } from '#core/zone-clock.ts';
import type { RecordQueries } from './ports.ts';

// What a record of each kind must say, beyond the form of its fields.

/**
 * Throws 422 unless the meal that trays are said to be of was given before, in that pond. One that is on record already and was
 * deleted since leaves what was seen.
 */
export async function requireMeal(
  { queries }: { queries: Pick<RecordQueries, 'mealById' | 'batchesEverIn'> },
  row: RowOf<typeof farmRecord>,
  { isNamed }: { isNamed: boolean },
): Promise<void> {
  if (row.feeding_id === null || row.pond_id === null) return;
  const meal = await queries.mealById(row.feeding_id);
  if (meal === null && !isNamed) return;
  const isOfPond =
    meal !== null &&
    (meal.pond_id === row.pond_id ||
      (meal.pond_id === null && (await queries.batchesEverIn([row.pond_id])).includes(meal.batch_id)));
  if (!isOfPond) throw invalidField(422, 'feeding_id', 'no such feeding in this pond');
  if (row.happened_at < meal.feed_date)
    throw invalidField(422, 'happened_at', `lies before the meal that was on the trays (${meal.feed_date})`);
}

/**
 * Throws 422 unless signs of disease say something, a laboratory result says of what, by when and in what it counts, and of the
 * trays at least one was looked at.
 */
export function requireTold(
  deps: Pick<Kernel, 'now' | 'clockQuality'>,
  row: RowOf<typeof farmRecord>,
  timezone: string,
): void {
  if (row.kind === 'DISEASE') {
    const saysNothing = (row.signs ?? []).length === 0 && row.disease === null && !row.text;
    if (saysNothing) throw invalidField(422, 'signs', 'name a sign, a disease that is suspected, or a text');
  }
  if (row.kind === 'FEED_TRAYS' && (row.trays ?? []).every((each) => each.left_percent === null))
    throw invalidField(422, 'trays', 'say what was left on at least one tray', 'NO_TRAY_SEEN');
  if (row.kind === 'PREPARATION') requireSpan(deps, row, timezone);
  if (row.kind === 'METER') {
    if (row.meter === null) throw invalidField(422, 'meter', 'say which meter was read');
    if (row.amount === null) throw invalidField(422, 'amount', 'say what the counter showed');
    requireUnit(row);
  }
  if (row.kind !== 'LAB') return;
  if (row.disease === null) throw invalidField(422, 'disease', 'say what was looked for');
  if (row.source === null) throw invalidField(422, 'source', 'say which laboratory it was');
  if (row.disease === 'OTHER' && row.disease_name === null)
    throw invalidField(422, 'disease_name', 'say what was looked for, as disease is OTHER');
  requireUnit(row);
  if (row.result_on === null) return;
  requireNotAhead(deps, 'result_on', row.result_on, timezone);
  const sampled = localDay(row.happened_at, timezone);
  if (row.result_on < sampled)
    throw invalidField(422, 'result_on', `lies before the sample was taken (${sampled})`);
}

function requireUnit({ amount, unit }: Pick<RowOf<typeof farmRecord>, 'amount' | 'unit'>): void {
  if ((amount === null) === (unit === null)) return;
  throw invalidField(422, unit === null ? 'unit' : 'amount', 'a figure has a unit, and a unit a figure');
}

/** Throws 422 for a preparation that ended before it began, or beyond tomorrow. */
function requireSpan(
  deps: Pick<Kernel, 'now' | 'clockQuality'>,
  row: RowOf<typeof farmRecord>,
  timezone: string,
): void {
  requireUnit(row);
  if (row.ended_on === null) return;
  requireNotAhead(deps, 'ended_on', row.ended_on, timezone);
  const began = localDay(row.happened_at, timezone);
  if (row.ended_on < began)
    throw invalidField(422, 'ended_on', `lies before the day it began (${began})`, 'ENDS_BEFORE_BEGIN');
}

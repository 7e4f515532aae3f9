import type { RowOf } from '#contract/resource.ts';
import type { farmRecord } from '#contract/resources/farm-records.ts';
import { invalidField } from '#core/errors.ts';
import { requireNotAhead } from '#core/facts-of-now.ts';
import type { Kernel } from '#core/kernel.ts';
import { localDay } from '#core/zone-clock.ts';

/** Throws 422 unless signs of disease say something, and a laboratory result says of what, by when and in what it counts. */
export function requireTold(
  deps: Pick<Kernel, 'now' | 'clockQuality'>,
  row: RowOf<typeof farmRecord>,
  timezone: string,
): void {
  if (row.kind === 'DISEASE') {
    const saysNothing = (row.signs ?? []).length === 0 && row.disease === null && !row.text;
    if (saysNothing) throw invalidField(422, 'signs', 'name a sign, a disease that is suspected, or a text');
  }
  if (row.kind !== 'LAB') return;
  if (row.disease === null) throw invalidField(422, 'disease', 'say what was looked for');
  if (row.source === null) throw invalidField(422, 'source', 'say which laboratory it was');
  if (row.disease === 'OTHER' && row.disease_name === null)
    throw invalidField(422, 'disease_name', 'say what was looked for, as disease is OTHER');
  if ((row.amount === null) !== (row.unit === null))
    throw invalidField(
      422,
      row.unit === null ? 'unit' : 'amount',
      'a figure has a unit, and a unit a figure',
    );
  if (row.result_on === null) return;
  requireNotAhead(deps, 'result_on', row.result_on, timezone);
  const sampled = localDay(row.happened_at, timezone);
  if (row.result_on < sampled)
    throw invalidField(422, 'result_on', `lies before the sample was taken (${sampled})`);
}

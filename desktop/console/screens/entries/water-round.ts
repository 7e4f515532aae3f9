import type { LatestWater, WaterField } from '#contract/resources/water-quality.ts';
import { now } from '../../data/clock.ts';
import { farm } from '../../data/farm-store.ts';
import { type Entry, enter, takeBack } from '../../data/outbox.ts';
import type { Pond } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { WATER } from '../../data/water.ts';
import { figure, readDecimal } from '../../i18n/format.ts';
import { isSendable, type Judged, judge } from '../../state/water-entry.ts';

export type Typed = Partial<Record<WaterField, string>>;

/** The last known values of every pond of the farm, to compare with. */
export function useLastWater(): (pondId: string) => LatestWater | undefined {
  const latest = useGet<LatestWater[]>(farm.value === null ? null : '/water-quality/latest', {
    farm_id: farm.value?.id,
  });
  return (pondId) => latest.data?.find((water) => water.pond_id === pondId);
}

export function judgeTyped(field: WaterField, typed: Typed, last: LatestWater | undefined): Judged {
  return judge(readDecimal(typed[field] ?? ''), WATER[field], last?.[field] ?? null);
}

/** True when what was typed for a pond can leave: something was typed and all of it can be read. */
export function mayLeave(
  fields: readonly WaterField[],
  typed: Typed,
  last: LatestWater | undefined,
): boolean {
  return isSendable(fields.map((field) => judgeTyped(field, typed, last)));
}

/** Puts what was typed for a pond on its way; measured now. */
export function enterWater(pond: Pond, fields: readonly WaterField[], typed: Typed): Promise<Entry> {
  const values = fields.flatMap((field) => {
    const value = readDecimal(typed[field] ?? '');
    return value === null ? [] : [[field, value] as const];
  });
  const label = values
    .map(([field, value]) => `${figure(value, WATER[field].decimals)} ${WATER[field].unit}`.trim())
    .join(' · ');
  return enter({
    path: '/water-quality/',
    body: {
      pond_id: pond.id,
      measurement_date: new Date(now.value).toISOString(),
      ...Object.fromEntries(values),
    },
    label: `${pond.cod} · ${label}`,
    touches: ['ponds', 'water-quality', 'dashboard'],
  });
}

export async function takeBackAll(entered: readonly Entry[]): Promise<void> {
  for (const { id } of entered) await takeBack(id);
}

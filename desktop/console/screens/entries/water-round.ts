import type { LatestWater, WaterField } from '#contract/resources/water-quality.ts';
import { farm } from '../../data/farm-store.ts';
import type { Wanted } from '../../data/outbox.ts';
import type { Pond } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { WATER } from '../../data/water.ts';
import { clearWater, putWaterBack, waterDraft } from '../../data/water-draft.ts';
import { figure, readDecimal } from '../../i18n/format.ts';
import type { PondDraft, Typed } from '../../state/water-draft.ts';
import { isSendable, type Judged, judge } from '../../state/water-entry.ts';
import { useEnter } from './use-enter.ts';
import { entryWords } from './words.ts';

/** The last known values of every pond of the farm, to compare with. */
export function useLastWater(): (pondId: string) => LatestWater | undefined {
  const latest = useGet<LatestWater[]>(farm.value === null ? null : '/water-quality/latest', {
    farm_id: farm.value?.id,
  });
  return (pondId) => latest.data?.find((water) => water.pond_id === pondId);
}

export const typedOf = (pondId: string): Typed => waterDraft.value.get(pondId)?.typed ?? {};

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

/** Puts what was typed for these ponds on its way, together. False: the press before is still at it. */
export function useSendWater(fields: readonly WaterField[]) {
  const { put, isBusy } = useEnter();
  const send = async (ponds: readonly Pond[]): Promise<boolean> => {
    const sent = ponds.flatMap((pond) => {
      const draft = waterDraft.value.get(pond.id);
      return draft === undefined ? [] : [{ pond, draft }];
    });
    const drafts = new Map(sent.map(({ pond, draft }) => [pond.id, draft]));
    const isDone = await put(
      sent.map(({ pond, draft }) => wantedOf(pond, fields, draft)),
      {
        text: entryWords().saved(sent.length),
        onTakenBack: (taken) => {
          const ids = new Set(taken.map(({ body }) => body['pond_id']));
          putWaterBack(new Map([...drafts].filter(([pondId]) => ids.has(pondId))));
        },
      },
    );
    if (isDone) clearWater(drafts);
    return isDone;
  };
  return { send, isBusy };
}

function wantedOf(pond: Pond, fields: readonly WaterField[], { id, typed, at }: PondDraft): Wanted {
  const values = fields.flatMap((field) => {
    const value = readDecimal(typed[field] ?? '');
    return value === null ? [] : [[field, value] as const];
  });
  const label = values
    .map(([field, value]) => `${figure(value, WATER[field].decimals)} ${WATER[field].unit}`.trim())
    .join(' · ');
  return {
    id,
    path: '/water-quality/',
    body: {
      pond_id: pond.id,
      measurement_date: new Date(at).toISOString(),
      ...Object.fromEntries(values),
    },
    label: `${pond.cod} · ${label}`,
    touches: ['ponds', 'water-quality', 'dashboard'],
  };
}

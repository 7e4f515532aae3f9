import { useState } from 'preact/hooks';
import type { WaterField } from '#contract/resources/water-quality.ts';
import { entryWords, formWords } from '#words/entries.ts';
import { Button } from '../../components/button.tsx';
import { DateField, TextField } from '../../components/field.tsx';
import { now, serverNow } from '../../data/clock.ts';
import { useFarmWater } from '../../data/farm-science.ts';
import { farm } from '../../data/farm-store.ts';
import type { Wanted } from '../../data/outbox.ts';
import type { Pond } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { TIME } from '../../data/schedules.ts';
import { WATER } from '../../data/water.ts';
import {
  chooseRoundTime,
  clearWater,
  keepRoundTime,
  putWaterBack,
  type RoundTime,
  readWater,
  roundTime,
  waterDraft,
} from '../../data/water-draft.ts';
import { clockTime, dayAndTime, figure, instantAt, isoDay, readDecimal } from '../../i18n/format.ts';
import {
  isSendable,
  type JudgedPond,
  judgePond,
  type Known,
  type PondDraft,
  type Typed,
} from '../../state/water-draft.ts';
import { useEnter } from './entry-form.tsx';

/** When the readings of the round were taken: now, or at an hour that stands on the paper sheet. One line but while it is typed. */
export function RoundTimeFields() {
  const words = entryWords();
  const fields = formWords();
  const [isTyping, setTyping] = useState(false);
  const chosen = roundTime.value;
  const fault = roundTimeFault(chosen);
  if (chosen === null)
    return (
      <div class="row" data-round-time="now">
        <span class="muted">{words.takenNow}</span>
        <Button
          look="quiet"
          onClick={() => {
            chooseRoundTime({ day: isoDay(now.value), time: clockTime(now.value) });
            setTyping(true);
          }}
        >
          {words.otherHour}
        </Button>
      </div>
    );
  const backToNow = (
    <Button onClick={() => chooseRoundTime(null)} key="now">
      {words.now}
    </Button>
  );
  if (!isTyping && fault === null)
    return (
      <div class="note p3" data-round-time="chosen">
        <span class="grow" role="status">
          {words.takenAtHour(dayAndTime(instantAt(chosen.day, chosen.time)))}
        </span>
        <Button onClick={() => setTyping(true)}>{words.change}</Button>
        {backToNow}
      </div>
    );
  return (
    <div class="note p3 round-time" data-round-time="chosen">
      <DateField
        label={fields.when}
        max={isoDay(now.value)}
        value={chosen.day}
        onDay={(day) => chooseRoundTime({ ...chosen, day })}
      />
      <TextField
        label={fields.time}
        inputMode="numeric"
        value={chosen.time}
        fault={fault === null ? null : fault === 'ahead' ? words.hourAhead : fields.badTime}
        onInput={(event) => chooseRoundTime({ ...chosen, time: event.currentTarget.value })}
      />
      {backToNow}
    </div>
  );
}

const RANGES = Object.fromEntries(
  Object.entries(WATER).map(([field, { range }]) => [field, range]),
  // every parameter is in the table
) as Known['ranges'];

/** What holds on the farm, and the last known values of every pond, to compare with. */
export function useWaterRound() {
  const { id } = farm.value ?? {};
  const latest = useGet(id === undefined ? null : '/water-quality/latest', { farm_id: id });
  const { water } = useFarmWater();
  const lastOf = (pondId: string) => [latest.data ?? []].flat().find(({ pond_id }) => pond_id === pondId);
  const judged = (pondId: string): JudgedPond => {
    const { typed, sure } = waterDraft.value.get(pondId) ?? NOTHING;
    return judgePond((field) => readDecimal(typed[field] ?? ''), {
      water,
      ranges: RANGES,
      last: lastOf(pondId) ?? {},
      sure: new Set(FIELDS.filter((field) => sure[field] !== undefined && sure[field] === typed[field])),
    });
  };
  return { lastOf, judged };
}

const NOTHING: Pick<PondDraft, 'typed' | 'sure'> = { typed: {}, sure: {} };

/** In the order of the paper sheet: what is measured on every round first. */
export const FIRST: readonly WaterField[] = ['dissolved_oxygen', 'temperature', 'ph', 'salinity'];
export const REST: readonly WaterField[] = ['ammonia', 'nitrite', 'alkalinity', 'transparency'];
export const FIELDS: readonly WaterField[] = [...FIRST, ...REST];

export const typedOf = (pondId: string): Typed => waterDraft.value.get(pondId)?.typed ?? {};

/** True when what was typed for a pond can leave: something was typed, all of it can be read, and none of it is a slip. */
export const mayLeave = (judged: JudgedPond): boolean => isSendable(Object.values(judged));

/** A clock of a phone may be that much ahead. */
const AHEAD_MS = 5 * 60_000;

/** What is wrong with the hour that was chosen for the round; null: nothing, or it is taken now. */
export function roundTimeFault(chosen: RoundTime | null): 'unreadable' | 'ahead' | null {
  if (chosen === null) return null;
  if (!TIME.test(chosen.time) || chosen.day === '') return 'unreadable';
  return Date.parse(instantAt(chosen.day, chosen.time)) > serverNow() + AHEAD_MS ? 'ahead' : null;
}

/** Puts what was typed for these ponds on its way, together. False: the press before is still at it. */
export function useSendWater() {
  const { put, isBusy } = useEnter();
  const send = async (ponds: readonly Pond[]): Promise<boolean> => {
    const shown = waterDraft.value;
    const chosen = roundTime.value;
    if (roundTimeFault(chosen) !== null) return false;
    const round = readWater();
    const sent = ponds.flatMap((pond) => {
      const draft = round.get(pond.id);
      // another tab sent it, or types on at it: what leaves is what was looked at here
      return draft === undefined || draft.id !== shown.get(pond.id)?.id ? [] : [{ pond, draft }];
    });
    const drafts = new Map(sent.map(({ pond, draft }) => [pond.id, draft]));
    const isDone = await put(
      sent.map(({ pond, draft }) => wantedOf(pond, draft, chosen)),
      {
        text: entryWords().saved(sent.length),
        onTakenBack: (taken) => {
          const ids = new Set(taken.map(({ body }) => body['pond_id']));
          putWaterBack(new Map([...drafts].filter(([pondId]) => ids.has(pondId))));
        },
      },
    );
    if (isDone) {
      clearWater(drafts);
      keepRoundTime();
    }
    return isDone;
  };
  return { send, isBusy };
}

function wantedOf(pond: Pond, { id, typed, at }: PondDraft, chosen: RoundTime | null): Wanted {
  const taken = chosen === null ? new Date(at).toISOString() : instantAt(chosen.day, chosen.time);
  const values = FIELDS.flatMap((field) => {
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
      measurement_date: taken,
      ...Object.fromEntries(values),
    },
    label: [pond.cod, ...(chosen === null ? [] : [clockTime(taken)]), label].join(' · '),
    touches: ['ponds', 'water-quality', 'dashboard'],
  };
}

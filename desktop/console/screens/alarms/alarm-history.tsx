import { useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { priorityOf } from '#contract/alert-priority.ts';
import type { AlertAnswer } from '#contract/resources/alerts.ts';
import { ALERT_TYPES } from '#contract/words.ts';
import { listWords } from '#words/alarms.ts';
import { componentWords } from '#words/components.ts';
import { alarmWords } from '#words/control.ts';
import { reportWords } from '#words/reports.ts';
import { alarmText } from '../../components/alarm-text.ts';
import { AllAnswered, Empty, faultText } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { SelectField } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import { toast } from '../../components/toast.tsx';
import { PriorityMark } from '../../components/value.tsx';
import { get } from '../../data/api.ts';
import { now } from '../../data/clock.ts';
import { csvOf, fileName, saveFile } from '../../data/csv.ts';
import { farm, farmControlPoints } from '../../data/farm-store.ts';
import { usePlaceOf, usePonds } from '../../data/places.ts';
import { useGetAgain } from '../../data/query.ts';
import { clockTime, dayAndTime, isoDay } from '../../i18n/format.ts';

const PAGE = 50;
/** As many as the interface tells at once. */
const MOST_IN_FILE = 1_000;

/**
 * What was, by place and kind: what still stands comes first, then what is over, the newest in front. Both filters stand
 * in the address: whoever gets it sees the same.
 */
export function AlarmHistory() {
  const words = listWords();
  const kinds = alarmWords().type;
  const placeOf = usePlaceOf();
  const { ponds, isSuccess } = usePonds();
  const [asked, ask] = useSearchParams();
  const [limit, setLimit] = useState(PAGE);
  const pond = ponds.find(({ cod }) => cod === asked.get('viveiro'));
  const point = farmControlPoints.value.find(({ cod }) => cod === asked.get('ponto'));
  const kind = ALERT_TYPES.find((type) => type === asked.get('tipo'));
  // a place that is not known yet, or no more, must not read as all of them
  const isPlaced = (asked.get('viveiro') ?? asked.get('ponto')) !== null;
  const isReady = farm.value !== null && (!isPlaced || pond !== undefined || point !== undefined);
  const isNowhere = isSuccess && isPlaced && !isReady;
  const query = {
    farm_id: farm.value?.id,
    include: 'all',
    type: kind,
    pond_id: pond?.id,
    control_point_id: point?.id,
  };
  const standing = useGetAgain(isReady ? '/alerts/' : null, { ...query, limit });
  const past = useGetAgain(isReady ? '/alerts/' : null, { ...query, status: 'RESOLVED', limit });
  const keep = (changes: Readonly<Record<string, string>>) => {
    setLimit(PAGE);
    ask(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(changes)) {
          if (value === '') next.delete(name);
          else next.set(name, value);
        }
        return next;
      },
      { replace: true },
    );
  };
  const chosen = pond !== undefined ? `viveiro ${pond.cod}` : point !== undefined ? `ponto ${point.cod}` : '';
  const save = async () => {
    try {
      const all = { ...query, limit: MOST_IN_FILE };
      const [live, over] = await Promise.all([
        get('/alerts/', all),
        get('/alerts/', { ...all, status: 'RESOLVED' }),
      ]);
      saveFile(
        fileName(words.title, words.tabs.past, ...(chosen === '' ? [] : [chosen]), isoDay(now.value)),
        csvOf(
          [words.what, words.where, words.when, words.ended, words.who],
          [...live, ...over].map((row) => [
            alarmText(row),
            placeOf(row),
            dayAndTime(row.triggered_at),
            row.resolved_at === null ? words.stillStands : dayAndTime(row.resolved_at),
            whoText(row),
          ]),
        ),
      );
    } catch (error) {
      toast(faultText(error));
    }
  };
  return (
    <>
      <div class="form-grid no-print">
        <SelectField
          label={words.where}
          value={chosen}
          options={[
            { value: '', label: words.everywhere },
            ...ponds.map(({ cod }) => ({ value: `viveiro ${cod}`, label: cod })),
            ...farmControlPoints.value.map(({ cod }) => ({ value: `ponto ${cod}`, label: cod })),
          ]}
          onChange={(event) => {
            const [name = '', ...cod] = event.currentTarget.value.split(' ');
            keep({ viveiro: '', ponto: '', ...(name === '' ? {} : { [name]: cod.join(' ') }) });
          }}
        />
        <SelectField
          label={words.what}
          value={kind ?? ''}
          options={[
            { value: '', label: words.everyKind },
            ...ALERT_TYPES.map((type) => ({ value: type, label: kinds[type] })).toSorted((a, b) =>
              a.label.localeCompare(b.label),
            ),
          ]}
          onChange={(event) => keep({ tipo: event.currentTarget.value })}
        />
      </div>
      {isNowhere ? (
        <Empty text={words.noneFound} />
      ) : (
        <AllAnswered of={[standing, past]}>
          {(live, over) => (
            <>
              <HistoryTable
                rows={[...live, ...over]}
                placeOf={placeOf}
                empty={isPlaced || kind !== undefined ? words.noneFound : words.none}
              />
              <div class="row no-print">
                {over.length < limit && live.length < limit ? null : (
                  <Button onClick={() => setLimit(limit + PAGE)}>{componentWords().more}</Button>
                )}
                {live.length + over.length === 0 ? null : (
                  <WorkButton look="quiet" work={save}>
                    <Icon name="download" size={18} /> {reportWords().csv}
                  </WorkButton>
                )}
              </div>
            </>
          )}
        </AllAnswered>
      )}
    </>
  );
}

/** In the address, and part of a view that is kept. */
const FILTERS = ['viveiro', 'ponto', 'tipo'];

function HistoryTable({
  rows,
  placeOf,
  empty,
}: {
  rows: readonly AlertAnswer[];
  placeOf: ReturnType<typeof usePlaceOf>;
  empty: string;
}) {
  const words = listWords();
  return (
    <RecordTable<AlertAnswer>
      label={words.tabs.past}
      address="alarmes"
      filters={FILTERS}
      keyOf={({ id }) => id}
      rows={rows}
      attributesOf={({ status }) => ({ 'data-status': status })}
      empty={<Empty text={empty} />}
      columns={[
        {
          name: words.what,
          of: (row) => (
            <span class="row nowrap">
              <PriorityMark priority={priorityOf(row)} isOver={row.resolved_at !== null} /> {alarmText(row)}
            </span>
          ),
          raw: alarmText,
        },
        { name: words.where, of: placeOf, raw: placeOf },
        {
          name: words.when,
          of: ({ triggered_at }) => dayAndTime(triggered_at),
          raw: ({ triggered_at }) => triggered_at,
        },
        {
          name: words.ended,
          of: ({ resolved_at }) =>
            resolved_at === null ? <strong>{words.stillStands}</strong> : dayAndTime(resolved_at),
          raw: ({ resolved_at }) => resolved_at,
        },
        { name: words.who, isLong: true, of: whoText, raw: whoText },
      ]}
    />
  );
}

/** Who answered it, and what they noted. */
function whoText({ acknowledged_at, acknowledged_by_name, acknowledge_note }: AlertAnswer): string {
  const words = listWords();
  if (acknowledged_at === null) return words.state.unanswered;
  const answered = words.answered(clockTime(acknowledged_at), acknowledged_by_name);
  return acknowledge_note === null ? answered : `${answered}: ${acknowledge_note}`;
}

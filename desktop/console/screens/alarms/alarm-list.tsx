import { useRef, useState } from 'preact/hooks';
import { priorityOf } from '#contract/alert-priority.ts';
import type { AlertAnswer } from '#contract/resources/alerts.ts';
import { alarmText } from '../../components/alarm-words.ts';
import { Answer, Empty, faultText } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { PriorityMark } from '../../components/priority-mark.tsx';
import { useSettled } from '../../components/settled.ts';
import { isSimulatedAlert } from '../../components/simulated.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { toast } from '../../components/toast.tsx';
import { componentWords } from '../../components/words.ts';
import { acknowledge, alarms } from '../../data/alarms.ts';
import { soon } from '../../data/clock.ts';
import { type Alert, farm, isKnown, mayOn } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { usePlaceOf, usePonds } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { clockTime, dayAndTime } from '../../i18n/format.ts';
import { type Alarm, isFlood, isStanding } from '../../state/alarm-state.ts';
import { firstOuts } from '../../state/first-out.ts';
import { AlarmFigures } from './alarm-figures.tsx';
import { AlarmResponses } from './alarm-responses.tsx';
import { AlarmRow } from './alarm-row.tsx';
import { listWords } from './words.ts';

const PAGE = 50;

/** The page never grows without end: in a flood the first hundred are what a person can look at. */
const MOST_ROWS = 100;

export function AlarmList({ params }: { params: Readonly<Record<string, string>> }) {
  const words = listWords();
  const shown = params['tab'] ?? '';
  return (
    <div class="page">
      <h1>{words.title}</h1>
      <Tabs
        label={words.title}
        tabs={[
          { href: '/alarmes', label: words.tabs.active },
          { href: '/alarmes/adiados', label: words.tabs.shelved },
          { href: '/alarmes/historico', label: words.tabs.past },
          { href: '/alarmes/desempenho', label: words.tabs.figures },
          { href: '/alarmes/o-que-fazer', label: words.tabs.responses },
        ]}
      />
      {shown === 'historico' ? (
        <AlarmHistory />
      ) : shown === 'desempenho' ? (
        <AlarmFigures />
      ) : shown === 'o-que-fazer' ? (
        <AlarmResponses />
      ) : (
        <Standing shown={shown} />
      )}
    </div>
  );
}

function Standing({ shown }: { shown: string }) {
  const words = listWords();
  const placeOf = usePlaceOf();
  const { ponds } = usePonds();
  const wasFlood = useRef(false);
  const isShelved = shown === 'adiados';
  const listed = alarms.value.filter(({ state }) => (state === 'shelved') === isShelved);
  const isSettled = useSettled(listed.map(({ key, priority }) => `${key} ${priority}`).join());
  wasFlood.current = isFlood(
    listed.filter(isStanding).map(({ since }) => since),
    soon.value,
    wasFlood.current,
  );
  if (!isKnown.value) return <div class="skeleton" aria-busy="true" />;
  // a screen that hears nothing knows of no alarm, which is not that there is none
  if (listed.length === 0 && isBlind.value) return <p class="note p2">{words.unseen}</p>;
  if (listed.length === 0) return <Empty text={isShelved ? words.noneShelved : words.none} />;
  const firsts = firstOuts(
    listed.filter(({ newest }) => !isSimulatedAlert(newest)),
    ({ control_point_id, pond_id }) =>
      control_point_id ?? ponds.find(({ id }) => id === pond_id)?.control_point_id ?? null,
  );
  const over = listed.filter(({ state, newest }) => state === 'returned' && mayOn(newest.farm_id, 'attend'));
  return (
    <>
      {wasFlood.current && !isShelved ? (
        <p class="note p2" role="status">
          {words.flood(listed.length)}
        </p>
      ) : null}
      <ul class="stack">
        {listed.slice(0, MOST_ROWS).map((alarm) => (
          <AlarmRow
            key={alarm.key}
            alarm={alarm}
            place={placeOf(alarm.newest)}
            isOpen={alarm.key === shown}
            firstOf={firsts.get(alarm.key) ?? null}
            isSettled={isSettled}
          />
        ))}
      </ul>
      {over.length < 2 ? null : <AnswerOver over={over} />}
    </>
  );
}

/** Nothing of it stands any more: what ended by itself may be answered together. */
function AnswerOver({ over }: { over: readonly Alarm<Alert>[] }) {
  const words = listWords();
  const answer = async () => {
    const faults: unknown[] = [];
    // one that cannot be answered any more must not keep the others waiting
    for (const alarm of over) await acknowledge(alarm).catch((error: unknown) => faults.push(error));
    if (faults.length > 0) toast(faultText(faults[0]));
  };
  return (
    <div>
      <WorkButton big disabled={isBlind.value} work={answer}>
        {words.answerOver(over.length)}
      </WorkButton>
    </div>
  );
}

/** What is over, newest first. */
function AlarmHistory() {
  const words = listWords();
  const more = componentWords().more;
  const placeOf = usePlaceOf();
  const [limit, setLimit] = useState(PAGE);
  const past = useGet<AlertAnswer[]>(farm.value === null ? null : '/alerts/', {
    farm_id: farm.value?.id,
    include: 'all',
    status: 'RESOLVED',
    limit,
  });
  return (
    <Answer of={past} isEmpty={(rows) => rows.length === 0} empty={<Empty text={words.none} />}>
      {(rows) => (
        <>
          <div class="table-frame">
            <table class="table blocks">
              <thead>
                <tr>
                  <th scope="col">{words.what}</th>
                  <th scope="col">{words.where}</th>
                  <th scope="col">{words.when}</th>
                  <th scope="col">{words.ended}</th>
                  <th scope="col">{words.who}</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={row.id}>
                    <td>
                      <span class="row nowrap">
                        <PriorityMark priority={priorityOf(row)} /> {alarmText(row)}
                      </span>
                    </td>
                    <td data-label={words.where}>{placeOf(row)}</td>
                    <td data-label={words.when}>{dayAndTime(row.triggered_at)}</td>
                    <td data-label={words.ended}>{dayAndTime(row.resolved_at)}</td>
                    <td data-label={words.who}>{whoText(row)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {rows.length < limit ? null : <Button onClick={() => setLimit(limit + PAGE)}>{more}</Button>}
        </>
      )}
    </Answer>
  );
}

/** Who answered it, and what they noted. */
function whoText({ acknowledged_at, acknowledged_by_name, acknowledge_note }: AlertAnswer): string {
  const words = listWords();
  if (acknowledged_at === null) return words.state.unanswered;
  const answered = words.answered(clockTime(acknowledged_at), acknowledged_by_name);
  return acknowledge_note === null ? answered : `${answered}: ${acknowledge_note}`;
}

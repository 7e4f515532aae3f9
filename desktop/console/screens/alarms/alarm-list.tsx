import { useRef } from 'preact/hooks';
import { priorityOf } from '#contract/alert-priority.ts';
import { listWords } from '#words/alarms.ts';
import { alarmWords } from '#words/control.ts';
import { AllAnswered, Empty, faultText, useSettled } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { isSimulatedAlert, SimulatedMark } from '../../components/simulated.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { toast } from '../../components/toast.tsx';
import { acknowledge, alarms, standing } from '../../data/alarms.ts';
import { now, soon } from '../../data/clock.ts';
import { type Alert, farm, isKnown, mayOn } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { usePlaceOf, usePonds } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { figure, percent } from '../../i18n/format.ts';
import { chatteringOf, mostWithin, prioritySplit, repeatedMost } from '../../state/alarm-figures.ts';
import { type Alarm, isFlood, isStanding } from '../../state/alarm-state.ts';
import { firstOuts } from '../../state/first-out.ts';
import { AlarmHistory } from './alarm-history.tsx';
import { AlarmResponses } from './alarm-responses.tsx';
import { AlarmRow } from './alarm-row.tsx';

const DAY = 86_400_000;
const DAYS = 7;

/** Whether the alarms themselves are in order: too many are as bad as none. */
function AlarmFigures() {
  const words = listWords();
  const types = alarmWords().type;
  const placeOf = usePlaceOf();
  const query = { farm_id: farm.value?.id, include: 'all', limit: 1_000 };
  const path = farm.value === null ? null : '/alerts/';
  const past = useGet(path, { ...query, status: 'RESOLVED' });
  const active = useGet(path, query);
  return (
    <AllAnswered of={[past, active]}>
      {(resolved, standingNow) => {
        const recent = [...resolved, ...standingNow].filter(
          ({ triggered_at }) => now.value - Date.parse(triggered_at) < DAYS * DAY,
        );
        const beganAt = recent.map(({ triggered_at }) => Date.parse(triggered_at));
        const forDays = standing.value.filter(({ since }) => now.value - since > DAY).length;
        const repeated = repeatedMost(recent, 10);
        const simulated = recent.filter(isSimulatedAlert).length;
        const ofRepeated = repeated.reduce((sum, { count }) => sum + count, 0);
        return (
          <div class="stack">
            <dl class="facts card">
              <div>
                <dt>{words.perDay}</dt>
                <dd>{figure(recent.length / DAYS, 1)}</dd>
                <dd class="muted plain">{words.target('≤ 20')}</dd>
              </div>
              <div>
                <dt>{words.perTen}</dt>
                <dd>{figure(mostWithin(beganAt, 10 * 60_000))}</dd>
                <dd class="muted plain">{words.target('≤ 2')}</dd>
              </div>
              <div>
                <dt>{words.standing}</dt>
                <dd>{figure(forDays)}</dd>
                <dd class="muted plain">{words.target('0')}</dd>
              </div>
              <div data-figure="chattering">
                <dt>{words.chattering}</dt>
                <dd>{figure(chatteringOf(recent))}</dd>
                <dd class="muted plain">{words.target('0')}</dd>
              </div>
              <div data-figure="split">
                <dt>{words.split}</dt>
                <dd>
                  {recent.length === 0
                    ? '—'
                    : prioritySplit(recent.map(priorityOf))
                        .map((share) => percent(share))
                        .join(' · ')}
                </dd>
                <dd class="muted plain">{words.target('5 · 15 · 80 %')}</dd>
              </div>
            </dl>
            {simulated === 0 ? null : <p class="muted">{words.simulated(figure(simulated))}</p>}
            <section class="card stack">
              <h2>{words.top}</h2>
              {recent.length === 0 ? null : (
                <p class="muted">{words.topShare(percent((100 * ofRepeated) / recent.length))}</p>
              )}
              <ol class="stack">
                {repeated.map(({ alert, count }) => (
                  <li key={alert.id} class="row apart">
                    <span>
                      {placeOf(alert)} · {types[alert.type]} <SimulatedMark is={isSimulatedAlert(alert)} />
                    </span>
                    <strong>{figure(count)}</strong>
                  </li>
                ))}
              </ol>
            </section>
          </div>
        );
      }}
    </AllAnswered>
  );
}

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

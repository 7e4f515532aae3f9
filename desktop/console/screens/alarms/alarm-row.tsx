import { useEffect, useId, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { adviceForWord } from '#science/advice/alert-advice.ts';
import { listWords } from '#words/alarms.ts';
import { simulatedWords } from '#words/components.ts';
import { controlWords } from '#words/control.ts';
import { alarmText } from '../../components/alarm-text.ts';
import { faultText } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { orderOrAsk } from '../../components/order-question.tsx';
import { isSimulatedAlert, watermark } from '../../components/simulated.tsx';
import { toast } from '../../components/toast.tsx';
import { PriorityMark } from '../../components/value.tsx';
import { acknowledge } from '../../data/alarms.ts';
import { del } from '../../data/api.ts';
import { now, soon } from '../../data/clock.ts';
import { useFarmConsole } from '../../data/farm-console.ts';
import { useWaterOf } from '../../data/farm-science.ts';
import { type Alert, controlPoints, mayOn } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { orderUnderWay } from '../../data/orders.ts';
import { nameOf } from '../../data/people.ts';
import { usePonds } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { age, clockTime, dayAndTime } from '../../i18n/format.ts';
import { adviceLanguage } from '../../i18n/language.ts';
import { type Alarm, isStanding } from '../../state/alarm-state.ts';
import { AlarmTrend, isMeasured } from './alarm-trend.tsx';
import { Note, PutOff } from './put-off.tsx';

/**
 * One alarm: what, where, since when, how it stands and who answered it; open, it says what to do and how the value came
 * there.
 */
export function AlarmRow({
  alarm,
  place,
  isOpen: isAsked,
  firstOf,
  isSettled,
}: {
  alarm: Alarm<Alert>;
  place: string;
  /** Somebody came for this one. */
  isOpen: boolean;
  /** It began a group of so many of one cause; null: it did not. */
  firstOf: number | null;
  /** False right after the rows moved. */
  isSettled: () => boolean;
}) {
  const words = listWords();
  const { newest, priority, state, since, count } = alarm;
  const isOver = state === 'returned';
  const isUnreal = isSimulatedAlert(newest);
  const answer = answerText(newest, state);
  const [isOpen, setOpen] = useState(isAsked);
  useEffect(() => {
    if (isAsked) setOpen(true);
  }, [isAsked]);
  const more = useId();
  const saysWhatToDo = state === 'unanswered';
  // told in seconds for its first minute; a hundred rows are not drawn anew every second
  const at = now.peek() - since < 60_000 ? now.value : soon.value;
  return (
    <li
      class={`card stack alarm-row ${isOver ? '' : `p${priority}`}`}
      data-alarm={alarm.key}
      data-state={state}
      {...watermark(isUnreal)}
    >
      <div class="row nowrap">
        <PriorityMark priority={priority} isOver={isOver} />
        <div class="grow">
          <h2>
            {place} · {alarmText(newest)}
          </h2>
          <p class="muted small">
            {firstOf === null ? null : <strong data-first-out>{words.firstOut(firstOf)} · </strong>}
            {words.since(dayAndTime(since))} · {isOver ? endText(newest) : age(at - since)}
            {count > 1 ? ` · ${words.times(count)}` : ''} · {words.state[state]}
          </p>
          {answer === null ? null : (
            <p class="small" data-answer>
              {answer}
            </p>
          )}
        </div>
      </div>
      {isOpen || saysWhatToDo ? <WhatToDo alert={newest} /> : null}
      {isOpen && isMeasured(newest) ? (
        <div id={more}>
          <AlarmTrend alert={newest} />
        </div>
      ) : null}
      <div class="row">
        {mayOn(newest.farm_id, 'attend') ? <Hand alarm={alarm} isSettled={isSettled} /> : null}
        <Where alert={newest} />
        {saysWhatToDo && !isMeasured(newest) ? null : (
          <Button
            big
            look="quiet"
            aria-expanded={isOpen}
            {...(isOpen && isMeasured(newest) ? { 'aria-controls': more } : {})}
            onClick={() => setOpen(!isOpen)}
          >
            {words.details}
          </Button>
        )}
      </div>
    </li>
  );
}

/** In the farm's own words where it has some. */
function WhatToDo({ alert }: { alert: Alert }) {
  const words = listWords();
  const own = useFarmConsole(alert.farm_id).data?.alarm_responses[alert.type];
  const water = useWaterOf(alert.farm_id);
  const cards = useGet(alert.pond_id === null ? null : '/ponds/summary-cards', { farm_id: alert.farm_id });
  const card = cards.data?.ponds.find(({ pond_id }) => pond_id === alert.pond_id);
  const level = water === null ? null : { ...water, isPondEmpty: (card?.empty_since ?? null) !== null };
  return (
    <p class="said" data-what-to-do>
      <strong>{words.whatToDo}: </strong>
      {isSimulatedAlert(alert)
        ? simulatedWords().advice
        : (own ?? adviceForWord(alert, adviceLanguage, level) ?? alert.message)}
    </p>
  );
}

const endText = ({ resolved_at }: Alert): string => listWords().endedAt(dayAndTime(resolved_at));

/** Who answered, silenced or put it off, when, and what they said. */
function answerText(alert: Alert, state: Alarm['state']): string | null {
  const words = listWords();
  switch (state) {
    case 'unanswered':
    case 'returned':
      return null;
    case 'acknowledged':
      return told(
        words.answered(clockOf(alert.acknowledged_at), nameOf(alert.acknowledged_by)),
        alert.acknowledge_note,
      );
    case 'silenced':
      return told(
        words.quiet(clockOf(alert.silenced_until), nameOf(alert.silenced_by)),
        alert.silence_reason,
      );
    case 'shelved':
      return told(words.putOff(clockOf(alert.shelved_until), nameOf(alert.shelved_by)), alert.shelve_reason);
  }
}

const told = (text: string, said: string | null): string => (said === null ? text : `${text}: ${said}`);

const DAY_MS = 86_400_000;
const clockOf = (at: string | null): string =>
  Math.abs(soon.value - Date.parse(at ?? '')) > DAY_MS / 2 ? dayAndTime(at) : clockTime(at);

/** What a person may do about it. */
function Hand({ alarm, isSettled }: { alarm: Alarm<Alert>; isSettled: () => boolean }) {
  const words = listWords();
  const [asks, setAsks] = useState<'silence' | 'shelve' | 'note' | null>(null);
  const { newest, state } = alarm;
  // who keeps an alarm from others looks after them all
  const mayPutOff = mayOn(newest.farm_id, 'operate');
  const close = () => setAsks(null);
  const say = (error: unknown) => toast(faultText(error));
  const answer = async () => {
    if (isSettled()) await acknowledge(alarm).catch(say);
  };
  const end = (mark: 'silence' | 'shelve') => () => del(`/alerts/${newest.id}/${mark}`).catch(say);
  return (
    <>
      {state === 'acknowledged' ? (
        <Button big disabled={isBlind.value} onClick={() => setAsks('note')}>
          {words.noteDo}
        </Button>
      ) : (
        <WorkButton big look="main" disabled={isBlind.value} work={answer}>
          {words.acknowledge}
        </WorkButton>
      )}
      <TurnOn alert={newest} />
      {mayPutOff && (state === 'shelved' || state === 'silenced') ? (
        <WorkButton big disabled={isBlind.value} work={end(state === 'shelved' ? 'shelve' : 'silence')}>
          {state === 'shelved' ? words.unshelve : words.unsilence}
        </WorkButton>
      ) : null}
      {mayPutOff && isStanding(alarm) ? (
        <>
          <Button big disabled={isBlind.value} onClick={() => setAsks('silence')}>
            {words.silence}
          </Button>
          <Button big disabled={isBlind.value} onClick={() => setAsks('shelve')}>
            {words.shelve}
          </Button>
        </>
      ) : null}
      {asks === null ? null : asks === 'note' ? (
        <Note alarm={alarm} onClose={close} />
      ) : (
        <PutOff asks={asks} alarm={alarm} onClose={close} />
      )}
    </>
  );
}

/** What helps a motor that somebody switched off against its schedule, and nobody switched on again. */
function TurnOn({ alert: { type, status, control_point_id } }: { alert: Alert }) {
  const point = controlPoints.value.get(control_point_id ?? '');
  if (type !== 'OFF_SCHEDULE' || status === 'RESOLVED' || point === undefined) return null;
  return (
    <Button
      big
      disabled={isBlind.value || point.target_status === 'ON' || orderUnderWay(point.id) !== null}
      onClick={() => orderOrAsk(point.id, 'ON')}
    >
      {controlWords().turnOn} {point.cod}
    </Button>
  );
}

function Where({ alert }: { alert: Alert }) {
  const words = listWords();
  const { ponds } = usePonds();
  const pond = ponds.find(({ id }) => id === alert.pond_id);
  if (pond !== undefined) {
    return (
      <Link class="button big" href={`/viveiros/${encodeURIComponent(pond.cod)}`}>
        {words.toPond}
      </Link>
    );
  }
  if (alert.control_point_id === null) return null;
  return (
    <Link class="button big" href={`/aeracao/${alert.control_point_id}`}>
      {words.toPoint}
    </Link>
  );
}

import { useEffect } from 'preact/hooks';
import { alarmText } from '../../components/alarm-words.ts';
import { PriorityMark } from '../../components/priority-mark.tsx';
import { alarms } from '../../data/alarms.ts';
import { now, serverNow, soon } from '../../data/clock.ts';
import { type Alert, farm, isKnown } from '../../data/farm-store.ts';
import { isBlind, link } from '../../data/live.ts';
import { nameOf } from '../../data/people.ts';
import { usePlaceOf } from '../../data/places.ts';
import { age } from '../../i18n/format.ts';
import { type Alarm, isStanding } from '../../state/alarm-state.ts';
import { keepLastSeen } from './last-seen.ts';
import { panelWords } from './words.ts';

/** As many as a person reads from afar; the rest is counted. */
const MOST = 7;

export function PanelAlarms() {
  const words = panelWords();
  const placeOf = usePlaceOf();
  const listed = alarms.value.filter(({ state }) => state !== 'shelved');
  const shown = listed.slice(0, MOST);
  const factsOf = ({ key, priority, newest }: Alarm<Alert>) => ({
    key,
    priority,
    place: placeOf(newest),
    text: alarmText(newest),
  });
  const facts = shown.filter(isStanding).map(factsOf);
  const name = farm.value?.name ?? null;
  // kept anew every few seconds while it is live: the time tells until when it was
  const beat = soon.value;
  const isLive = link.value === 'live' && name !== null;
  const told = JSON.stringify(facts);
  useEffect(() => {
    if (isLive) keepLastSeen({ farm: name, at: serverNow(), alarms: facts });
  }, [isLive, told, beat]);
  return (
    <section class="panel-alarms" aria-label={words.alarms}>
      <h2>{words.alarms}</h2>
      {isKnown.value && listed.length === 0 ? (
        <p class="muted">{isBlind.value ? words.unseen : words.calm}</p>
      ) : null}
      <ul>
        {shown.map((alarm) => (
          <PanelAlarm key={alarm.key} alarm={alarm} place={placeOf(alarm.newest)} />
        ))}
      </ul>
      {listed.length > MOST ? <p>{words.more(listed.length - MOST)}</p> : null}
    </section>
  );
}

function PanelAlarm({ alarm, place }: { alarm: Alarm<Alert>; place: string }) {
  const words = panelWords();
  const { key, priority, state, since, newest } = alarm;
  const isOver = state === 'returned';
  const who = state === 'acknowledged' ? nameOf(newest.acknowledged_by) : null;
  return (
    <li class={`panel-alarm ${isOver ? '' : `p${priority}`}`} data-alarm={key} data-state={state}>
      <PriorityMark priority={priority} isOver={isOver} />
      <div>
        <strong>{place}</strong> {alarmText(newest)}
        <p class="muted">
          <Age since={isOver ? Date.parse(newest.resolved_at ?? '') : since} /> ·{' '}
          {who === null ? words[state] : words.acknowledgedBy(who)}
        </p>
      </div>
    </li>
  );
}

/** By itself, for it tells seconds and the rest does not. */
const Age = ({ since }: { since: number }) => <>{age(now.value - since)}</>;

import { useEffect } from 'preact/hooks';
import { alarmText } from '../../components/alarm-words.ts';
import { PriorityMark } from '../../components/priority-mark.tsx';
import { alarms } from '../../data/alarms.ts';
import { now, serverNow, soon } from '../../data/clock.ts';
import { farm, isKnown } from '../../data/farm-store.ts';
import { link } from '../../data/live.ts';
import { usePlaceOf } from '../../data/places.ts';
import { age } from '../../i18n/format.ts';
import { keepLastSeen } from './last-seen.ts';
import { panelWords } from './words.ts';

/** As many as a person reads from afar; the rest is counted. */
const MOST = 7;

export function PanelAlarms() {
  const words = panelWords();
  const placeOf = usePlaceOf();
  const standing = alarms.value.filter(({ state }) => state !== 'shelved');
  const shown = standing.slice(0, MOST);
  const facts = shown.map(({ key, priority, newest }) => ({
    key,
    priority,
    place: placeOf(newest),
    text: alarmText(newest),
  }));
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
      {isKnown.value && standing.length === 0 ? <p class="muted">{words.calm}</p> : null}
      <ul>
        {shown.map(({ key, priority, state, since }, index) => (
          <li key={key} class={`panel-alarm p${priority}`} data-alarm={key} data-state={state}>
            <PriorityMark priority={priority} />
            <div>
              <strong>{facts[index]?.place}</strong> {facts[index]?.text}
              <p class="muted">
                <Age since={since} /> · {words[state]}
              </p>
            </div>
          </li>
        ))}
      </ul>
      {standing.length > MOST ? <p>{words.more(standing.length - MOST)}</p> : null}
    </section>
  );
}

/** By itself, for it tells seconds and the rest does not. */
const Age = ({ since }: { since: number }) => <>{age(now.value - since)}</>;

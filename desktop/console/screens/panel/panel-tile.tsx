import { computed } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { PondCards } from '#contract/resources/pond-cards.ts';
import { panelWords } from '#words/wall.ts';
import { alarmText } from '../../components/alarm-text.ts';
import { ControlMark, controlNow, isSameMark } from '../../components/control-button.tsx';
import { SimulatedMark, useSimulated, watermark } from '../../components/simulated.tsx';
import { PriorityMark } from '../../components/value.tsx';
import { alarms, standing } from '../../data/alarms.ts';
import { now, serverNow, soon } from '../../data/clock.ts';
import { type Alert, controlPoints, farm, isKnown } from '../../data/farm-store.ts';
import { isFarmNight } from '../../data/farm-sun.ts';
import { isBlind, link, steady } from '../../data/live.ts';
import { nameOf } from '../../data/people.ts';
import { usePlaceOf } from '../../data/places.ts';
import { age, clockTime, dayAndTime, figure } from '../../i18n/format.ts';
import { type Alarm, isStanding, type Priority } from '../../state/alarm-state.ts';
import { type ControlState, freshnessOf } from '../../state/freshness.ts';

type Card = PondCards['ponds'][number];

/** Beyond it a time alone would be taken for one of today. */
const TODAY_MS = 12 * 3_600_000;

/** One pond from afar: its code, its oxygen, whether its aeration runs. */
export function PanelTile({ card, pointId }: { card: Card; pointId: string | null }) {
  const words = panelWords();
  // looked at with every alarm of the farm, and drawn anew only when it is another one's turn
  const worst = useMemo(() => computed(() => worstOf(card.pond_id, pointId)), [card.pond_id, pointId]);
  const priority = worst.value;
  const isAiredBySimulator = useSimulated(pointId);
  return (
    <li
      class={`panel-tile ${priority === null ? '' : `p${priority}`}`}
      data-pond={card.cod}
      {...watermark(isAiredBySimulator)}
    >
      <div class="row apart nowrap">
        <h3>{card.cod}</h3>
        {priority === null ? null : <PriorityMark priority={priority} />}
      </div>
      {card.status === 'EMPTY' ? <p class="panel-empty muted">{words.empty}</p> : <Oxygen card={card} />}
      <p class="panel-air">
        <Air pointId={pointId} /> <SimulatedMark is={isAiredBySimulator} />
      </p>
    </li>
  );
}

function worstOf(pondId: string, pointId: string | null): Priority | null {
  const own = standing.value.filter(
    ({ newest }) => newest.pond_id === pondId || (pointId !== null && newest.control_point_id === pointId),
  );
  // the least of priorities is one of them
  return own.length === 0 ? null : (Math.min(...own.map(({ priority }) => priority)) as Priority);
}

/** A figure that is too old to act on is a dash, as everywhere. */
function Oxygen({ card }: { card: Card }) {
  const words = panelWords();
  const water = card.water_quality;
  const night = isFarmNight.value;
  const at = water?.last_measurement ?? null;
  const fresh = freshnessOf(
    night ? 'oxygenByNight' : 'oxygenByDay',
    at === null ? null : soon.value - Date.parse(at),
  );
  const value = fresh === 'stale' ? null : water?.dissolved_oxygen;
  const isKnown = value !== null && value !== undefined;
  const last = water?.dissolved_oxygen ?? null;
  const isLongAgo = at !== null && soon.value - Date.parse(at) > TODAY_MS;
  return (
    <div>
      <p class="panel-value" data-fresh={isKnown ? fresh : 'stale'}>
        {figure(value, 1)} <span class="unit">mg/L {words.oxygen}</span>
      </p>
      {isKnown || last === null ? null : (
        <p class="panel-last muted">
          {words.last(figure(last, 1), isLongAgo ? dayAndTime(at) : clockTime(at))}
        </p>
      )}
    </div>
  );
}

function Air({ pointId }: { pointId: string | null }) {
  // looked at every second, and drawn anew only when it tells something else
  const air = useMemo(() => computed(steady(() => airOf(pointId), isSameAir)), [pointId]);
  const state = air.value;
  return state === null ? <span class="muted">{panelWords().noPoint}</span> : <ControlMark state={state} />;
}

function airOf(pointId: string | null): ControlState | null {
  const point = controlPoints.value.get(pointId ?? '');
  return point === undefined || point.is_siren ? null : controlNow(point).state;
}

const isSameAir = (before: ControlState | null, after: ControlState | null): boolean =>
  before === after || (before !== null && after !== null && isSameMark(before, after));

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

// What the panel showed last, kept for the time when its session is over: people who look at the wall must see that
// it is blind, and what stood when it became so.

type LastSeen = {
  farm: string;
  at: number;
  alarms: readonly { key: string; priority: Priority; place: string; text: string }[];
};

const KEPT = 'panel-last-seen';

function keepLastSeen(seen: LastSeen): void {
  localStorage.setItem(KEPT, JSON.stringify(seen));
}

export function lastSeen(): LastSeen | null {
  try {
    const found = JSON.parse(localStorage.getItem(KEPT) ?? 'null') as LastSeen | null;
    return found !== null && Array.isArray(found.alarms) ? found : null;
  } catch {
    return null;
  }
}

import type { PondCards } from '#contract/resources/pond-cards.ts';
import { ControlMark, controlNow } from '../../components/control-button.tsx';
import { PriorityMark } from '../../components/priority-mark.tsx';
import { alarms } from '../../data/alarms.ts';
import { now } from '../../data/clock.ts';
import { type ControlPoint, controlPoints } from '../../data/farm-store.ts';
import { clockTime, dayAndTime, figure } from '../../i18n/format.ts';
import type { Priority } from '../../state/alarm-state.ts';
import { freshnessOf, isNight } from '../../state/freshness.ts';
import { panelWords } from './words.ts';

type Card = PondCards['ponds'][number];

/** Beyond it a time alone would be taken for one of today. */
const TODAY_MS = 12 * 3_600_000;

/** One pond from afar: its code, its oxygen, whether its aeration runs. */
export function PanelTile({ card, pointId }: { card: Card; pointId: string | null }) {
  const words = panelWords();
  const own = alarms.value.filter(
    ({ newest }) =>
      newest.pond_id === card.pond_id || (pointId !== null && newest.control_point_id === pointId),
  );
  const priority = own.length === 0 ? null : (Math.min(...own.map((alarm) => alarm.priority)) as Priority);
  const point = pointId === null ? undefined : controlPoints.value.get(pointId);
  return (
    <li class={`panel-tile ${priority === null ? '' : `p${priority}`}`} data-pond={card.cod}>
      <div class="row apart nowrap">
        <h3>{card.cod}</h3>
        {priority === null ? null : <PriorityMark priority={priority} />}
      </div>
      {card.status === 'EMPTY' ? <p class="muted">{words.empty}</p> : <Oxygen card={card} />}
      <p class="panel-air">
        {point === undefined || point.is_siren ? (
          <span class="muted">{words.noPoint}</span>
        ) : (
          <Air point={point} />
        )}
      </p>
    </li>
  );
}

/** A figure that is too old to act on is a dash, as everywhere. */
function Oxygen({ card }: { card: Card }) {
  const words = panelWords();
  const water = card.water_quality;
  const night = isNight(Number(clockTime(now.value).slice(0, 2)));
  const at = water?.last_measurement ?? null;
  const fresh = freshnessOf(
    night ? 'oxygenByNight' : 'oxygenByDay',
    at === null ? null : now.value - Date.parse(at),
  );
  const value = fresh === 'stale' ? null : water?.dissolved_oxygen;
  const isKnown = value !== null && value !== undefined;
  const last = water?.dissolved_oxygen ?? null;
  const isLongAgo = at !== null && now.value - Date.parse(at) > TODAY_MS;
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

function Air({ point }: { point: ControlPoint }) {
  const { state } = controlNow(point);
  return <ControlMark state={state} />;
}

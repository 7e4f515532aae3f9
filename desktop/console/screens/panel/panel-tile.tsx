import { computed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { PondCards } from '#contract/resources/pond-cards.ts';
import { ControlMark, controlNow, isSameMark } from '../../components/control-button.tsx';
import { PriorityMark } from '../../components/priority-mark.tsx';
import { SimulatedMark, useSimulated, watermark } from '../../components/simulated.tsx';
import { standing } from '../../data/alarms.ts';
import { soon } from '../../data/clock.ts';
import { controlPoints } from '../../data/farm-store.ts';
import { isFarmNight } from '../../data/farm-sun.ts';
import { steady } from '../../data/steady.ts';
import { clockTime, dayAndTime, figure } from '../../i18n/format.ts';
import type { Priority } from '../../state/alarm-state.ts';
import type { ControlState } from '../../state/control-state.ts';
import { freshnessOf } from '../../state/freshness.ts';
import { panelWords } from './words.ts';

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

import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { PondCards } from '#contract/resources/pond-cards.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { controlNow } from '../../components/control-button.tsx';
import { weighingOf } from '../../components/weighing.ts';
import { standing } from '../../data/alarms.ts';
import { soon } from '../../data/clock.ts';
import { farmAirPoints, presence } from '../../data/farm-store.ts';
import { usePondCards, usePonds } from '../../data/places.ts';
import { useRound } from '../../data/tasks.ts';
import { clockTime, quantity } from '../../i18n/format.ts';
import type { Priority } from '../../state/alarm-state.ts';
import { isHeard } from '../../state/control-state.ts';
import { freshnessOf, isNight } from '../../state/freshness.ts';
import { byConcern } from '../../state/worst.ts';
import '../../styles/wall.css';
import { Checklist } from '../onboarding/checklist.tsx';
import { PondTile } from './pond-tile.tsx';
import { wallWords } from './words.ts';

const ORDER = 'wall-order';
/** More ponds than this are drawn small where the screen is wide, so that none is out of sight. */
const MANY = 36;
const keptOrder = () => (localStorage.getItem(ORDER) === 'worst' ? 'worst' : 'code');

/** The whole farm at a glance: calm when all is well, and what is not well stands out. */
export function FarmWall() {
  const words = wallWords();
  const cards = usePondCards();
  const { ponds } = usePonds();
  const [order, setOrder] = useState<'code' | 'worst'>(keptOrder);
  const worst = worstByPond(ponds.map(({ id, control_point_id }) => ({ id, pointId: control_point_id })));
  return (
    <div class="page wide">
      <div class="page-head">
        <h1>{words.title}</h1>
        <label class="row">
          <span class="muted small">{words.sort}</span>
          <select
            class="input"
            style={{ width: 'auto' }}
            value={order}
            onChange={(event) => {
              const chosen = event.currentTarget.value === 'worst' ? 'worst' : 'code';
              localStorage.setItem(ORDER, chosen);
              setOrder(chosen);
            }}
          >
            <option value="code">{words.byPlace}</option>
            <option value="worst">{words.worstFirst}</option>
          </select>
        </label>
      </div>
      <Checklist />
      <Answer
        of={cards}
        isEmpty={(data) => data.ponds.length === 0}
        empty={
          <Empty text={words.none}>
            <Link class="button main" href="/sistema/fazenda">
              {words.add}
            </Link>
          </Empty>
        }
      >
        {(data) => (
          <>
            <ul class="wall" data-many={data.ponds.length > MANY}>
              {sorted(data.ponds, order, worst).map((card) => {
                const pond = ponds.find(({ id }) => id === card.pond_id);
                return (
                  <li key={card.pond_id}>
                    <PondTile
                      card={card}
                      pointId={pond?.control_point_id ?? null}
                      priority={worst.get(card.pond_id) ?? null}
                    />
                  </li>
                );
              })}
            </ul>
            <Sums {...data} />
          </>
        )}
      </Answer>
    </div>
  );
}

function Sums({ ponds, summary }: PondCards) {
  const words = wallWords();
  // no motor, no power
  const real = farmAirPoints.value.filter(({ is_simulated }) => !is_simulated);
  const heard = real.filter((point) => isHeard(controlNow(point).facts));
  const silent = real.length - heard.length;
  const drawn = heard.reduce((sum, { id }) => sum + (presence.value.get(id)?.consumption ?? 0), 0);
  const old = ponds.filter(({ active_batches }) =>
    active_batches.some((batch) => weighingOf(batch) === 'stale'),
  ).length;
  const round = useRound();
  return (
    <footer class="card wall-foot">
      <span>{words.ponds(summary.active_ponds, summary.total_ponds)}</span>
      <span>
        {words.biomass} <strong>{quantity(summary.total_biomass_kg, 0, 'kg')}</strong>
        {old === 0 ? null : <span class="muted"> {words.oldWeighings(old)}</span>}
      </span>
      <span data-sum="power">
        {words.running} <strong>{quantity(drawn, 1, 'kW')}</strong>
        {silent === 0 ? null : <span class="muted"> {words.without(silent)}</span>}
      </span>
      <Link href="/tarefas">{words.records(round.done, round.all)}</Link>
    </footer>
  );
}

/** The worst alarm of each pond: its own, or of the control point that airs it. */
function worstByPond(
  ponds: readonly { id: string; pointId: string | null }[],
): ReadonlyMap<string, Priority> {
  const worst = new Map<string, Priority>();
  for (const { id, pointId } of ponds) {
    const own = standing.value.filter(
      ({ newest }) => newest.pond_id === id || (pointId !== null && newest.control_point_id === pointId),
    );
    if (own.length > 0) worst.set(id, Math.min(...own.map(({ priority }) => priority)) as Priority);
  }
  return worst;
}

function sorted(cards: PondCards['ponds'], order: 'code' | 'worst', worst: ReadonlyMap<string, Priority>) {
  if (order === 'code') {
    return cards.toSorted((a, b) => a.cod.localeCompare(b.cod, undefined, { numeric: true }));
  }
  const night = isNight(Number(clockTime(soon.value).slice(0, 2)));
  const concernOf = ({ pond_id, cod, status, water_quality: water }: PondCards['ponds'][number]) => {
    const age = water === null ? null : soon.value - Date.parse(water.last_measurement);
    const fresh = freshnessOf(night ? 'oxygenByNight' : 'oxygenByDay', age);
    return {
      cod,
      priority: worst.get(pond_id) ?? null,
      inProduction: status === 'ACTIVE',
      oxygen: fresh === 'stale' ? null : (water?.dissolved_oxygen ?? null),
    };
  };
  return cards.toSorted((a, b) => byConcern(concernOf(a), concernOf(b)));
}

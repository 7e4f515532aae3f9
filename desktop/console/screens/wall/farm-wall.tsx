import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { PondCards } from '#contract/resources/pond-cards.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { controlNow } from '../../components/control-button.tsx';
import { weighingOf } from '../../components/weighing.ts';
import { standing } from '../../data/alarms.ts';
import { soon } from '../../data/clock.ts';
import { useFarmConsole } from '../../data/farm-console.ts';
import { useBandOf } from '../../data/farm-science.ts';
import { farm, farmAirPoints, mayManage, presence } from '../../data/farm-store.ts';
import { isFarmNight } from '../../data/farm-sun.ts';
import { isBlind } from '../../data/live.ts';
import { usePlans } from '../../data/outlook.ts';
import { type Pond, usePondCards, usePonds } from '../../data/places.ts';
import { useRound } from '../../data/tasks.ts';
import { quantity } from '../../i18n/format.ts';
import { byConcern, type Priority } from '../../state/alarm-state.ts';
import { byCod, onceEach } from '../../state/code-order.ts';
import { freshnessOf, isHeard } from '../../state/freshness.ts';
import {
  type Arrangement,
  columnsOf,
  inReadingOrder,
  type Place,
  placesOf,
} from '../../state/wall-places.ts';
import '../../styles/wall.css';
import { wallWords } from '#words/wall.ts';
import { Checklist } from '../onboarding/checklist.tsx';
import { ArrangeWall } from './arrange-wall.tsx';
import { PondTile } from './pond-tile.tsx';

const ORDER = 'wall-order';
type Order = 'code' | 'place' | 'worst';
/** More ponds than this are drawn small where the screen is wide, so that none is out of sight. */
const MANY = 36;
const ORDERS: readonly Order[] = ['code', 'place', 'worst'];
const keptOrder = (): Order | null => ORDERS.find((order) => order === localStorage.getItem(ORDER)) ?? null;

/** The whole farm at a glance: calm when all is well, and what is not well stands out. */
export function FarmWall() {
  const words = wallWords();
  const cards = usePondCards();
  const { ponds, isPending } = usePonds();
  const [chosen, setChosen] = useState(keptOrder);
  const [isArranging, setArranging] = useState(false);
  const arranged = useFarmConsole(farm.value?.id ?? null).data?.wall ?? [];
  const mayArrange = mayManage.value && !isBlind.value && (isPending || ponds.length > 1);
  // where somebody arranged the ponds they stand as at the farm, unless this station wants them otherwise
  const wanted = chosen ?? (arranged.length > 0 ? 'place' : 'code');
  const order = wanted === 'place' && arranged.length === 0 ? 'code' : wanted;
  const worst = worstByPond(ponds.map(({ id, control_point_id }) => ({ id, pointId: control_point_id })));
  return (
    <div class="page wide">
      <div class="page-head">
        <h1>{words.title}</h1>
        <span class="row">
          <label class="row">
            <span class="muted small">{words.sort}</span>
            <select
              class="input"
              style={{ width: 'auto' }}
              value={order}
              onChange={(event) => {
                const next = ORDERS.find((one) => one === event.currentTarget.value) ?? 'code';
                localStorage.setItem(ORDER, next);
                setChosen(next);
              }}
            >
              {arranged.length === 0 ? null : <option value="place">{words.byPlace}</option>}
              <option value="code">{words.byCode}</option>
              <option value="worst">{words.worstFirst}</option>
            </select>
          </label>
          {mayArrange && !isArranging ? (
            // its place is kept while nobody knows how many ponds there are
            <Button disabled={isPending} onClick={() => setArranging(true)}>
              {words.arrange}
            </Button>
          ) : null}
        </span>
      </div>
      <Checklist place="above" />
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
        {(data) => {
          const places = placesOf(
            byCode(data.ponds).map(({ pond_id }) => pond_id),
            arranged,
          );
          if (!isArranging || farm.value === null)
            return <Tiles cards={data} {...{ ponds, order, worst, places }} />;
          return (
            <>
              <ArrangeWall
                farmId={farm.value.id}
                ponds={data.ponds}
                arranged={places}
                isArranged={arranged.length > 0}
                onClose={() => setArranging(false)}
              />
              <BelowTiles {...data} />
            </>
          );
        }}
      </Answer>
    </div>
  );
}

function Tiles({
  cards,
  ponds,
  order,
  worst,
  places,
}: {
  cards: PondCards;
  ponds: readonly Pond[];
  order: Order;
  worst: ReadonlyMap<string, Priority>;
  places: Arrangement;
}) {
  const bandOf = useBandOf();
  const plans = usePlans().data;
  const drawn = useInTurns(cards.ponds.length);
  const pointOf = new Map(ponds.map(({ id, control_point_id }) => [id, control_point_id]));
  return (
    <>
      <ul
        class="wall"
        data-many={cards.ponds.length > MANY}
        data-placed={order === 'place'}
        style={{ '--columns': columnsOf(places) }}
      >
        {sorted(cards.ponds, { order, worst, places })
          .slice(0, drawn)
          .map((card) => {
            const pointId = pointOf.get(card.pond_id) ?? null;
            return (
              <li key={card.pond_id} style={order === 'place' ? styleOf(places.get(card.pond_id)) : {}}>
                <PondTile
                  {...{ card, pointId, bandOf }}
                  plan={plans?.get(pointId ?? '')}
                  priority={worst.get(card.pond_id) ?? null}
                />
              </li>
            );
          })}
      </ul>
      {/* what stands below comes when its place is sure */}
      {drawn < cards.ponds.length ? null : <BelowTiles {...cards} />}
    </>
  );
}

/** As many as a phone shows. */
const AT_FIRST = 4;
const A_TURN = 3;

/**
 * How many of so many large parts are drawn: what is in sight first, then some more at a time, so that a press on a cheap
 * phone never waits for the end of a long list.
 */
function useInTurns(count: number): number {
  const [most, setMost] = useState(AT_FIRST);
  const isWhole = most >= count;
  useEffect(() => {
    if (isWhole) return;
    const timer = setTimeout(() => setMost(most + A_TURN));
    return () => clearTimeout(timer);
  }, [most, isWhole]);
  return Math.min(most, count);
}

const BelowTiles = (cards: PondCards) => (
  <>
    <Sums {...cards} />
    <Checklist place="below" />
  </>
);

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

const styleOf = (place: Place | undefined) =>
  place === undefined ? {} : { '--column': place.column + 1, '--row': place.row + 1 };

const byCode = onceEach((cards: PondCards['ponds']) => cards.toSorted(byCod));

function sorted(
  cards: PondCards['ponds'],
  { order, worst, places }: { order: Order; worst: ReadonlyMap<string, Priority>; places: Arrangement },
) {
  if (order === 'code') return byCode(cards);
  const nowhere = { column: 0, row: 0 };
  if (order === 'place') {
    const at = ({ pond_id }: { pond_id: string }) => places.get(pond_id) ?? nowhere;
    return cards.toSorted((a, b) => inReadingOrder(at(a), at(b)));
  }
  const night = isFarmNight.value;
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

import { Link } from 'wouter-preact';
import { aerationWords } from '#words/aeration.ts';
import { pondWords } from '#words/pond.ts';
import { Answer } from '../../components/answer.tsx';
import { ControlButton, ControlMark, controlNow } from '../../components/control-button.tsx';
import { NextRunLine } from '../../components/next-run.tsx';
import { NotProvedMark } from '../../components/not-proved.tsx';
import { SimulatedMark, watermark } from '../../components/simulated.tsx';
import { type ControlPoint, controlPoints, presence } from '../../data/farm-store.ts';
import { type Pond, usePondsByPoint } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { age, figure, quantity } from '../../i18n/format.ts';
import { isHeard } from '../../state/freshness.ts';
import { Aerators } from './aerators.tsx';

/** What airs the pond: the control point, which speaks, and the aerators behind it, of which only the order is known. */
export function PondAir({ pond }: { pond: Pond }) {
  const words = pondWords();
  const point = pond.control_point_id === null ? undefined : controlPoints.value.get(pond.control_point_id);
  return (
    <div class="stack">
      {point === undefined || point.is_siren ? (
        <p class="empty">{words.noPoint}</p>
      ) : (
        <PointCard point={point} cod={pond.cod} />
      )}
      <Aerators pond={pond} />
      <Sizing pond={pond} />
    </div>
  );
}

function PointCard({ point, cod }: { point: ControlPoint; cod: string }) {
  const words = pondWords();
  const names = aerationWords();
  const { facts, state } = controlNow(point);
  const others = usePondsByPoint()(point.id)?.filter((other) => other !== cod) ?? null;
  const isStale = !isHeard(facts);
  const consumption = presence.value.get(point.id)?.consumption ?? null;
  return (
    <section
      class="card board-row"
      data-point={point.cod}
      data-state={state.is}
      {...watermark(point.is_simulated)}
    >
      <div class="grow">
        <h2>
          <Link href={`/aeracao/${point.id}`}>{point.cod}</Link> <ControlMark state={state} />{' '}
          <SimulatedMark is={point.is_simulated} /> <NotProvedMark pointId={point.id} />
        </h2>
        <p class="muted small">
          {others === null ? '…' : others.length === 0 ? words.onlyThis : words.alsoAirs(others.join(' · '))}
        </p>
        {point.locked_out ? <p class="small">{names.lockedBy(point.lock_out_reason ?? '')}</p> : null}
        <NextRunLine pointId={point.id} />
      </div>
      <dl class="board-facts">
        <div>
          <dt>{names.wanted}</dt>
          <dd>{names.states[facts.target]}</dd>
          <dd class="muted small">{names.origins[point.target_origin]}</dd>
        </div>
        <div data-fresh={isStale ? 'stale' : 'fresh'}>
          <dt>{names.reported}</dt>
          <dd>{isStale || facts.reported === null ? '—' : names.states[facts.reported]}</dd>
        </div>
        <div>
          <dt>{names.heard}</dt>
          <dd>{facts.silentForMs === null ? names.never : age(facts.silentForMs)}</dd>
        </div>
        <div data-fresh={isStale ? 'stale' : 'fresh'}>
          <dt>{names.power}</dt>
          <dd>{isStale ? '—' : quantity(consumption, 1, 'kW')}</dd>
        </div>
      </dl>
      <ControlButton point={point} />
    </section>
  );
}

/** Whether the motors carry what lives in the pond: nothing is said of an empty one. */
function Sizing({ pond }: { pond: Pond }) {
  const words = pondWords();
  const card = useGet(`/ponds/${pond.id}/summary-card`);
  return (
    <Answer of={card} isEmpty={({ aeration }) => aeration === null} empty={null}>
      {({ aeration: found }) =>
        found === null ? null : (
          <section class="card stack" data-sizing={found.rating}>
            <h2>{words.sizing}</h2>
            <p>
              <strong>{words.sizings[found.rating]}</strong>{' '}
              {found.kg_per_horsepower === null
                ? words.noHorsepower
                : words.perHorsepower(figure(found.kg_per_horsepower), figure(found.horsepower, 1))}
            </p>
            {found.advice === null ? null : <p>{found.advice}</p>}
            <p class="muted small">
              {words.setPoints(
                figure(found.proposed_set_points.on_mg_l, 1),
                figure(found.proposed_set_points.off_mg_l, 1),
                figure(found.proposed_set_points.emergency_mg_l, 1),
              )}
            </p>
            {found.without_aerators === null ? null : (
              <p class="muted small">
                {words.withoutAerators(
                  figure(found.without_aerators.from_mg_l, 1),
                  figure(found.without_aerators.to_mg_l, 1),
                  quantity(found.without_aerators.hours, 1, 'h'),
                )}
              </p>
            )}
          </section>
        )
      }
    </Answer>
  );
}

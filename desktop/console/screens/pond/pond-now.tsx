import { Link } from 'wouter-preact';
import type { PondCard } from '#contract/resources/pond-cards.ts';
import type { WaterField } from '#contract/resources/water-quality.ts';
import { listWords } from '#words/alarms.ts';
import { pondWords } from '#words/pond.ts';
import { waterWords } from '#words/water.ts';
import { alarmText } from '../../components/alarm-text.ts';
import { ammoniaTwin } from '../../components/ammonia.tsx';
import { Answer } from '../../components/answer.tsx';
import { ControlButton, ControlMark, controlNow } from '../../components/control-button.tsx';
import { NextRunLine } from '../../components/next-run.tsx';
import { NotProvedMark } from '../../components/not-proved.tsx';
import { SimulatedMark, watermark } from '../../components/simulated.tsx';
import { PriorityMark, Value } from '../../components/value.tsx';
import { alarms } from '../../data/alarms.ts';
import { now } from '../../data/clock.ts';
import { type ControlPoint, controlPoints, mayRecord } from '../../data/farm-store.ts';
import { isFarmNight } from '../../data/farm-sun.ts';
import { isBlind } from '../../data/live.ts';
import { type Pond, pondLine, usePondsByPoint } from '../../data/places.ts';
import { usePlannedFeed } from '../../data/planned-feed.ts';
import { useGet } from '../../data/query.ts';
import { WATER } from '../../data/water.ts';
import { age, clockTime, percent, quantity } from '../../i18n/format.ts';
import { TraysLeftNote } from '../records/tray-details.tsx';

const SHOWN: readonly WaterField[] = [
  'dissolved_oxygen',
  'temperature',
  'ph',
  'salinity',
  'ammonia',
  'nitrite',
  'alkalinity',
  'transparency',
];

/** What a person at the pond must know: water, air, alarms, feed, and what the night will bring. */
export function PondNow({ pond }: { pond: Pond }) {
  const words = pondWords();
  const point = pond.control_point_id === null ? undefined : controlPoints.value.get(pond.control_point_id);
  return (
    <div class="pond-now">
      <section class="card stack">
        <div class="row apart">
          <h2>{words.waterNow}</h2>
          {mayRecord.value ? (
            <Link class="button" href={`/lancar/agua?pond=${encodeURIComponent(pond.cod)}`}>
              {words.enterWater}
            </Link>
          ) : null}
        </div>
        <WaterNow pondId={pond.id} />
      </section>
      <section class="card stack" {...watermark(point?.is_simulated === true)}>
        <h2>{words.aeration}</h2>
        {point === undefined || point.is_siren ? (
          <p class="muted">{words.noPoint}</p>
        ) : (
          <AerationNow point={point} />
        )}
      </section>
      <PondAlarms pond={pond} />
      <Forecast pondId={pond.id} />
      <FeedToday pond={pond} />
    </div>
  );
}

function WaterNow({ pondId }: { pondId: string }) {
  const names = waterWords().name;
  // the newest of each parameter may stand in different measurements: kits are used once a week
  const journal = useGet(`/water-quality/pond/${pondId}`, { limit: 100 });
  const night = isFarmNight.value;
  return (
    <Answer of={journal}>
      {({ measurements }) => (
        <dl class="facts">
          {SHOWN.map((field) => {
            const found = measurements.find((measurement) => measurement[field] !== null);
            const { decimals, unit, kind } = WATER[field];
            return (
              <div key={field}>
                <dt>{names[field]}</dt>
                <dd>
                  <Value
                    value={found?.[field]}
                    decimals={decimals}
                    unit={unit}
                    at={found?.measurement_date}
                    kind={field === 'dissolved_oxygen' && night ? 'oxygenByNight' : kind}
                  />
                  {field === 'dissolved_oxygen' && found?.oxygen_saturation_percent != null ? (
                    <div class="muted small">
                      {pondWords().saturation(percent(found.oxygen_saturation_percent))}
                    </div>
                  ) : null}
                  {field === 'ammonia' && found?.ammonia_as != null ? (
                    <div class="muted small">{ammoniaTwin(found.ammonia_as)}</div>
                  ) : null}
                </dd>
              </div>
            );
          })}
        </dl>
      )}
    </Answer>
  );
}

function AerationNow({ point }: { point: ControlPoint }) {
  const { state } = controlNow(point);
  const ponds = usePondsByPoint()(point.id);
  return (
    <div class="row apart">
      <div>
        <p>
          <Link class="tall" href={`/aeracao/${point.id}`}>
            {point.cod}
          </Link>{' '}
          <ControlMark state={state} /> <SimulatedMark is={point.is_simulated} />{' '}
          <NotProvedMark pointId={point.id} />
        </p>
        <p class="muted small">{pondLine(ponds, '')}</p>
        <NextRunLine pointId={point.id} />
      </div>
      <ControlButton point={point} />
    </div>
  );
}

function PondAlarms({ pond }: { pond: Pond }) {
  const words = pondWords();
  const own = alarms.value.filter(
    ({ newest, state }) =>
      state !== 'returned' &&
      (newest.pond_id === pond.id ||
        (pond.control_point_id !== null && newest.control_point_id === pond.control_point_id)),
  );
  return (
    <section class="card stack">
      <h2>{words.alarms}</h2>
      {own.length === 0 ? <p class="muted">{isBlind.value ? listWords().unseen : words.noAlarms}</p> : null}
      <ul class="stack">
        {own.map((alarm) => (
          <li key={alarm.key} class="row own-alarm">
            <span class="row nowrap">
              <PriorityMark priority={alarm.priority} />
              <span class="grow">
                {alarmText(alarm.newest)}{' '}
                <span class="muted small">
                  · {age(now.value - alarm.since)} · {listWords().state[alarm.state]}
                </span>
              </span>
            </span>
            <Link class="button" href={`/alarmes/${alarm.key}`}>
              {words.seeAlarm}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Forecast({ pondId }: { pondId: string }) {
  const words = pondWords();
  const forecast = useGet(`/ponds/${pondId}/oxygen-forecast`);
  return (
    <section class="card stack">
      <h2>{words.forecast}</h2>
      <Answer of={forecast}>
        {(told) => (
          <>
            {told.forecast === null ? null : (
              <p class="value">
                {quantity(told.forecast.dissolved_oxygen, 1, 'mg/L')}{' '}
                <span class="muted small">± {quantity(told.forecast.uncertainty, 1, 'mg/L')}</span>
              </p>
            )}
            <p>{told.message}</p>
          </>
        )}
      </Answer>
    </section>
  );
}

/** What the pond was given today, of what it is to get, and when the next meal is. */
function FeedToday({ pond }: { pond: Pond }) {
  const words = pondWords();
  const card = useGet(`/ponds/${pond.id}/summary-card`);
  return (
    <section class="card stack">
      <div class="row apart">
        <h2>{words.feedToday}</h2>
        {mayRecord.value ? (
          <Link class="button" href={`/lancar/racao?pond=${encodeURIComponent(pond.cod)}`}>
            {words.enterFeed}
          </Link>
        ) : null}
      </div>
      <Answer of={card}>{(told) => <Fed card={told} />}</Answer>
    </section>
  );
}

function Fed({ card }: { card: PondCard }) {
  const words = pondWords();
  const { feeding_today: fed, active_batches } = card;
  const planned = usePlannedFeed(
    card.pond_id,
    active_batches.map(({ id }) => id),
  );
  const isEmpty = active_batches.length === 0;
  const kg = planned.is === 'known' && planned.kg > 0 ? planned.kg : null;
  const next = planned.is === 'known' ? planned.meals.find(({ at }) => at > now.value) : undefined;
  return (
    <>
      <p data-feed={isEmpty ? 'empty' : planned.is}>
        <span class="value">{quantity(fed.total_kg, 1, 'kg')}</span>{' '}
        {isEmpty ? null : (
          <span>{kg === null ? words.plannedUnknown : words.ofPlanned(quantity(kg, 1, 'kg'))}</span>
        )}
      </p>
      {kg === null ? null : (
        <progress
          class="feed-bar"
          max={kg}
          value={Math.min(fed.total_kg, kg)}
          aria-label={words.ofPlanned(quantity(kg, 1, 'kg'))}
        />
      )}
      <p class="muted small">
        {words.fed(fed.feeds_count)}
        {fed.last_feed === null ? '' : ` · ${words.lastFed(clockTime(fed.last_feed))}`}
        {next === undefined || kg === null
          ? ''
          : ` · ${words.nextMeal(clockTime(next.at), quantity(next.kg, 1, 'kg'))}`}
      </p>
      {(planned.is === 'known' ? planned.trays : []).map((trays, at) => (
        <TraysLeftNote key={active_batches[at]?.id} trays={trays} pondCod={card.cod} />
      ))}
    </>
  );
}

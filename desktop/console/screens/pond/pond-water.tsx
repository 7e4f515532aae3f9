import { useEffect, useMemo, useState } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';
import type { PondCard } from '#contract/resources/pond-cards.ts';
import type { WaterField } from '#contract/resources/water-quality.ts';
import { troubleText } from '../../components/alarm-words.ts';
import { expectChart } from '../../components/chart.tsx';
import { now } from '../../data/clock.ts';
import type { Pond } from '../../data/places.ts';
import { type Meal, useMeals, useWaterEpisodes, type WaterEpisode } from '../../data/pond-events.ts';
import { useGet } from '../../data/query.ts';
import { dayAndTime, instantAt, isoDay, quantity } from '../../i18n/format.ts';
import { spansFor, waterSpan } from '../../state/water-span.ts';
import { Trend } from './water-trend.tsx';
import { pondWords } from './words.ts';

/** What the interface gives. More than two for each column of the screen nobody can tell apart, and a phone pays for them. */
const FEWEST_POINTS = 400;
const MOST_POINTS = 2_000;
const pointsFor = (width: number): number =>
  Math.round(Math.min(Math.max(2 * width, FEWEST_POINTS), MOST_POINTS));
const SHOWN: readonly WaterField[] = [
  'dissolved_oxygen',
  'temperature',
  'ph',
  'salinity',
  'ammonia',
  'nitrite',
];
/** Of more days than these the meals are a fence that hides what they stand below. */
const MOST_DAYS_WITH_MEALS = 8;
const NOTHING: readonly never[] = [];

/** Each parameter by itself over the same time, with the range that is good shaded, and what happened meanwhile. */
export function PondWater({ pond }: { pond: Pond }) {
  const words = pondWords();
  const card = useGet<PondCard>(`/ponds/${pond.id}/summary-card`);
  const batches = card.data?.active_batches ?? NOTHING;
  const startDay = batches.map(({ start_date }) => start_date).toSorted()[0] ?? null;
  const names = spansFor(startDay);
  const { name, choose } = useSpanName(names);
  // charts are drawn anew when the axis moves on, not every second
  const tick = Math.ceil(now.value / 600_000);
  const today = isoDay(now.value);
  const span = useMemo(
    () =>
      waterSpan(name, {
        now: now.value,
        today,
        startDay,
        startOf: (day) => Date.parse(instantAt(day, '00:00')),
      }),
    [name, tick, today, startDay],
  );
  // as the screen was when the page was opened: a turned phone asks for nothing anew
  const [points] = useState(() => pointsFor(innerWidth));
  // what counts most comes first, and alone: the others are asked for once it is on the screen
  const [isFirstSeen, setFirstSeen] = useState(false);
  useEffect(expectChart, []);
  const hasMeals = isFirstSeen && span.days <= MOST_DAYS_WITH_MEALS;
  const alarms = useWaterEpisodes(isFirstSeen ? pond.id : null, span.from);
  const meals = useMeals(pond.id, hasMeals ? batches.map(({ id }) => id) : NOTHING, span.from);
  return (
    <div class="stack">
      <div class="row even" role="group" aria-label={words.period}>
        {names.map((each) => (
          <button
            key={each}
            type="button"
            class={`button ${each === name ? 'main' : ''}`}
            aria-pressed={each === name}
            onClick={() => choose(each)}
          >
            {words.spans[each]}
          </button>
        ))}
      </div>
      <div class="charts" data-from={span.from} data-to={span.to}>
        {SHOWN.map((field, index) => (
          <Trend
            key={field}
            {...{ pond, field, span, points, alarms, meals }}
            waits={index > 0 && !isFirstSeen}
            onSeen={() => setFirstSeen(true)}
          />
        ))}
      </div>
      <WaterEvents alarms={alarms} meals={meals} />
    </div>
  );
}

/** In the address: what somebody looks at can be sent. */
function useSpanName(names: ReturnType<typeof spansFor>) {
  const [path, go] = useLocation();
  const asked = new URLSearchParams(useSearch()).get('periodo');
  return {
    name: names.find((name) => name === asked) ?? '30d',
    choose: (name: string) => go(`${path}?periodo=${name}`, { replace: true }),
  };
}

/** The marks of the charts in words, newest first. */
function WaterEvents({ alarms, meals }: { alarms: readonly WaterEpisode[]; meals: readonly Meal[] }) {
  const words = pondWords();
  const events = [
    ...alarms.map((alarm) => ({
      key: alarm.id,
      at: alarm.at,
      mark: '▼',
      told: `${troubleText(alarm)}${alarm.resolved ? '' : ` · ${words.stillOpen}`}`,
    })),
    ...meals.map(({ at, kg }, index) => ({
      key: `${at} ${index}`,
      at,
      mark: '❘',
      told: `${words.meal}: ${quantity(kg, 2, 'kg')}`,
    })),
  ].toSorted((a, b) => b.at - a.at);
  if (events.length === 0) return null;
  return (
    <details class="card" data-events={events.length}>
      <summary>{words.events(alarms.length, meals.length)}</summary>
      <ol class="event-list">
        {events.map(({ key, at, mark, told }) => (
          <li key={key}>
            <span aria-hidden="true">{mark}</span>
            <span class="muted">{dayAndTime(at)}</span>
            <span>{told}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}

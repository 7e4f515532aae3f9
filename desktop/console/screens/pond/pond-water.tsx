import { useEffect, useMemo, useState } from 'preact/hooks';
import { Link, useLocation, useSearch } from 'wouter-preact';
import type { WaterField, WaterTrend } from '#contract/resources/water-quality.ts';
import { compareWords } from '#words/charts.ts';
import { pondWords } from '#words/pond.ts';
import { waterWords } from '#words/water.ts';
import { troubleText } from '../../components/alarm-text.ts';
import { ammoniaTwin, otherBasis } from '../../components/ammonia.tsx';
import { AllAnswered, Answer, faultText } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { Chart, expectChart } from '../../components/chart.tsx';
import { type ChartGroup, chartGroup } from '../../components/chart-group.ts';
import type { FinerPart, Marks, Series } from '../../components/chart-lines.ts';
import { type FinerStand, MOST_POINTS, useFinerWater } from '../../components/finer-water.ts';
import { useOnScreen } from '../../components/on-screen.ts';
import { toast } from '../../components/toast.tsx';
import { limitLines } from '../../components/water-limit-lines.ts';
import { now } from '../../data/clock.ts';
import { csvOf, fileName, saveFile } from '../../data/csv.ts';
import { useFarmWater } from '../../data/farm-science.ts';
import type { Pond } from '../../data/places.ts';
import {
  type Meal,
  type Order,
  spansOn,
  type Treatment,
  useMeals,
  useOrders,
  useTreatments,
  useWaterEpisodes,
  type WaterEpisode,
} from '../../data/pond-events.ts';
import { useGet } from '../../data/query.ts';
import { WATER } from '../../data/water.ts';
import { dayAndTime, instantAt, isoDay, plainDay, quantity } from '../../i18n/format.ts';
import { spansFor, type WaterSpan, waterSpan } from '../../state/water-span.ts';

type Events = {
  alarms: readonly WaterEpisode[];
  meals: readonly Meal[];
  treatments: readonly Treatment[];
  orders: readonly Order[];
};

type Shown = {
  pond: Pond;
  field: WaterField;
  span: WaterSpan;
  points: number;
  events: Events;
  group: ChartGroup;
  waits: boolean;
  /** It is on the screen, or there is nothing to be seen. */
  onSeen: () => void;
};

/** One parameter over the days of the page, as a line, as a table and as a file. */
function Trend({ pond, field, span, points, events, group, waits, onSeen }: Shown) {
  const words = pondWords();
  const path = `/water-quality/trend/${pond.id}/${field}` as const;
  const trend = useGet(waits ? null : path, { days: span.days, points });
  const { ref, isOnScreen } = useOnScreen<HTMLElement>();
  const { finer, finerStand } = useFinerWater(path, {
    days: span.days,
    whole: span,
    readings: trend.data?.trend_data.readings,
    view: group.view,
    isOnScreen,
  });
  const isEmpty =
    trend.isError || (trend.data !== undefined && (trend.data.trend_data.readings ?? []).length === 0);
  useEffect(() => {
    if (isEmpty) onSeen();
  }, [isEmpty]);
  const marks = useMemo((): Marks[] => {
    const { alarms, meals, treatments, orders } = events;
    const ofField = alarms.filter(({ parameter }) => parameter === field);
    return [
      { label: words.alarm, shape: 'alarm', at: ofField.map(({ at }) => at) },
      { label: words.meal, shape: 'meal', at: meals.map(({ at }) => at) },
      { label: words.treatment, shape: 'treatment', at: treatments.map(({ at }) => at) },
      { label: words.ran, shape: 'running', spans: spansOn(orders, span.to) },
    ];
  }, [events, field, words, span.to]);
  const save = async (told: WaterTrend) => {
    try {
      const head = [words.when, words.average, words.lowest, words.highest];
      saveFile(
        fileName(pond.cod, waterWords().name[field], isoDay(now.value)),
        csvOf(head, rowsOf(told, span)),
      );
    } catch (error) {
      toast(faultText(error));
    }
  };
  return (
    <section class="card" ref={ref}>
      <Answer of={trend}>
        {(told) => (
          <>
            <TrendChart
              {...{ told, field, span, marks, group, finer, finerStand }}
              place={pond.cod}
              onShown={onSeen}
            />
            {told.latest_ammonia_as == null ? null : (
              <p class="muted small" data-ammonia-twin>
                {words.newest}: {ammoniaTwin(told.latest_ammonia_as)}
              </p>
            )}
            {rowsOf(told, span).length === 0 ? null : (
              <WorkButton look="quiet" work={() => save(told)}>
                {words.export}
              </WorkButton>
            )}
          </>
        )}
      </Answer>
    </section>
  );
}

const readingsIn = ({ trend_data }: WaterTrend, { from }: WaterSpan) =>
  (trend_data.readings ?? []).filter(({ at }) => Date.parse(at) >= from);

/** A row for each day; of a single day a row for each reading. */
const rowsOf = (told: WaterTrend, span: WaterSpan) =>
  span.isHours
    ? readingsIn(told, span).map(({ at, avg, min, max }) => [at, avg, min, max])
    : told.trend_data.data_points.map(({ date, avg, min, max }) => [date, avg, min, max]);

type Told = { avg: number; min: number; max: number };

/** The mean of each day on the other basis; nothing where no value of ammonia is told so. */
function twinLine(days: WaterTrend['trend_data']['data_points'], decimals: number): Series[] {
  const basis = days.find(({ ammonia_as }) => ammonia_as !== undefined)?.ammonia_as?.basis;
  if (basis === undefined) return [];
  const values = days.map(({ ammonia_as: as }) => (as === undefined ? null : otherBasis(as).mgL));
  const { unit, short } = waterWords().ammonia;
  const other = basis === 'TAN' ? 'NH3' : 'TAN';
  return [{ label: `${pondWords().average} ${short[other]}`, unit: unit(other), decimals, values }];
}

/** The line has every swing of the readings, the table what `rowsOf` has; drawn anew only when they say something new. */
function TrendChart({
  told,
  field,
  span,
  marks,
  group,
  place,
  onShown,
  ...near
}: Pick<Shown, 'field' | 'span' | 'group'> & {
  told: WaterTrend;
  marks: readonly Marks[];
  finer: FinerPart | null;
  finerStand: FinerStand;
  place: string;
  onShown: () => void;
}) {
  const words = pondWords();
  const name = waterWords().name[field];
  const { decimals } = WATER[field];
  // ammonia is never told as a bare figure
  const basis = told.latest_ammonia_as?.basis;
  const unit = basis === undefined ? WATER[field].unit : waterWords().ammonia.unit(basis);
  const { water } = useFarmWater();
  const { min: low, max: high } = told.optimal_range;
  const limits = useMemo(
    () => limitLines(field, { water, low, high, decimals }),
    [field, water, low, high, decimals, words],
  );
  const shown = useMemo(() => {
    const { data_points: days } = told.trend_data;
    const readings = readingsIn(told, span);
    const lines = (points: readonly Told[]): Series[] => [
      { label: words.average, unit, decimals, values: points.map(({ avg }) => avg) },
      { label: words.lowest, unit, decimals, values: points.map(({ min }) => min), isEdge: true },
      { label: words.highest, unit, decimals, values: points.map(({ max }) => max), isEdge: true },
    ];
    return {
      x: readings.map(({ at }) => Date.parse(at)),
      series: lines(readings),
      band: { low: told.optimal_range.min, high: told.optimal_range.max },
      ...(span.isHours
        ? {}
        : {
            table: {
              x: days.map(({ date }) => Date.parse(date)),
              series: [...lines(days), ...twinLine(days, decimals)],
              // a day of the farm, whatever its zone
              xLabel: (day: number) => plainDay(new Date(day).toISOString()),
            },
          }),
    };
  }, [told, span, words, unit, decimals]);
  return (
    <Chart
      title={unit === '' ? name : `${name} (${unit})`}
      {...shown}
      {...{ span, marks, group, place, limits, onShown }}
      {...near}
      hasGaps
    />
  );
}

/** More than two for each column of the screen nobody can tell apart, and a phone pays for them. */
const FEWEST_POINTS = 400;
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
  const card = useGet(`/ponds/${pond.id}/summary-card`);
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
  const treatments = useTreatments(isFirstSeen ? pond.id : null, span.from);
  const orders = useOrders(hasMeals ? pond.control_point_id : null, span.from);
  const events = useMemo(
    () => ({
      alarms: alarms.events,
      meals: meals.events,
      treatments: treatments.events,
      orders: orders.events,
    }),
    [alarms.events, meals.events, treatments.events, orders.events],
  );
  const questions = [card, ...[alarms, meals, treatments, orders].flatMap((told) => told.questions)];
  const [group] = useState(() => chartGroup('water'));
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
      <div class="row no-print">
        <Link class="button" href={`/relatorios/comparar?o=viveiros&v=${encodeURIComponent(pond.cod)}`}>
          {compareWords().others}
        </Link>
        <Link class="button" href={`/relatorios/comparar?o=noites&v=${encodeURIComponent(pond.cod)}`}>
          {compareWords().nights}
        </Link>
      </div>
      <div class="charts" data-from={span.from} data-to={span.to}>
        {SHOWN.map((field, index) => (
          <Trend
            key={field}
            {...{ pond, field, span, points, events, group }}
            waits={index > 0 && !isFirstSeen}
            onSeen={() => setFirstSeen(true)}
          />
        ))}
      </div>
      {isFirstSeen ? <AllAnswered of={questions}>{() => <WaterEvents {...events} />}</AllAnswered> : null}
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
function WaterEvents({ alarms, meals, treatments, orders }: Events) {
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
    ...treatments.map(({ at, told }, index) => ({
      key: `t${at} ${index}`,
      at,
      mark: '◆',
      told: `${words.treatment}: ${told}`,
    })),
    ...orders.map(({ at, isOn }, index) => ({
      key: `o${at} ${index}`,
      at,
      mark: isOn ? '▬' : '▭',
      told: isOn ? words.orderedOn : words.orderedOff,
    })),
  ].toSorted((a, b) => b.at - a.at);
  if (events.length === 0) return null;
  return (
    <details class="card" data-events={events.length}>
      <summary>{words.events(alarms.length, meals.length, treatments.length, orders.length)}</summary>
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

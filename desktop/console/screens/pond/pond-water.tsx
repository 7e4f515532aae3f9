import { useEffect, useMemo, useState } from 'preact/hooks';
import type { WaterField, WaterTrend } from '#contract/resources/water-quality.ts';
import { Answer, faultText } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { Chart, expectChart, type Series } from '../../components/chart.tsx';
import { toast } from '../../components/toast.tsx';
import { waterWords } from '../../components/water-words.ts';
import { now } from '../../data/clock.ts';
import { csvOf, fileName, saveFile } from '../../data/csv.ts';
import type { Pond } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { WATER } from '../../data/water.ts';
import { isoDay, plainDay } from '../../i18n/format.ts';
import { pondWords } from './words.ts';

const PERIODS = [7, 30, 90] as const;
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

/** Each parameter by itself over the same days, with the range that is good shaded. */
export function PondWater({ pond }: { pond: Pond }) {
  const words = pondWords();
  const [days, setDays] = useState<number>(30);
  // as the screen was when the page was opened: a turned phone asks for nothing anew
  const [points] = useState(() => pointsFor(innerWidth));
  // what counts most comes first, and alone: the others are asked for once it is on the screen
  const [isFirstSeen, setFirstSeen] = useState(false);
  useEffect(expectChart, []);
  return (
    <div class="stack">
      <div class="row" role="group" aria-label={words.period}>
        {PERIODS.map((period) => (
          <button
            key={period}
            type="button"
            class={`button ${days === period ? 'main' : ''}`}
            aria-pressed={days === period}
            onClick={() => setDays(period)}
          >
            {words.days(period)}
          </button>
        ))}
      </div>
      <div class="charts">
        {SHOWN.map((field, index) => (
          <Trend
            key={field}
            {...{ pond, field, days, points }}
            waits={index > 0 && !isFirstSeen}
            onSeen={() => setFirstSeen(true)}
          />
        ))}
      </div>
    </div>
  );
}

type Shown = {
  pond: Pond;
  field: WaterField;
  days: number;
  points: number;
  waits: boolean;
  /** It is on the screen, or there is nothing to be seen. */
  onSeen: () => void;
};

function Trend({ pond, field, days, points, waits, onSeen }: Shown) {
  const words = pondWords();
  const path = `/water-quality/trend/${pond.id}/${field}`;
  const trend = useGet<WaterTrend>(waits ? null : path, { days, points });
  const isEmpty =
    trend.isError || (trend.data !== undefined && (trend.data.trend_data.readings ?? []).length === 0);
  useEffect(() => {
    if (isEmpty) onSeen();
  }, [isEmpty]);
  const save = async (told: WaterTrend) => {
    try {
      const rows = told.trend_data.data_points.map((point) => [point.date, point.avg, point.min, point.max]);
      const head = [words.when, words.average, words.lowest, words.highest];
      saveFile(fileName(pond.cod, waterWords().name[field], isoDay(now.value)), csvOf(head, rows));
    } catch (error) {
      toast(faultText(error));
    }
  };
  return (
    <section class="card">
      <Answer of={trend}>
        {(told) => (
          <>
            <TrendChart told={told} field={field} onShown={onSeen} />
            {told.trend_data.data_points.length === 0 ? null : (
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

type Told = { avg: number; min: number; max: number };

/** The line has every swing of the readings, the table a row for each day; drawn anew only when they say something new. */
function TrendChart({ told, field, onShown }: { told: WaterTrend; field: WaterField; onShown: () => void }) {
  const words = pondWords();
  const name = waterWords().name[field];
  const { unit, decimals } = WATER[field];
  const shown = useMemo(() => {
    const { data_points: days, readings = [] } = told.trend_data;
    const lines = (points: readonly Told[]): Series[] => [
      { label: words.average, unit, decimals, values: points.map(({ avg }) => avg) },
      { label: words.lowest, unit, decimals, values: points.map(({ min }) => min), isEdge: true },
      { label: words.highest, unit, decimals, values: points.map(({ max }) => max), isEdge: true },
    ];
    return {
      x: readings.map(({ at }) => Date.parse(at)),
      series: lines(readings),
      band: { low: told.optimal_range.min, high: told.optimal_range.max },
      table: {
        x: days.map(({ date }) => Date.parse(date)),
        series: lines(days),
        // a day of the farm, whatever its zone
        xLabel: (day: number) => plainDay(new Date(day).toISOString()),
      },
    };
  }, [told, words, unit, decimals]);
  return <Chart title={unit === '' ? name : `${name} (${unit})`} {...shown} hasGaps onShown={onShown} />;
}

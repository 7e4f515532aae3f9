import { useEffect, useMemo } from 'preact/hooks';
import type { WaterField, WaterTrend } from '#contract/resources/water-quality.ts';
import { ammoniaTwin, otherBasis } from '../../components/ammonia.tsx';
import { Answer, faultText } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { Chart, type Marks, type Series } from '../../components/chart.tsx';
import { toast } from '../../components/toast.tsx';
import { waterWords } from '../../components/water-words.ts';
import { now } from '../../data/clock.ts';
import { csvOf, fileName, saveFile } from '../../data/csv.ts';
import type { Pond } from '../../data/places.ts';
import type { Meal, WaterEpisode } from '../../data/pond-events.ts';
import { useGet } from '../../data/query.ts';
import { WATER } from '../../data/water.ts';
import { isoDay, plainDay } from '../../i18n/format.ts';
import type { WaterSpan } from '../../state/water-span.ts';
import { pondWords } from './words.ts';

/** The charts of the page show one instant under the pointer. */
const TOGETHER = 'water';

export type Shown = {
  pond: Pond;
  field: WaterField;
  span: WaterSpan;
  points: number;
  alarms: readonly WaterEpisode[];
  meals: readonly Meal[];
  waits: boolean;
  /** It is on the screen, or there is nothing to be seen. */
  onSeen: () => void;
};

/** One parameter over the days of the page, as a line, as a table and as a file. */
export function Trend({ pond, field, span, points, alarms, meals, waits, onSeen }: Shown) {
  const words = pondWords();
  const path = `/water-quality/trend/${pond.id}/${field}`;
  const trend = useGet<WaterTrend>(waits ? null : path, { days: span.days, points });
  const isEmpty =
    trend.isError || (trend.data !== undefined && (trend.data.trend_data.readings ?? []).length === 0);
  useEffect(() => {
    if (isEmpty) onSeen();
  }, [isEmpty]);
  const marks = useMemo(
    (): Marks[] => [
      {
        label: words.alarm,
        shape: 'alarm',
        at: alarms.filter(({ parameter }) => parameter === field).map(({ at }) => at),
      },
      { label: words.meal, shape: 'meal', at: meals.map(({ at }) => at) },
    ],
    [alarms, meals, field, words],
  );
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
    <section class="card">
      <Answer of={trend}>
        {(told) => (
          <>
            <TrendChart {...{ told, field, span, marks }} onShown={onSeen} />
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
  onShown,
}: Pick<Shown, 'field' | 'span'> & { told: WaterTrend; marks: readonly Marks[]; onShown: () => void }) {
  const words = pondWords();
  const name = waterWords().name[field];
  const { decimals } = WATER[field];
  // ammonia is never told as a bare figure
  const basis = told.latest_ammonia_as?.basis;
  const unit = basis === undefined ? WATER[field].unit : waterWords().ammonia.unit(basis);
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
      {...{ span, marks, onShown }}
      together={TOGETHER}
      hasGaps
    />
  );
}

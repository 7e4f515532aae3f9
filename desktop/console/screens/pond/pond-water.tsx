import { useState } from 'preact/hooks';
import type { WaterField, WaterTrend } from '#contract/resources/water-quality.ts';
import { Answer, faultText } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { Chart } from '../../components/chart.tsx';
import { toast } from '../../components/toast.tsx';
import { waterWords } from '../../components/water-words.ts';
import { now } from '../../data/clock.ts';
import { csvOf, saveFile } from '../../data/csv.ts';
import type { Pond } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { WATER } from '../../data/water.ts';
import { isoDay, shortDay } from '../../i18n/format.ts';
import { pondWords } from './words.ts';

const PERIODS = [7, 30, 90] as const;
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
        {SHOWN.map((field) => (
          <Trend key={field} pond={pond} field={field} days={days} />
        ))}
      </div>
    </div>
  );
}

function Trend({ pond, field, days }: { pond: Pond; field: WaterField; days: number }) {
  const words = pondWords();
  const name = waterWords().name[field];
  const trend = useGet<WaterTrend>(`/water-quality/trend/${pond.id}/${field}`, { days });
  const { unit, decimals } = WATER[field];
  const save = async (told: WaterTrend) => {
    try {
      const rows = told.trend_data.data_points.map((point) => [point.date, point.avg, point.min, point.max]);
      saveFile(`${pond.cod}-${field}-${isoDay(now.value)}.csv`, csvOf(['date', 'avg', 'min', 'max'], rows));
    } catch (error) {
      toast(faultText(error));
    }
  };
  return (
    <section class="card">
      <Answer of={trend}>
        {(told) => {
          const points = told.trend_data.data_points;
          return (
            <>
              <Chart
                title={unit === '' ? name : `${name} (${unit})`}
                x={points.map(({ date }) => Date.parse(`${date}T15:00:00Z`))}
                xLabel={shortDay}
                band={{ low: told.optimal_range.min, high: told.optimal_range.max }}
                series={[
                  { label: words.average, unit, decimals, values: points.map(({ avg }) => avg) },
                  { label: words.lowest, unit, decimals, values: points.map(({ min }) => min), dashed: true },
                  {
                    label: words.highest,
                    unit,
                    decimals,
                    values: points.map(({ max }) => max),
                    dashed: true,
                  },
                ]}
              />
              {points.length === 0 ? null : (
                <WorkButton look="quiet" work={() => save(told)}>
                  {words.export}
                </WorkButton>
              )}
            </>
          );
        }}
      </Answer>
    </section>
  );
}

import { computed } from '@preact/signals';
import { useMemo, useState } from 'preact/hooks';
import type { WaterTrend } from '#contract/resources/water-quality.ts';
import { compareWords } from '#words/charts.ts';
import { waterWords } from '#words/water.ts';
import { Chart } from '../../components/chart.tsx';
import { type ChartGroup, chartGroup } from '../../components/chart-group.ts';
import type { Figures, FinerPart } from '../../components/chart-lines.ts';
import { SelectField } from '../../components/field.tsx';
import { finerStandOf, MOST_POINTS, useFinerWater } from '../../components/finer-water.ts';
import { useLimitLines } from '../../components/water-limit-lines.ts';
import { now } from '../../data/clock.ts';
import { useBandOf } from '../../data/farm-science.ts';
import { usePonds } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { WATER } from '../../data/water.ts';
import { clockTime, instantAt, isoDay, shortDay } from '../../i18n/format.ts';
import { valueNear } from '../../state/chart-range.ts';
import { addDays } from '../../state/week-outlook.ts';
import { type Asked, MOST } from './compare-asked.tsx';
import { Drawing, HOUR_MS, type Line, lineOf, readingsOf, seriesOf } from './compare-lines.tsx';

// The nights of one pond, one over the other.

/** A night, from before the sun sets until after it rises. */
const NIGHT = { from: '17:00', hours: 15 };
/** The newest may not have begun. */
const AGO = Array.from({ length: MOST + 1 }, (_, ago) => ago);
const DAYS_ASKED = MOST + 2;

export function Nights({ asked }: { asked: Asked }) {
  const words = compareWords();
  const { ponds, isPending } = usePonds();
  const band = useBandOf()('dissolved_oxygen');
  const bandKept = useMemo(() => band, [band?.low, band?.high]);
  const limits = useLimitLines('dissolved_oxygen');
  const pond = ponds.find(({ cod }) => cod === asked.chosen[0]) ?? ponds[0];
  const trend = useGet(
    pond === undefined ? null : (`/water-quality/trend/${pond.id}/dissolved_oxygen` as const),
    { days: DAYS_ASKED, points: MOST_POINTS },
  );
  const today = isoDay(now.value);
  const { decimals, unit } = WATER.dissolved_oxygen;
  const [group] = useState(() => chartGroup());
  const near = AGO.map((ago) =>
    useFinerNight(pond?.id, { trend: trend.data, day: addDays(today, -ago), group }),
  );
  const shown = useMemo(() => {
    const nights = AGO.map((ago) => nightOf(trend.data, addDays(today, -ago), near[ago]?.finer ?? null))
      .filter(({ x }) => x.length > 0)
      .slice(0, MOST);
    const { x, series } = seriesOf(nights, { unit, decimals });
    const hours = Array.from({ length: NIGHT.hours + 1 }, (_, hour) => hour);
    const table: Figures = {
      x: hours,
      series: series.map((line) => ({ ...line, values: hours.map((hour) => atHour(x, line.values, hour)) })),
    };
    return { x, series, table };
  }, [trend.data, today, unit, decimals, ...near.map(({ finer }) => finer)]);
  return (
    <>
      <div class="form-grid no-print">
        <SelectField
          label={words.pond}
          value={pond?.cod ?? ''}
          options={ponds.map(({ cod }) => ({ value: cod, label: cod }))}
          onChange={(event) => asked.choose([event.currentTarget.value])}
        />
      </div>
      <Drawing isEmpty={false} awaited={isPending || trend.isLoading ? [trend] : null}>
        {shown.series.length === 0 ? (
          <p class="empty">{words.noNights}</p>
        ) : (
          <Chart
            title={`${waterWords().name.dissolved_oxygen} (${unit})`}
            place={pond?.cod ?? ''}
            height={320}
            band={bandKept}
            limits={limits}
            xLabel={hourLabel}
            group={group}
            finerStand={finerStandOf(near.map(({ finerStand }) => finerStand))}
            {...shown}
          />
        )}
      </Drawing>
    </>
  );
}

const startOf = (day: string): number => Date.parse(instantAt(day, NIGHT.from));

const readingsOfNight = (told: WaterTrend | undefined, start: number) =>
  readingsOf(told, start).filter(({ at }) => Date.parse(at) <= start + NIGHT.hours * HOUR_MS);

/** The axis has hours since the evening; readings are asked for by the clock. */
function useFinerNight(
  pondId: string | undefined,
  { trend, day, group }: { trend: WaterTrend | undefined; day: string; group: ChartGroup },
) {
  const start = startOf(day);
  const clockView = useMemo(
    () =>
      computed(() => {
        const hours = group.view.value;
        return hours === null ? null : { from: start + hours.from * HOUR_MS, to: start + hours.to * HOUR_MS };
      }),
    [group, start],
  );
  return useFinerWater(
    pondId === undefined ? null : (`/water-quality/trend/${pondId}/dissolved_oxygen` as const),
    {
      days: DAYS_ASKED,
      whole: { from: start, to: start + NIGHT.hours * HOUR_MS },
      readings: readingsOfNight(trend, start),
      view: clockView,
    },
  );
}

/** Hours since the evening of a day, and what was measured in its night. */
function nightOf(told: WaterTrend | undefined, day: string, finer: FinerPart | null): Line {
  const start = startOf(day);
  const label = compareWords().night(shortDay(start), shortDay(start + 12 * HOUR_MS));
  const { x, values } = lineOf(label, readingsOfNight(told, start), finer);
  return { label, x: x.map((at) => (at - start) / HOUR_MS), values };
}

const hourLabel = (hour: number): string =>
  clockTime(Date.parse(instantAt(isoDay(now.value), NIGHT.from)) + hour * HOUR_MS);

/** The reading nearest to a whole hour, within half of one. */
function atHour(x: readonly number[], values: readonly (number | null)[], hour: number): number | null {
  const at = x.findIndex((each) => each >= hour);
  const found = valueNear({ x, values }, at === -1 ? x.length - 1 : at, 0.5);
  return found === null || Number.isNaN(found) || Math.abs((x[at] ?? Number.NaN) - hour) > 0.5 ? null : found;
}

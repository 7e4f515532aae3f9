import { useMemo } from 'preact/hooks';
import { WATER_FIELDS, type WaterTrend } from '#contract/resources/water-quality.ts';
import { compareWords } from '#words/charts.ts';
import { pondWords } from '#words/pond.ts';
import { waterWords } from '#words/water.ts';
import { Awaited } from '../../components/answer.tsx';
import { Chart } from '../../components/chart.tsx';
import type { Figures, Series } from '../../components/chart-lines.ts';
import { SelectField } from '../../components/field.tsx';
import { useLimitLines } from '../../components/water-limit-lines.ts';
import { dayOfLabel, useBatches } from '../../data/batches.ts';
import { now } from '../../data/clock.ts';
import { useBandOf } from '../../data/farm-science.ts';
import { usePonds } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { WATER } from '../../data/water.ts';
import { clockTime, instantAt, isoDay, plainDay, shortDay } from '../../i18n/format.ts';
import { joined, valueNear } from '../../state/chart-range.ts';
import { broken } from '../../state/water-span.ts';
import { addDays } from '../../state/week-outlook.ts';
import { BatchTable } from './batch-table.tsx';
import { type Asked, Choice, DAYS, type Days, KINDS, MOST, useAsked } from './compare-asked.tsx';

// Up to four lines in one chart: ponds over the same days, batches by their day of culture, or the nights of one
// pond; and all batches of a farm in a table.

const PLACES = [0, 1, 2, 3] as const;
const POINTS = 1_000;
const HOUR_MS = 3_600_000;
/** A night, from before the sun sets until after it rises. */
const NIGHT = { from: '17:00', hours: 15 };

type Line = { label: string; x: readonly number[]; values: readonly (number | null)[] };

export function Compare() {
  const words = compareWords();
  const asked = useAsked();
  return (
    <div class="stack">
      <div class="row no-print" role="group" aria-label={words.what} data-parts>
        {KINDS.map((kind) => (
          <button
            key={kind}
            type="button"
            class={`button ${kind === asked.kind ? 'main' : ''}`}
            aria-pressed={kind === asked.kind}
            onClick={() => asked.start(kind)}
          >
            {words.kinds[kind]}
          </button>
        ))}
      </div>
      {asked.kind === 'viveiros' ? (
        <Ponds asked={asked} />
      ) : asked.kind === 'lotes' ? (
        <Batches asked={asked} />
      ) : asked.kind === 'tabela' ? (
        <BatchTable asked={asked} />
      ) : (
        <Nights asked={asked} />
      )}
    </div>
  );
}

const readingsOf = (told: WaterTrend | undefined, from: number) =>
  (told?.trend_data.readings ?? []).filter(({ at }) => Date.parse(at) >= from);

/** A line of readings that breaks where nobody measured. */
function lineOf(label: string, told: WaterTrend | undefined, from: number): Line {
  const readings = readingsOf(told, from);
  return {
    label,
    ...broken({ x: readings.map(({ at }) => Date.parse(at)), values: readings.map(({ avg }) => avg) }),
  };
}

function seriesOf(lines: readonly Line[], { unit, decimals }: Pick<Series, 'unit' | 'decimals'>) {
  const { x, values } = joined(lines);
  const series = lines.map(
    ({ label }, tone): Series => ({ label, unit, decimals, tone, values: values[tone] ?? [] }),
  );
  return { x, series };
}

function Ponds({ asked }: { asked: Asked }) {
  const words = compareWords();
  const { ponds, isPending } = usePonds();
  const bandOf = useBandOf();
  const { field, days, chosen } = asked;
  const found = chosen.map((cod) => ponds.find((pond) => pond.cod === cod)).filter((pond) => !!pond);
  const trends = PLACES.map((place) => {
    const id = found[place]?.id;
    return useGet(id === undefined ? null : (`/water-quality/trend/${id}/${field}` as const), {
      days: DAYS[days],
      points: POINTS,
    });
  });
  const { decimals, unit } = WATER[field];
  const version = `${chosen.join()} ${field} ${days} ${trends.map(({ dataUpdatedAt }) => dataUpdatedAt).join()}`;
  const shown = useMemo(() => {
    const from = days === '24h' ? now.value - 24 * HOUR_MS : 0;
    const told = found.map(({ cod }, place) => ({ cod, trend: trends[place]?.data }));
    const byDay = told.map(({ cod, trend }) => ({
      label: cod,
      x: (trend?.trend_data.data_points ?? []).map(({ date }) => Date.parse(date)),
      values: (trend?.trend_data.data_points ?? []).map(({ avg }) => avg),
    }));
    const table: Figures = {
      ...seriesOf(byDay, { unit, decimals }),
      xLabel: (day) => plainDay(new Date(day).toISOString()),
    };
    return {
      ...seriesOf(
        told.map(({ cod, trend }) => lineOf(cod, trend, from)),
        { unit, decimals },
      ),
      ...(days === '24h' ? {} : { table }),
    };
  }, [version, ponds.length]);
  const band = bandOf(field);
  const bandKept = useMemo(() => band, [band?.low, band?.high]);
  const limits = useLimitLines(field);
  const name = waterWords().name[field];
  return (
    <>
      <div class="form-grid no-print">
        <SelectField
          label={words.parameter}
          value={field}
          options={WATER_FIELDS.map((value) => ({ value, label: waterWords().name[value] }))}
          onChange={(event) => asked.set('p', event.currentTarget.value)}
        />
        <SelectField
          label={pondWords().period}
          value={days}
          options={(Object.keys(DAYS) as Days[]).map((value) => ({
            value,
            label: pondWords().spans[value],
          }))}
          onChange={(event) => asked.set('t', event.currentTarget.value)}
        />
      </div>
      <Choice names={ponds.map(({ cod }) => cod)} label={words.ponds(MOST)} asked={asked} />
      <Drawing
        isEmpty={chosen.length === 0}
        awaited={isPending || trends.some(({ isLoading }) => isLoading) ? trends : null}
      >
        <Chart
          title={unit === '' ? name : `${name} (${unit})`}
          place={chosen.join(', ')}
          height={320}
          band={bandKept}
          limits={limits}
          {...shown}
        />
      </Drawing>
    </>
  );
}

function Batches({ asked }: { asked: Asked }) {
  const words = compareWords();
  const active = useBatches();
  const finished = useBatches('FINISHED');
  const batches = [...active.batches, ...finished.batches];
  const { chosen } = asked;
  const found = chosen
    .map((code) => batches.find(({ batch_code }) => batch_code === code))
    .filter((batch) => !!batch);
  const charts = PLACES.map((place) => {
    const id = found[place]?.id;
    return useGet(id === undefined ? null : (`/batches/${id}/growth-chart` as const));
  });
  const version = `${chosen.join()} ${charts.map(({ dataUpdatedAt }) => dataUpdatedAt).join()}`;
  const shown = useMemo(
    () =>
      seriesOf(
        found.map(({ batch_code: label }, place) => {
          const { labels = [], datasets = [] } = charts[place]?.data?.chart_data ?? {};
          return { label, x: labels.map(dayOfLabel), values: datasets[0]?.data ?? [] };
        }),
        { unit: 'g', decimals: 1 },
      ),
    [version, batches.length],
  );
  return (
    <>
      <Choice names={batches.map(({ batch_code }) => batch_code)} label={words.batches(MOST)} asked={asked} />
      <Drawing
        isEmpty={chosen.length === 0}
        awaited={active.isPending || charts.some(({ isLoading }) => isLoading) ? [active, ...charts] : null}
      >
        <Chart
          title={`${words.growth} (g)`}
          place={chosen.join(', ')}
          height={320}
          xLabel={dayLabel}
          {...shown}
        />
      </Drawing>
    </>
  );
}

const dayLabel = (day: number): string => `${compareWords().day} ${day}`;

function Nights({ asked }: { asked: Asked }) {
  const words = compareWords();
  const { ponds, isPending } = usePonds();
  const band = useBandOf()('dissolved_oxygen');
  const bandKept = useMemo(() => band, [band?.low, band?.high]);
  const limits = useLimitLines('dissolved_oxygen');
  const pond = ponds.find(({ cod }) => cod === asked.chosen[0]) ?? ponds[0];
  const trend = useGet(
    pond === undefined ? null : (`/water-quality/trend/${pond.id}/dissolved_oxygen` as const),
    { days: MOST + 2, points: 2_000 },
  );
  const today = isoDay(now.value);
  const { decimals, unit } = WATER.dissolved_oxygen;
  const shown = useMemo(() => {
    const nights = Array.from({ length: MOST + 1 }, (_, ago) => nightOf(trend.data, addDays(today, -ago)))
      .filter(({ x }) => x.length > 0)
      .slice(0, MOST);
    const { x, series } = seriesOf(nights, { unit, decimals });
    const hours = Array.from({ length: NIGHT.hours + 1 }, (_, hour) => hour);
    const table: Figures = {
      x: hours,
      series: series.map((line) => ({ ...line, values: hours.map((hour) => atHour(x, line.values, hour)) })),
    };
    return { x, series, table };
  }, [trend.data, today, unit, decimals]);
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
            {...shown}
          />
        )}
      </Drawing>
    </>
  );
}

/** Hours since the evening of a day, and what was measured in its night. */
function nightOf(told: WaterTrend | undefined, day: string): Line {
  const start = Date.parse(instantAt(day, NIGHT.from));
  const readings = readingsOf(told, start).filter(
    ({ at }) => Date.parse(at) <= start + NIGHT.hours * HOUR_MS,
  );
  const label = compareWords().night(shortDay(start), shortDay(start + 12 * HOUR_MS));
  const x = readings.map(({ at }) => (Date.parse(at) - start) / HOUR_MS);
  return { label, ...broken({ x, values: readings.map(({ avg }) => avg) }) };
}

const hourLabel = (hour: number): string =>
  clockTime(Date.parse(instantAt(isoDay(now.value), NIGHT.from)) + hour * HOUR_MS);

/** The reading nearest to a whole hour, within half of one. */
function atHour(x: readonly number[], values: readonly (number | null)[], hour: number): number | null {
  const at = x.findIndex((each) => each >= hour);
  const found = valueNear({ x, values }, at === -1 ? x.length - 1 : at, 0.5);
  return found === null || Number.isNaN(found) || Math.abs((x[at] ?? Number.NaN) - hour) > 0.5 ? null : found;
}

function Drawing({
  isEmpty,
  awaited,
  children,
}: {
  isEmpty: boolean;
  awaited: Parameters<typeof Awaited>[0]['of'] | null;
  children: preact.ComponentChildren;
}) {
  return (
    <section class="card">
      {isEmpty ? (
        <p class="empty">{compareWords().choose}</p>
      ) : awaited === null ? (
        children
      ) : (
        <Awaited of={awaited} />
      )}
    </section>
  );
}

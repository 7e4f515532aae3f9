import { useMemo, useState } from 'preact/hooks';
import { WATER_FIELDS } from '#contract/resources/water-quality.ts';
import { compareWords } from '#words/charts.ts';
import { pondWords } from '#words/pond.ts';
import { waterWords } from '#words/water.ts';
import { Chart } from '../../components/chart.tsx';
import { chartGroup } from '../../components/chart-group.ts';
import type { Figures } from '../../components/chart-lines.ts';
import { SelectField } from '../../components/field.tsx';
import { finerStandOf, useFinerWater } from '../../components/finer-water.ts';
import { useLimitLines } from '../../components/water-limit-lines.ts';
import { dayOfLabel, useBatches } from '../../data/batches.ts';
import { now } from '../../data/clock.ts';
import { useBandOf } from '../../data/farm-science.ts';
import { usePonds } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { WATER } from '../../data/water.ts';
import { plainDay } from '../../i18n/format.ts';
import { BatchTable } from './batch-table.tsx';
import { type Asked, Choice, DAYS, type Days, KINDS, MOST, useAsked } from './compare-asked.tsx';
import { Drawing, HOUR_MS, lineOf, MINUTE_MS, readingsOf, seriesOf, wholeOf } from './compare-lines.tsx';
import { Nights } from './compare-nights.tsx';

// Up to four lines in one chart: ponds over the same days, batches by their day of culture, or the nights of one
// pond; and all batches of a farm in a table.

const PLACES = [0, 1, 2, 3] as const;
const POINTS = 1_000;

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
  const [group] = useState(() => chartGroup());
  const from = days === '24h' ? Math.floor(now.value / MINUTE_MS) * MINUTE_MS - 24 * HOUR_MS : 0;
  const whole = wholeOf(trends.map(({ data }) => readingsOf(data, from)));
  const near = PLACES.map((place) => {
    const id = found[place]?.id;
    return useFinerWater(id === undefined ? null : (`/water-quality/trend/${id}/${field}` as const), {
      days: DAYS[days],
      whole,
      readings: trends[place]?.data?.trend_data.readings,
      view: group.view,
    });
  });
  const version = [chosen.join(), field, days, ...trends.map(({ dataUpdatedAt }) => dataUpdatedAt)].join(' ');
  const shown = useMemo(() => {
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
        told.map(({ cod, trend }, place) => lineOf(cod, readingsOf(trend, from), near[place]?.finer ?? null)),
        { unit, decimals },
      ),
      ...(days === '24h' ? {} : { table }),
    };
  }, [version, ponds.length, ...near.map(({ finer }) => finer)]);
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
          group={group}
          finerStand={finerStandOf(near.map(({ finerStand }) => finerStand))}
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

import type { MeterUseAnswer } from '#contract/resources/meter-readings.ts';
import { meterWords } from '#words/meters.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { Chart } from '../../components/chart.tsx';
import { farm } from '../../data/farm-store.ts';
import { useGet } from '../../data/query.ts';
import { dayAndTime, figure, instantAt, money, quantity, shortDay } from '../../i18n/format.ts';
import { ReportTable } from './report-table.tsx';

type Stretch = MeterUseAnswer['stretches'][number];

/** What the meters counted that people read at each shift, beside what the aerators must have drawn. */
export function MeterReport({ from, until }: { from: string; until: string }) {
  const words = meterWords();
  const told = useGet(farm.value === null ? null : `/farms/${farm.value.id}/energy/meters`, {
    start_date: from,
    end_date: until,
  });
  return (
    <section class="card stack" data-meters>
      <h2>{words.title}</h2>
      <Answer of={told} isEmpty={({ meters }) => meters.length === 0} empty={<Empty text={words.none} />}>
        {(answer) => <Told told={answer} />}
      </Answer>
    </section>
  );
}

function Told({ told }: { told: MeterUseAnswer }) {
  const words = meterWords();
  const missing = told.days.flatMap(({ date, missing: lacks }) =>
    lacks.map(({ meter, shift }) => `${meter} ${shortDay(Date.parse(instantAt(date, '12:00')))} ${shift}`),
  );
  const whole = told.days.filter(({ kwh, expected_kwh: expected }) => kwh !== null && expected !== null);
  const sum = (of: (day: MeterUseAnswer['days'][number]) => number | null) =>
    whole.reduce((all, day) => all + (of(day) ?? 0), 0);
  return (
    <>
      <dl class="facts">
        <div>
          <dt>{words.counted}</dt>
          <dd>{told.total_kwh === null ? '–' : quantity(told.total_kwh, 0, 'kWh')}</dd>
        </div>
        <div>
          <dt>{words.cost}</dt>
          <dd>{told.total_cost === null ? '–' : money(told.total_cost)}</dd>
        </div>
      </dl>
      {told.stretches.some(({ kwh }) => kwh === null) ? <p class="muted small">{words.partly}</p> : null}
      {whole.length === 0 ? null : (
        <p class="muted small">
          {words.beside(
            quantity(
              sum(({ kwh }) => kwh),
              0,
              'kWh',
            ),
            quantity(
              sum(({ expected_kwh }) => expected_kwh),
              0,
              'kWh',
            ),
            figure(whole.length),
          )}
        </p>
      )}
      {missing.length === 0 ? null : (
        <p class="note p3" role="status">
          {words.missing(missing.slice(0, 9).join(' · '), figure(missing.length))}
        </p>
      )}
      <Chart
        title={`${words.perDay} (kWh)`}
        x={told.days.map(({ date }) => Date.parse(instantAt(date, '00:00')))}
        xLabel={shortDay}
        series={[
          { label: words.counted, unit: 'kWh', decimals: 0, values: told.days.map(({ kwh }) => kwh) },
          {
            label: words.expected,
            unit: 'kWh',
            decimals: 0,
            values: told.days.map(({ expected_kwh }) => expected_kwh),
          },
        ]}
      />
      <ReportTable<Stretch>
        label={words.shifts}
        address="medidores"
        keyOf={({ meter, from }) => `${meter} ${from}`}
        rows={told.stretches.toReversed()}
        columns={[
          { name: words.meter, of: ({ meter }) => meter, raw: ({ meter }) => meter },
          { name: words.from, of: ({ from }) => dayAndTime(from), raw: ({ from }) => from },
          { name: words.until, of: ({ to }) => dayAndTime(to), raw: ({ to }) => to },
          {
            name: words.shift,
            of: ({ shift, shifts }) => (shifts === 1 ? shift : words.several(shift, figure(shifts))),
            raw: ({ shift }) => shift,
          },
          {
            name: words.counted,
            isNumber: true,
            of: ({ kwh, unknown }) =>
              kwh === null ? words.unknown[unknown ?? 'WENT_BACK'] : quantity(kwh, 0, 'kWh'),
            raw: ({ kwh }) => kwh,
          },
          {
            name: words.cost,
            isNumber: true,
            of: ({ cost }) => (cost === null ? '–' : money(cost)),
            raw: ({ cost }) => cost,
          },
        ]}
      />
    </>
  );
}

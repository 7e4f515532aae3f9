import type { EnergyAnswer } from '#contract/resources/finance.ts';
import { reportWords } from '#words/reports.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { BandBar } from '../../components/band-bar.tsx';
import { Chart } from '../../components/chart.tsx';
import { now } from '../../data/clock.ts';
import { farm } from '../../data/farm-store.ts';
import { useInAddress } from '../../data/in-address.ts';
import { useGet } from '../../data/query.ts';
import { figure, instantAt, isoDay, money, quantity, shortDay } from '../../i18n/format.ts';
import { addDays } from '../../state/week-outlook.ts';
import { MeterReport } from './meter-report.tsx';
import { ReportTable } from './report-table.tsx';

const PERIODS = [7, 14, 31] as const;
type PondEnergy = EnergyAnswer['ponds'][number];

/** What the aerators drew and what that cost, by day and by pond. */
export function EnergyReport() {
  const words = reportWords();
  const [asked, keep] = useInAddress('dias');
  const days = PERIODS.find((period) => String(period) === asked) ?? PERIODS[0];
  const today = isoDay(now.value);
  const energy = useGet(farm.value === null ? null : `/farms/${farm.value.id}/energy`, {
    start_date: addDays(today, 1 - days),
    end_date: today,
  });
  return (
    <>
      <div class="row no-print" role="group" aria-label={words.period}>
        {PERIODS.map((period) => (
          <button
            key={period}
            type="button"
            class={`button ${days === period ? 'main' : ''}`}
            aria-pressed={days === period}
            onClick={() => keep(period === PERIODS[0] ? '' : String(period))}
          >
            {words.lastDays(period)}
          </button>
        ))}
      </div>
      <Answer
        of={energy}
        isEmpty={({ source }) => source === 'NONE'}
        empty={<Empty text={words.noReports} />}
      >
        {(told) => <Told told={told} />}
      </Answer>
      <MeterReport from={addDays(today, 1 - days)} until={today} />
    </>
  );
}

function Told({ told }: { told: EnergyAnswer }) {
  const words = reportWords();
  // a day that is not over would look like a fall
  const whole = told.days.filter(({ date }) => date !== isoDay(now.value));
  const most = Math.max(...told.ponds.map(({ kwh }) => kwh), 1);
  return (
    <>
      <section class="card stack">
        <dl class="facts">
          <Fact name={words.energyTotal} value={quantity(told.total_kwh, 0, 'kWh')} />
          <Fact name={words.energyCost} value={money(told.total_cost)} />
          <Fact name={words.tariff} value={`${money(told.tariff_per_kwh)} ${words.perKwh}`} />
        </dl>
        {told.unmeasured_kw > 0 ? (
          <p class="muted small">{words.unmeasured(quantity(told.unmeasured_kw, 1, 'kW'))}</p>
        ) : null}
      </section>
      <section class="card">
        <Chart
          title={`${words.perDay} (kWh)`}
          x={whole.map(({ date }) => Date.parse(instantAt(date, '00:00')))}
          xLabel={shortDay}
          series={[
            { label: words.energyTotal, unit: 'kWh', decimals: 0, values: whole.map(({ kwh }) => kwh) },
          ]}
        />
      </section>
      <ReportTable<PondEnergy>
        label={words.tabs.energy}
        address="energia"
        keyOf={({ pond_id }) => pond_id}
        rows={told.ponds.toSorted((a, b) => b.kwh - a.kwh)}
        columns={[
          { name: words.pond, of: (row) => row.pond_cod, raw: (row) => row.pond_cod },
          {
            name: words.power,
            isNumber: true,
            of: (row) => quantity(row.power_kw, 1, 'kW'),
            raw: (row) => row.power_kw,
          },
          {
            name: words.hours,
            isNumber: true,
            of: (row) => figure(row.hours_on, 0),
            raw: (row) => row.hours_on,
          },
          {
            name: words.energyTotal,
            isNumber: true,
            of: (row) => (
              <>
                {quantity(row.kwh, 0, 'kWh')}
                <BandBar value={row.kwh} band={{ low: 0, high: row.kwh }} range={[0, most]} />
              </>
            ),
            raw: (row) => row.kwh,
          },
          { name: words.energyCost, isNumber: true, of: (row) => money(row.cost), raw: (row) => row.cost },
        ]}
      />
    </>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

import '../../styles/reports.css';
import type { BiomassTrend } from '#contract/resources/dashboard.ts';
import { reportWords } from '#words/reports.ts';
import { Answer, Awaited, Empty } from '../../components/answer.tsx';
import { Chart } from '../../components/chart.tsx';
import { SelectField } from '../../components/field.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { useBatches } from '../../data/batches.ts';
import { farm, seesMoney } from '../../data/farm-store.ts';
import { useInAddress } from '../../data/in-address.ts';
import { usePondCards } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { figure, percent, quantity } from '../../i18n/format.ts';
import { isWithin } from '../../state/water-span.ts';
import { Compare } from './compare.tsx';
import { EnergyReport } from './energy-report.tsx';
import { Files } from './files.tsx';
import {
  FCA_BAND,
  FeedReport,
  GROWTH_BAND,
  GrowthReport,
  SURVIVAL_BAND,
  SurvivalReport,
  useFeed,
  useGrowth,
  useSurvival,
} from './growth-report.tsx';
import { Recall } from './recall.tsx';
import { BatchLink, usePlace } from './report-table.tsx';

const TABS = [
  ['overview', '/relatorios', Overview],
  ['growth', '/relatorios/crescimento', GrowthReport],
  ['survival', '/relatorios/sobrevivencia', SurvivalReport],
  ['feed', '/relatorios/racao', FeedReport],
  ['biomass', '/relatorios/biomassa', BiomassReport],
  ['energy', '/relatorios/energia', EnergyReport],
  ['compare', '/relatorios/comparar', Compare],
  ['recall', '/relatorios/rastreio', Recall],
  ['files', '/relatorios/arquivos', Files],
] as const;

export function Reports({ params }: { params: Readonly<Record<string, string>> }) {
  const words = reportWords();
  const asked = params['tab'] === undefined ? '/relatorios' : `/relatorios/${params['tab']}`;
  const tabs = TABS.filter(([tab]) => tab !== 'energy' || farm.value === null || seesMoney.value);
  const Shown = tabs.find(([, href]) => href === asked)?.[2] ?? Overview;
  return (
    <div class="page">
      <h1>{words.title}</h1>
      <Tabs label={words.title} tabs={tabs.map(([tab, href]) => ({ href, label: words.tabs[tab] }))} />
      <Shown />
    </div>
  );
}

/** Biomass and weight of one batch over its days of culture. */
function BiomassReport() {
  const words = reportWords();
  const active = useBatches();
  const finished = useBatches('FINISHED');
  const batches = [...active.batches, ...finished.batches];
  const [code, keepCode] = useInAddress('lote');
  const chosen = code === '' ? batches[0] : batches.find(({ batch_code }) => batch_code === code);
  const id = chosen?.id ?? null;
  const trend = useGet(id === null ? null : '/dashboard/biomass-trend', { batch_id: id });
  if (batches.length === 0) {
    return active.isSuccess && finished.isSuccess ? (
      <Empty text={words.none} />
    ) : (
      <Awaited of={[active, finished]} />
    );
  }
  return (
    <>
      <div class="narrow-form no-print">
        <SelectField
          label={words.batch}
          value={chosen?.batch_code ?? ''}
          options={batches.map(({ batch_code }) => ({ value: batch_code, label: batch_code }))}
          onChange={(event) => keepCode(event.currentTarget.value)}
        />
      </div>
      {id === null ? null : <Answer of={trend}>{(told) => <Charts told={told} />}</Answer>}
    </>
  );
}

function Charts({ told }: { told: BiomassTrend }) {
  const words = reportWords();
  const days = told.data_points.map(({ days_in_production }) => days_in_production);
  const xLabel = (day: number) => `${words.day} ${day}`;
  return (
    <div class="charts">
      <section class="card">
        <Chart
          title={`${words.biomassTitle} (kg)`}
          x={days}
          xLabel={xLabel}
          series={[
            {
              label: words.biomass,
              unit: 'kg',
              decimals: 0,
              values: told.data_points.map(({ biomass_kg }) => biomass_kg),
            },
          ]}
        />
      </section>
      <section class="card">
        <Chart
          title={`${words.weightTitle} (g)`}
          x={days}
          xLabel={xLabel}
          series={[
            {
              label: words.weight,
              unit: 'g',
              decimals: 1,
              values: told.data_points.map(({ average_weight_g }) => average_weight_g),
            },
          ]}
        />
      </section>
    </div>
  );
}

/** Figures of the farm, and the batches that are not as they should be. */
function Overview() {
  const words = reportWords();
  const cards = usePondCards();
  const overview = useGet(farm.value === null ? null : '/dashboard/overview', { farm_id: farm.value?.id });
  return (
    <>
      <section class="card">
        <Answer of={overview}>
          {(told) => (
            <dl class="facts">
              <div>
                <dt>{words.ponds}</dt>
                <dd>
                  {figure(cards.data?.summary.active_ponds)} / {figure(told.total_ponds)}
                </dd>
              </div>
              <div>
                <dt>{words.activeBatches}</dt>
                <dd>{figure(told.active_batches)}</dd>
              </div>
              <div>
                <dt>{words.biomass}</dt>
                <dd>{quantity(cards.data?.summary.total_biomass_kg, 0, 'kg')}</dd>
              </div>
              <div>
                <dt>{words.alerts}</dt>
                <dd>{figure(told.total_active_alerts)}</dd>
              </div>
            </dl>
          )}
        </Answer>
      </section>
      <Worst />
    </>
  );
}

function Worst() {
  const words = reportWords();
  const growth = useGrowth();
  const survival = useSurvival();
  const feed = useFeed();
  const placeOf = usePlace();
  const why = new Map<string, { pond: string; told: string[] }>();
  const note = (line: { batch_id: string; batch_number: string; pond_cod: string }, told: string) => {
    const known = why.get(line.batch_number) ?? { pond: placeOf(line), told: [] };
    why.set(line.batch_number, { ...known, told: [...known.told, told] });
  };
  for (const line of growth.data?.batches ?? []) {
    const rate = line.growth_rate_percent;
    if (rate !== null && !isWithin(rate, GROWTH_BAND)) note(line, words.behind(percent(rate)));
  }
  for (const line of survival.data?.batches ?? []) {
    if (!isWithin(line.survival_rate, SURVIVAL_BAND)) note(line, words.dying(percent(line.survival_rate, 1)));
  }
  for (const line of feed.data?.batches ?? []) {
    if (line.fca !== null && !isWithin(line.fca, FCA_BAND)) note(line, words.wasteful(figure(line.fca, 2)));
  }
  const isEmpty = [growth, survival, feed].every(({ data }) => data?.batches.length === 0);
  const isReady = growth.isSuccess && survival.isSuccess && feed.isSuccess;
  // most reasons first
  const rows = [...why].toSorted(([, a], [, b]) => b.told.length - a.told.length);
  return (
    <section class="card stack">
      <h2>{words.worst}</h2>
      {!isReady ? (
        <Awaited of={[growth, survival, feed]} />
      ) : rows.length === 0 ? (
        <p class="muted">{isEmpty ? words.none : words.worstNone}</p>
      ) : (
        <ul class="worst">
          {rows.map(([code, { pond, told }]) => (
            <li key={code}>
              <strong>{pond}</strong>
              <BatchLink code={code} />
              <span>{told.join(' · ')}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

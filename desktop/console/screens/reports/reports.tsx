import '../../styles/reports.css';
import { useState } from 'preact/hooks';
import type { BiomassTrend } from '#contract/resources/dashboard.ts';
import { reportWords } from '#words/reports.ts';
import { Answer, Awaited, Empty } from '../../components/answer.tsx';
import { Chart } from '../../components/chart.tsx';
import { SelectField } from '../../components/field.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { useBatches } from '../../data/batches.ts';
import { useGet } from '../../data/query.ts';
import { EnergyReport } from './energy-report.tsx';
import { Files } from './files.tsx';
import { FeedReport, GrowthReport, SurvivalReport } from './growth-report.tsx';
import { Overview } from './overview.tsx';

const TABS = [
  ['overview', '/relatorios', Overview],
  ['growth', '/relatorios/crescimento', GrowthReport],
  ['survival', '/relatorios/sobrevivencia', SurvivalReport],
  ['feed', '/relatorios/racao', FeedReport],
  ['biomass', '/relatorios/biomassa', BiomassReport],
  ['energy', '/relatorios/energia', EnergyReport],
  ['files', '/relatorios/arquivos', Files],
] as const;

export function Reports({ params }: { params: Readonly<Record<string, string>> }) {
  const words = reportWords();
  const asked = params['tab'] === undefined ? '/relatorios' : `/relatorios/${params['tab']}`;
  const Shown = TABS.find(([, href]) => href === asked)?.[2] ?? Overview;
  return (
    <div class="page">
      <h1>{words.title}</h1>
      <Tabs label={words.title} tabs={TABS.map(([tab, href]) => ({ href, label: words.tabs[tab] }))} />
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
  const [chosen, setChosen] = useState<string | null>(null);
  const id = chosen ?? batches[0]?.id ?? null;
  const trend = useGet<BiomassTrend>(id === null ? null : '/dashboard/biomass-trend', { batch_id: id });
  if (id === null) {
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
          value={id}
          options={batches.map((batch) => ({ value: batch.id, label: batch.batch_code }))}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
      </div>
      <Answer of={trend}>{(told) => <Charts told={told} />}</Answer>
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

import '../../styles/batches.css';
import { useCallback, useMemo, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type * as z from 'zod';
import type { BatchDetail, growthChartAnswer } from '#contract/resources/batches.ts';
import { compareWords } from '#words/charts.ts';
import { batchWords, stockingWords } from '#words/production.ts';
import { Answer, Awaited, Empty, faultText } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { Chart } from '../../components/chart.tsx';
import { type CorrectedField, CorrectionDialog } from '../../components/correction-dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { toast } from '../../components/toast.tsx';
import { download } from '../../data/api.ts';
import { BATCH_TOUCHES, type Batch, dayOfLabel, useBatchByCode } from '../../data/batches.ts';
import { now } from '../../data/clock.ts';
import { mayManage, mayRecord, seesMoney } from '../../data/farm-store.ts';
import { usePonds } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { age, asTyped, calendarDay, figure, grams, percent, plainDay, quantity } from '../../i18n/format.ts';
import { freshnessOf } from '../../state/freshness.ts';
import { densityOf } from '../../state/stocking.ts';
import { Photos } from '../photos/photos.tsx';
import { Records } from '../records/records.tsx';
import { WithdrawalNote } from '../records/withdrawal.tsx';
import { BatchFeed } from './batch-feed.tsx';
import { BatchMoney } from './batch-money.tsx';
import { Expenses } from './expenses.tsx';
import { Feedings } from './feedings.tsx';
import { Harvests } from './harvests.tsx';
import { Losses } from './losses.tsx';
import { Lots } from './lots.tsx';
import { Timeline } from './timeline.tsx';
import { Weighings } from './weighings.tsx';

type ChartAnswer = z.infer<typeof growthChartAnswer>;

/** The life of a batch on one page: how it stands, how it grows, what it ate, what it cost, and when to take it out. */
export function BatchPage({ params }: { params: Readonly<Record<string, string>> }) {
  const words = batchWords();
  const code = decodeURIComponent(params['code'] ?? '');
  const { batch, isSure, answers } = useBatchByCode(code);
  if (batch !== undefined) return <Page key={batch.id} batch={batch} />;
  return <div class="page">{isSure ? <Empty text={words.unknown(code)} /> : <Awaited of={answers} />}</div>;
}

function Page({ batch }: { batch: Batch }) {
  const words = batchWords();
  const detail = useGet(`/batches/${batch.id}`);
  return (
    <div class="page">
      <div class="page-head">
        <div class="row nowrap">
          <Link href="/lotes" class="button quiet" aria-label={words.back}>
            <Icon name="back" />
          </Link>
          <h1>{batch.batch_code}</h1>
          <span class="chip">{words.stands[batch.status]}</span>
        </div>
        <Actions batch={batch} />
      </div>
      <Answer of={detail}>
        {(known) => (
          <>
            <Standing batch={known} />
            <WithdrawalNote withdrawal={known.withdrawal} />
            <Timeline batch={known} />
          </>
        )}
      </Answer>
      <BatchGrowth batchId={batch.id} code={batch.batch_code} />
      {batch.status === 'ACTIVE' ? <BatchFeed batch={batch} /> : null}
      <Feedings batchId={batch.id} />
      <Losses batchId={batch.id} />
      <Records
        path={`/batches/${batch.id}`}
        enter={mayRecord.value ? `/lancar/anotacao?batch=${encodeURIComponent(batch.batch_code)}` : null}
      />
      <Photos path={`/batches/${batch.id}/photos`} mayAdd={mayRecord.value} />
      <Harvests batchId={batch.id} />
      <Lots batch={batch} />
      {seesMoney.value ? (
        <>
          <BatchMoney batch={batch} />
          <Expenses batch={batch} />
        </>
      ) : null}
    </div>
  );
}

function Actions({ batch }: { batch: Batch }) {
  const words = batchWords();
  const asked = `?batch=${encodeURIComponent(batch.batch_code)}`;
  const save = () =>
    download(`/exports/batch/${batch.id}/report/csv`, `${batch.batch_code.replaceAll('/', '-')}.csv`).catch(
      (error: unknown) => toast(faultText(error)),
    );
  return (
    <div class="row no-print batch-acts">
      {mayRecord.value && batch.status === 'ACTIVE' ? (
        <>
          <Link class="button" href={`/lancar/racao${asked}`}>
            {words.enterFeed}
          </Link>
          <Link class="button" href={`/lancar/biometria${asked}`}>
            {words.enterWeighing}
          </Link>
          <Link class="button" href={`/lancar/mortalidade${asked}`}>
            {words.adjust}
          </Link>
        </>
      ) : null}
      {mayManage.value && batch.status === 'ACTIVE' ? (
        <>
          <Link class="button" href={`/transferencias${asked}`}>
            {words.transfer}
          </Link>
          <Link class="button main" href={`/lotes/${encodeURIComponent(batch.batch_code)}/despesca`}>
            {words.finish}
          </Link>
        </>
      ) : null}
      <WorkButton work={save}>
        <Icon name="download" size={18} /> {words.report}
      </WorkButton>
      <Button onClick={() => print()}>
        <Icon name="print" size={18} /> {words.print}
      </Button>
    </div>
  );
}

function Standing({ batch }: { batch: BatchDetail }) {
  const words = batchWords();
  const { ponds } = usePonds();
  const [isCorrecting, setCorrecting] = useState(false);
  const weighedAt = batch.latest_biometry?.measurement_date ?? null;
  const weighedFor = weighedAt === null ? null : now.value - Date.parse(weighedAt);
  const isOld = batch.status === 'ACTIVE' && freshnessOf('biometry', weighedFor) === 'stale';
  return (
    <section class="card stack">
      <dl class="facts">
        <Fact name={words.day} value={figure(batch.days_active)} />
        <Fact name={words.weight} value={grams(batch.average_weight_g)} isOld={isOld} />
        <Fact
          name={words.biomassOf[batch.status]}
          value={quantity(batch.current_biomass_kg, 0, 'kg')}
          isOld={isOld}
        />
        {batch.status === 'ACTIVE' ? (
          <Fact name={words.population} value={figure(batch.current_population)} />
        ) : null}
        {batch.status === 'FINISHED' ? (
          <Fact name={words.finalCount} value={figure(batch.final_count)} />
        ) : null}
        <Fact name={words.survival} value={percent(batch.survival_rate, 1)} />
        <Fact name={words.fca} value={figure(batch.current_fca, 2)} isOld={isOld} />
        <Fact name={words.started} value={plainDay(batch.start_date)} />
        <Fact
          name={batch.actual_harvest_date === null ? words.harvest : words.harvested}
          value={calendarDay(batch.actual_harvest_date ?? batch.expected_harvest_date)}
        />
        <Fact
          name={words.ponds}
          value={batch.ponds
            .map(
              ({ pond_id, population }) =>
                `${ponds.find(({ id }) => id === pond_id)?.cod ?? ''} (${figure(population)})`,
            )
            .join(' · ')}
        />
      </dl>
      {mayManage.value ? (
        <div class="no-print">
          <Button onClick={() => setCorrecting(true)}>
            <Icon name="edit" size={18} /> {words.correct}
          </Button>
        </div>
      ) : null}
      {isCorrecting ? <CorrectBatch batch={batch} onClose={() => setCorrecting(false)} /> : null}
      <p class="muted small">
        {weighedFor === null ? words.neverWeighed : words.weighedAgo(age(weighedFor))}
      </p>
    </section>
  );
}

const OF_STOCKING = new Set([
  'species',
  'lineage',
  'larva_origin',
  'start_date',
  'initial_count',
  'initial_avg_weight',
]);

/**
 * What was told wrongly at the stocking, whatever became of the batch; of one in production also when it is to be harvested, and
 * what is noted about it.
 */
function CorrectBatch({ batch, onClose }: { batch: BatchDetail; onClose: () => void }) {
  const words = batchWords();
  const stocked = stockingWords();
  const { ponds } = usePonds();
  const area = ponds.find(({ id }) => id === batch.pond_id)?.size_m2 ?? null;
  return (
    <CorrectionDialog
      title={`${words.correct}: ${batch.batch_code}`}
      row={{ path: `/batches/${batch.id}`, label: batch.batch_code, touches: BATCH_TOUCHES }}
      question={{ about: OF_STOCKING, text: words.correctionFollows }}
      // a density is of its count
      follows={({ initial_count: count }) =>
        typeof count === 'number'
          ? [
              {
                name: 'initial_density',
                was: batch.initial_density,
                is: densityOf(count, area) || (batch.initial_density * count) / batch.initial_count,
              },
            ]
          : []
      }
      fields={[
        { name: 'initial_count', label: stocked.count, kind: 'count', first: asTyped(batch.initial_count) },
        { name: 'start_date', label: stocked.start, kind: 'day', first: batch.start_date },
        { name: 'species', label: stocked.species, kind: 'text', first: batch.species },
        { name: 'lineage', label: stocked.lineage, kind: 'text', first: batch.lineage },
        { name: 'larva_origin', label: stocked.origin, kind: 'text', first: batch.larva_origin },
        {
          name: 'initial_avg_weight',
          label: stocked.weight,
          kind: 'figure',
          unit: 'g',
          first: asTyped(batch.initial_avg_weight),
        },
        ...(batch.status === 'ACTIVE' ? planned(batch) : []),
      ]}
      onClose={onClose}
    />
  );
}

function planned(batch: BatchDetail): CorrectedField[] {
  const words = batchWords();
  return [
    {
      name: 'expected_harvest_date',
      label: words.harvest,
      kind: 'day',
      first: batch.expected_harvest_date ?? '',
      isOptional: true,
    },
    { name: 'notes', label: words.notes, kind: 'text', first: batch.notes ?? '', isOptional: true },
  ];
}

function Fact({ name, value, isOld = false }: { name: string; value: string; isOld?: boolean }) {
  return (
    <div data-fresh={isOld ? 'ageing' : 'fresh'}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** Weighed against expected, what that means, and the weighings themselves. */
function BatchGrowth({ batchId, code }: { batchId: string; code: string }) {
  const words = batchWords();
  const chart = useGet(`/batches/${batchId}/growth-chart`);
  const analysis = useGet(`/batches/${batchId}/growth-analysis`);
  return (
    <section class="card stack">
      <Answer of={chart}>{(told) => <GrowthChart told={told} code={code} />}</Answer>
      <div class="no-print">
        <Link class="button" href={`/relatorios/comparar?o=lotes&v=${encodeURIComponent(code)}`}>
          {compareWords().others}
        </Link>
      </div>
      <Answer of={analysis}>
        {({ analysis: told, recommendations }) => (
          <>
            <dl class="facts">
              <div>
                <dt>{words.adg}</dt>
                <dd>{quantity(told.adg, 3, 'g')}</dd>
              </div>
              <div>
                <dt>{words.performance}</dt>
                <dd>{percent(told.performance_percentage)}</dd>
              </div>
            </dl>
            {recommendations.length === 0 ? null : (
              <div>
                <h3>{words.advice}</h3>
                <ul class="stack">
                  {recommendations.map((sentence) => (
                    <li key={sentence}>{sentence}</li>
                  ))}
                </ul>
              </div>
            )}
          </>
        )}
      </Answer>
      <Weighings batchId={batchId} />
    </section>
  );
}

/** The interface's colours stay unused: here one line is solid and the other dashed, in the colours of the page. */
function GrowthChart({ told, code }: { told: ChartAnswer; code: string }) {
  const words = batchWords();
  // the same lines as long as they say the same: the drawing rests on them, and on what somebody zoomed to
  const { x, series } = useMemo(() => {
    const { labels, datasets } = told.chart_data;
    return {
      x: labels.map(dayOfLabel),
      series: datasets.map(({ data, borderDash }, index) => ({
        label: index === 0 ? words.real : words.expected,
        unit: 'g',
        decimals: 1,
        values: data,
        dashed: borderDash !== undefined,
      })),
    };
  }, [told, words]);
  const xLabel = useCallback((day: number) => `${words.growthDay} ${day}`, [words]);
  return <Chart title={words.growth} place={code} {...{ x, series, xLabel }} />;
}

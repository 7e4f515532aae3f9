import type * as z from 'zod';
import type { growthAnalysisAnswer, growthChartAnswer } from '#contract/resources/batches.ts';
import { Answer } from '../../components/answer.tsx';
import { Chart } from '../../components/chart.tsx';
import { useGet } from '../../data/query.ts';
import { percent, quantity } from '../../i18n/format.ts';
import { Weighings } from './weighings.tsx';
import { batchWords } from './words.ts';

type ChartAnswer = z.infer<typeof growthChartAnswer>;
type Analysis = z.infer<typeof growthAnalysisAnswer>;

/** Weighed against expected, what that means, and the weighings themselves. */
export function BatchGrowth({ batchId }: { batchId: string }) {
  const words = batchWords();
  const chart = useGet<ChartAnswer>(`/batches/${batchId}/growth-chart`);
  const analysis = useGet<Analysis>(`/batches/${batchId}/growth-analysis`);
  return (
    <section class="card stack">
      <Answer of={chart}>{(told) => <GrowthChart told={told} />}</Answer>
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
function GrowthChart({ told }: { told: ChartAnswer }) {
  const words = batchWords();
  const { labels, datasets } = told.chart_data;
  const days = labels.map((label, index) => Number(/\d+/.exec(label)?.[0] ?? index));
  return (
    <Chart
      title={words.growth}
      x={days}
      xLabel={(day) => `${words.growthDay} ${day}`}
      series={datasets.map(({ data, borderDash }, index) => ({
        label: index === 0 ? words.real : words.expected,
        unit: 'g',
        decimals: 1,
        values: data,
        dashed: borderDash !== undefined,
      }))}
    />
  );
}

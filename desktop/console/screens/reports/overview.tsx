import type * as z from 'zod';
import type { dashboardOverview } from '#contract/resources/dashboard.ts';
import { reportWords } from '#words/reports.ts';
import { Answer, Awaited } from '../../components/answer.tsx';
import { farm } from '../../data/farm-store.ts';
import { usePondCards } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { figure, percent, quantity } from '../../i18n/format.ts';
import { isWithin } from '../../state/water-span.ts';
import { FCA_BAND, GROWTH_BAND, SURVIVAL_BAND, useFeed, useGrowth, useSurvival } from './growth-report.tsx';
import { BatchLink, usePlace } from './report-table.tsx';

/** Figures of the farm, and the batches that are not as they should be. */
export function Overview() {
  const words = reportWords();
  const cards = usePondCards();
  const overview = useGet<z.infer<typeof dashboardOverview>>(
    farm.value === null ? null : '/dashboard/overview',
    { farm_id: farm.value?.id },
  );
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

import type { FeedLine, GrowthLine, SurvivalLine } from '#contract/resources/dashboard.ts';
import { reportWords } from '#words/reports.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { BandBar } from '../../components/band-bar.tsx';
import { farm, seesMoney } from '../../data/farm-store.ts';
import { useGet } from '../../data/query.ts';
import { figure, grams, money, percent, quantity } from '../../i18n/format.ts';
import { batchColumns, type Column, dayColumn, ReportTable, usePlace } from './report-table.tsx';

/** Within five percent of the curve a batch is on track. */
export const GROWTH_BAND = { low: 95, high: null };

export const useGrowth = () =>
  useGet<{ batches: GrowthLine[] }>(farm.value === null ? null : '/dashboard/growth-rates', {
    farm_id: farm.value?.id,
    limit: 500,
  });

/** Every batch against its curve, furthest behind in front. */
export function GrowthReport() {
  const words = reportWords();
  const placeOf = usePlace();
  return (
    <Answer
      of={useGrowth()}
      isEmpty={({ batches }) => batches.length === 0}
      empty={<Empty text={words.none} />}
    >
      {({ batches }) => (
        <ReportTable<GrowthLine>
          label={words.tabs.growth}
          keyOf={({ batch_id }) => batch_id}
          rows={batches.toSorted((a, b) => (a.growth_rate_percent ?? 999) - (b.growth_rate_percent ?? 999))}
          columns={[
            ...batchColumns<GrowthLine>(words, placeOf),
            {
              name: words.rate,
              isNumber: true,
              of: (row) => (
                <>
                  {percent(row.growth_rate_percent)}
                  <BandBar value={row.growth_rate_percent} band={GROWTH_BAND} range={[40, 140]} />
                </>
              ),
              raw: (row) => row.growth_rate_percent,
            },
            {
              name: words.status,
              of: ({ status }) => (status === null ? words.neverWeighed : words.growth[status]),
              raw: ({ status }) => status,
            },
            dayColumn<GrowthLine>(words),
            {
              name: words.weight,
              isNumber: true,
              of: (row) => grams(row.current_weight_g),
              raw: (row) => row.current_weight_g,
            },
            {
              name: words.expected,
              isNumber: true,
              of: (row) => grams(row.expected_weight_g),
              raw: (row) => row.expected_weight_g,
            },
            {
              name: words.weekly,
              isNumber: true,
              of: (row) => quantity(row.weekly_growth_g, 2, 'g'),
              raw: (row) => row.weekly_growth_g,
            },
          ]}
        />
      )}
    </Answer>
  );
}

export const SURVIVAL_BAND = { low: 80, high: null };

export const useSurvival = () =>
  useGet<{ batches: SurvivalLine[] }>(farm.value === null ? null : '/dashboard/survival-rates', {
    farm_id: farm.value?.id,
    limit: 500,
  });

/** What lives of what was stocked, lowest in front. */
export function SurvivalReport() {
  const words = reportWords();
  const placeOf = usePlace();
  return (
    <Answer
      of={useSurvival()}
      isEmpty={({ batches }) => batches.length === 0}
      empty={<Empty text={words.none} />}
    >
      {({ batches }) => (
        <ReportTable<SurvivalLine>
          label={words.tabs.survival}
          keyOf={({ batch_id }) => batch_id}
          rows={batches.toSorted((a, b) => a.survival_rate - b.survival_rate)}
          columns={[
            ...batchColumns<SurvivalLine>(words, placeOf),
            {
              name: words.rateAlive,
              isNumber: true,
              of: (row) => (
                <>
                  {percent(row.survival_rate, 1)}
                  <BandBar value={row.survival_rate} band={SURVIVAL_BAND} range={[40, 100]} />
                </>
              ),
              raw: (row) => row.survival_rate,
            },
            {
              name: words.usualAlive,
              isNumber: true,
              of: (row) => percent(row.expected_survival_rate, 1),
              raw: (row) => row.expected_survival_rate,
            },
            {
              name: words.status,
              of: ({ status }) => words.survival[status],
              raw: ({ status }) => status,
            },
            dayColumn<SurvivalLine>(words),
            {
              name: words.stocked,
              isNumber: true,
              of: (row) => figure(row.initial_population),
              raw: (row) => row.initial_population,
            },
            {
              name: words.alive,
              isNumber: true,
              of: (row) => figure(row.current_population),
              raw: (row) => row.current_population,
            },
            {
              name: words.died,
              isNumber: true,
              of: (row) => figure(row.mortality_count),
              raw: (row) => row.mortality_count,
            },
          ]}
        />
      )}
    </Answer>
  );
}

export const FCA_BAND = { low: null, high: 1.5 };

export const useFeed = () =>
  useGet<{ batches: FeedLine[] }>(farm.value === null ? null : '/dashboard/feed-efficiency', {
    farm_id: farm.value?.id,
    limit: 500,
  });

/** How much feed became how much shrimp, the most wasteful in front. */
export function FeedReport() {
  const words = reportWords();
  const placeOf = usePlace();
  const cost: Column<FeedLine> = {
    name: words.feedCost,
    isNumber: true,
    of: (row) => money(row.feed_cost_per_kg_shrimp),
    raw: (row) => row.feed_cost_per_kg_shrimp,
  };
  return (
    <Answer
      of={useFeed()}
      isEmpty={({ batches }) => batches.length === 0}
      empty={<Empty text={words.none} />}
    >
      {({ batches }) => (
        <ReportTable<FeedLine>
          label={words.tabs.feed}
          keyOf={({ batch_id }) => batch_id}
          rows={batches.toSorted((a, b) => (b.fca ?? -1) - (a.fca ?? -1))}
          columns={[
            ...batchColumns<FeedLine>(words, placeOf),
            {
              name: words.fca,
              isNumber: true,
              of: (row) => (
                <>
                  {figure(row.fca, 2)}
                  <BandBar value={row.fca} band={FCA_BAND} range={[0.5, 3]} />
                </>
              ),
              raw: (row) => row.fca,
            },
            {
              name: words.status,
              of: ({ efficiency_status: status }) =>
                status === null ? words.noFca : words.efficiency[status],
              raw: ({ efficiency_status }) => efficiency_status,
            },
            dayColumn<FeedLine>(words),
            {
              name: words.feed,
              isNumber: true,
              of: (row) => quantity(row.total_feed_kg, 0, 'kg'),
              raw: (row) => row.total_feed_kg,
            },
            {
              name: words.gained,
              isNumber: true,
              of: (row) => quantity(row.biomass_gained_kg, 0, 'kg'),
              raw: (row) => row.biomass_gained_kg,
            },
            ...(seesMoney.value ? [cost] : []),
          ]}
        />
      )}
    </Answer>
  );
}

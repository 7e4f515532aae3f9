import type { FeedLine } from '#contract/resources/dashboard.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { BandBar } from '../../components/band-bar.tsx';
import { farm, seesMoney } from '../../data/farm-store.ts';
import { useGet } from '../../data/query.ts';
import { figure, money, quantity } from '../../i18n/format.ts';
import { batchColumns, type Column, dayColumn, ReportTable, usePlace } from './report-table.tsx';
import { reportWords } from './words.ts';

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

import type { GrowthLine } from '#contract/resources/dashboard.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { BandBar } from '../../components/band-bar.tsx';
import { farm } from '../../data/farm-store.ts';
import { useGet } from '../../data/query.ts';
import { grams, percent, quantity } from '../../i18n/format.ts';
import { batchColumns, dayColumn, ReportTable, usePlace } from './report-table.tsx';
import { reportWords } from './words.ts';

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

import type { SurvivalLine } from '#contract/resources/dashboard.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { BandBar } from '../../components/band-bar.tsx';
import { farm } from '../../data/farm-store.ts';
import { useGet } from '../../data/query.ts';
import { figure, percent } from '../../i18n/format.ts';
import { batchColumns, dayColumn, ReportTable, usePlace } from './report-table.tsx';
import { reportWords } from './words.ts';

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

import { Link } from 'wouter-preact';
import { batchWords } from '#words/production.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { type Column, RecordTable } from '../../components/record-table.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { type Batch, useBatches } from '../../data/batches.ts';
import { mayManage } from '../../data/farm-store.ts';
import { usePondCards, usePonds, usePondsByBatch } from '../../data/places.ts';
import { calendarDay, figure, grams, percent, plainDay, quantity } from '../../i18n/format.ts';

const STATUS_BY_TAB = { '': 'ACTIVE', despescados: 'FINISHED', perdidos: 'ABORTED' } as const;

export function BatchList({ params }: { params: Readonly<Record<string, string>> }) {
  const words = batchWords();
  const tab = params['tab'] ?? '';
  const status = tab === 'despescados' || tab === 'perdidos' ? STATUS_BY_TAB[tab] : 'ACTIVE';
  const result = useBatches(status);
  const { ponds } = usePonds();
  const now = usePondsByBatch();
  const standing = useStanding();
  const placeOf = ({ id, pond_id }: Batch): string =>
    now.get(id)?.join(' · ') ?? ponds.find((pond) => pond.id === pond_id)?.cod ?? '';
  return (
    <div class="page">
      <div class="page-head">
        <h1>{words.title}</h1>
        {mayManage.value ? (
          <div class="row">
            <Link class="button big" href="/importar">
              {words.bring}
            </Link>
            <Link class="button main big" href="/lotes/novo">
              {words.stock}
            </Link>
          </div>
        ) : null}
      </div>
      <Tabs
        label={words.title}
        tabs={[
          { href: '/lotes', label: words.tabs.ACTIVE },
          { href: '/lotes/lista/despescados', label: words.tabs.FINISHED },
          { href: '/lotes/lista/perdidos', label: words.tabs.ABORTED },
        ]}
      />
      <Answer of={result} isEmpty={(rows) => rows.length === 0} empty={<Empty text={words.none} />}>
        {() => (
          <RecordTable<Batch>
            label={words.title}
            address="lotes"
            rows={result.batches}
            keyOf={({ id }) => id}
            columns={[
              {
                name: words.code,
                of: ({ batch_code: code }) => <Link href={`/lotes/${encodeURIComponent(code)}`}>{code}</Link>,
                raw: ({ batch_code }) => batch_code,
              },
              { name: words.pond, of: placeOf, raw: placeOf },
              {
                name: words.day,
                isNumber: true,
                of: ({ days_active }) => figure(days_active),
                raw: ({ days_active }) => days_active,
              },
              {
                name: words.started,
                of: ({ start_date }) => plainDay(start_date),
                raw: ({ start_date }) => start_date,
              },
              {
                name: status === 'ACTIVE' ? words.harvest : words.harvested,
                of: (batch) => calendarDay(harvestOf(batch)),
                raw: harvestOf,
              },
              ...(status === 'ACTIVE' ? standingColumns(words, standing) : []),
              {
                name: words.survival,
                isNumber: true,
                of: ({ survival_rate }) => percent(survival_rate),
                raw: ({ survival_rate }) => survival_rate,
              },
            ]}
          />
        )}
      </Answer>
    </div>
  );
}

const harvestOf = (batch: Batch): string | null => batch.actual_harvest_date ?? batch.expected_harvest_date;

const standingColumns = (
  words: ReturnType<typeof batchWords>,
  standing: ReturnType<typeof useStanding>,
): Column<Batch>[] => [
  {
    name: words.weight,
    isNumber: true,
    of: ({ id }) => grams(standing.get(id)?.weightG),
    raw: ({ id }) => standing.get(id)?.weightG ?? null,
  },
  {
    name: words.biomass,
    isNumber: true,
    of: ({ id }) => quantity(standing.get(id)?.kg, 0, 'kg'),
    raw: ({ id }) => standing.get(id)?.kg ?? null,
  },
];

/** Weight and biomass of every batch in production, from the cards that the wall asks for anyway. */
function useStanding(): ReadonlyMap<string, { kg: number; weightG: number | null }> {
  const cards = usePondCards();
  const standing = new Map<string, { kg: number; weightG: number | null }>();
  for (const { active_batches } of cards.data?.ponds ?? []) {
    for (const { id, current_biomass_kg, average_weight_g } of active_batches) {
      const kg = (standing.get(id)?.kg ?? 0) + (current_biomass_kg ?? 0);
      standing.set(id, { kg, weightG: average_weight_g });
    }
  }
  return standing;
}

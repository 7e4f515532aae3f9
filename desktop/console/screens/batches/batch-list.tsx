import { Link } from 'wouter-preact';
import { batchWords } from '#words/production.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { useBatches } from '../../data/batches.ts';
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
          <div class="table-frame" tabIndex={0} role="region" aria-label={words.title}>
            <table class="table stacks pairs">
              <thead>
                <tr>
                  <th scope="col">{words.code}</th>
                  <th scope="col">{words.pond}</th>
                  <th scope="col" class="number">
                    {words.day}
                  </th>
                  <th scope="col">{words.started}</th>
                  <th scope="col">{status === 'ACTIVE' ? words.harvest : words.harvested}</th>
                  {status === 'ACTIVE' ? (
                    <>
                      <th scope="col" class="number">
                        {words.weight}
                      </th>
                      <th scope="col" class="number">
                        {words.biomass}
                      </th>
                    </>
                  ) : null}
                  <th scope="col" class="number">
                    {words.survival}
                  </th>
                </tr>
              </thead>
              <tbody>
                {result.batches.map((batch) => (
                  <tr key={batch.id}>
                    <th scope="row">
                      <Link href={`/lotes/${encodeURIComponent(batch.batch_code)}`}>{batch.batch_code}</Link>
                    </th>
                    <td data-label={words.pond}>
                      {now.get(batch.id)?.join(' · ') ?? ponds.find(({ id }) => id === batch.pond_id)?.cod}
                    </td>
                    <td class="number" data-label={words.day}>
                      {figure(batch.days_active)}
                    </td>
                    <td data-label={words.started}>{plainDay(batch.start_date)}</td>
                    <td data-label={status === 'ACTIVE' ? words.harvest : words.harvested}>
                      {calendarDay(batch.actual_harvest_date ?? batch.expected_harvest_date)}
                    </td>
                    {status === 'ACTIVE' ? (
                      <>
                        <td class="number" data-label={words.weight}>
                          {grams(standing.get(batch.id)?.weightG)}
                        </td>
                        <td class="number" data-label={words.biomass}>
                          {quantity(standing.get(batch.id)?.kg, 0, 'kg')}
                        </td>
                      </>
                    ) : null}
                    <td class="number" data-label={words.survival}>
                      {percent(batch.survival_rate)}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Answer>
    </div>
  );
}

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

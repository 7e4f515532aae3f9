import { Link } from 'wouter-preact';
import type { BatchOnCard, PondCard } from '#contract/resources/pond-cards.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { weighingOf } from '../../components/weighing.ts';
import { mayManage } from '../../data/farm-store.ts';
import type { Pond } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { calendarDay, figure, percent, quantity } from '../../i18n/format.ts';
import { pondWords } from './words.ts';

/** What swims in the pond, as far as the last weighing tells. */
export function PondBatch({ pond }: { pond: Pond }) {
  const words = pondWords();
  const card = useGet<PondCard>(`/ponds/${pond.id}/summary-card`);
  return (
    <Answer
      of={card}
      isEmpty={({ active_batches }) => active_batches.length === 0}
      empty={
        <Empty text={words.empty}>
          {mayManage.value ? (
            <Link class="button main" href={`/lotes/novo?pond=${encodeURIComponent(pond.cod)}`}>
              {words.stock}
            </Link>
          ) : null}
        </Empty>
      }
    >
      {({ active_batches }) => (
        <div class="stack">
          {active_batches.map((batch) => (
            <section class="card stack" key={batch.id}>
              <div class="row apart">
                <h2>{batch.batch_number}</h2>
                <Link class="button" href={`/lotes/${encodeURIComponent(batch.batch_number)}`}>
                  {words.openBatch}
                </Link>
              </div>
              <dl class="facts">
                <Fact name={words.day} value={figure(batch.days_active)} />
                <Fact name={words.weight} value={quantity(batch.average_weight_g, 1, 'g')} />
                <Fact name={words.biomass} value={quantity(batch.current_biomass_kg, 0, 'kg')} />
                <Fact name={words.population} value={figure(batch.current_population)} />
                <Fact name={words.survival} value={percent(batch.survival_rate)} />
                <Fact name={words.fca} value={figure(batch.fca, 2)} />
              </dl>
              <Weighed batch={batch} />
            </section>
          ))}
        </div>
      )}
    </Answer>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** Without a weighing the figures rest on the stocking, and nobody may take them for the animals of today. */
function Weighed({ batch }: { batch: BatchOnCard }) {
  const words = pondWords();
  const isOld = weighingOf(batch) === 'stale';
  return (
    <p class="muted small">
      {batch.weighed_at === null ? words.neverWeighed : words.weighed(calendarDay(batch.weighed_at))}{' '}
      {isOld ? <span class="chip">{words.outdated}</span> : null}
    </p>
  );
}

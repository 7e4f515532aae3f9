import '../../styles/batches.css';
import { Link } from 'wouter-preact';
import type { PondCards } from '#contract/resources/pond-cards.ts';
import { transferWords } from '#words/production.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { type Batch, useBatches } from '../../data/batches.ts';
import { mayManage } from '../../data/farm-store.ts';
import { usePondCards, usePonds } from '../../data/places.ts';
import { figure, quantity } from '../../i18n/format.ts';
import { NewTransfer } from './new-transfer.tsx';
import { TransferHistory } from './transfer-history.tsx';

type Card = PondCards['ponds'][number];

export function Transfers({ params }: { params: Readonly<Record<string, string>> }) {
  const words = transferWords();
  // who may not move animals begins with where they are
  const tab = params['tab'] ?? (mayManage.value ? '' : 'onde');
  return (
    <div class="page">
      <h1>{words.title}</h1>
      <Tabs
        label={words.title}
        tabs={[
          ...(mayManage.value ? [{ href: '/transferencias', label: words.tabs.new }] : []),
          { href: '/transferencias/historico', label: words.tabs.history },
          { href: '/transferencias/onde', label: words.tabs.where },
        ]}
      />
      {tab === 'historico' ? <TransferHistory /> : tab === 'onde' ? <WhereTheyAre /> : <NewTransfer />}
    </div>
  );
}

/** Every batch in production with the ponds that hold it, wide as their share of its biomass. */
function WhereTheyAre() {
  const words = transferWords();
  const cards = usePondCards();
  const { batches } = useBatches();
  const { ponds } = usePonds();
  return (
    <section class="stack">
      <h2>{words.whereTitle}</h2>
      <Answer of={cards}>
        {(told) =>
          batches.length === 0 ? (
            <Empty text={words.noBatch} />
          ) : (
            <ul class="where">
              {batches.map((batch) => (
                <li key={batch.id} class="card">
                  <Row
                    batch={batch}
                    origin={ponds.find(({ id }) => id === batch.pond_id)?.cod ?? ''}
                    places={placesOf(batch.id, told.ponds)}
                  />
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
    </section>
  );
}

function placesOf(batchId: string, cards: readonly Card[]) {
  return cards.flatMap(({ cod, active_batches }) =>
    active_batches
      .filter(({ id }) => id === batchId)
      .map(({ current_biomass_kg }) => ({ cod, kg: current_biomass_kg ?? 0 })),
  );
}

function Row({
  batch,
  origin,
  places,
}: {
  batch: Batch;
  origin: string;
  places: readonly { cod: string; kg: number }[];
}) {
  const words = transferWords();
  const whole = places.reduce((sum, { kg }) => sum + kg, 0);
  return (
    <>
      <div>
        <h3>
          <Link href={`/lotes/${encodeURIComponent(batch.batch_code)}`}>{batch.batch_code}</Link>
        </h3>
        <p class="muted small">
          {words.day(figure(batch.days_active))} · {words.origin(origin)}
        </p>
      </div>
      <ul class="where-ponds">
        {places.map(({ cod, kg }) => (
          <li key={cod} style={{ flexGrow: whole <= 0 ? 1 : Math.max(kg / whole, 0.15) }}>
            <Link href={`/viveiros/${encodeURIComponent(cod)}`}>
              <strong>{cod}</strong> <span class="muted small">{quantity(kg, 0, 'kg')}</span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

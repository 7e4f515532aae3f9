import '../../styles/batches.css';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { PondCards } from '#contract/resources/pond-cards.ts';
import type { TransferAnswer } from '#contract/resources/transfers.ts';
import { componentWords } from '#words/components.ts';
import { transferWords } from '#words/production.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { RecordTable, RowActions } from '../../components/record-table.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { BATCH_TOUCHES, type Batch, useBatches } from '../../data/batches.ts';
import { isLeaving } from '../../data/corrections.ts';
import { mayManage } from '../../data/farm-store.ts';
import { usePondCards, usePonds } from '../../data/places.ts';
import { useGet } from '../../data/query.ts';
import { asTyped, dayAndTime, figure, quantity } from '../../i18n/format.ts';
import { NewTransfer } from './new-transfer.tsx';

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

const STEP = 50;

/** Every move, newest first; the farm's own only. */
function TransferHistory() {
  const words = transferWords();
  const [limit, setLimit] = useState(STEP);
  const page = useGet('/batch-transfers/', { limit });
  const { ponds } = usePonds();
  const known = [useBatches('ACTIVE'), useBatches('FINISHED'), useBatches('ABORTED')].flatMap(
    ({ batches }) => batches,
  );
  const codOf = (id: number) => ponds.find(({ numeric_id }) => numeric_id === id)?.cod;
  const codeOf = ({ batch_id }: TransferAnswer) =>
    known.find(({ numeric_id }) => numeric_id === batch_id)?.batch_code ?? '';
  const wayOf = (row: TransferAnswer) =>
    `${codOf(row.source_pond_id) ?? ''} → ${codOf(row.destination_pond_id) ?? ''}`;
  return (
    <Answer of={page} isEmpty={({ items }) => items.length === 0} empty={<Empty text={words.none} />}>
      {({ items, total }) => (
        <>
          <RecordTable<TransferAnswer>
            label={words.tabs.history}
            address="transferencias"
            keyOf={({ id }) => String(id)}
            rows={items
              .filter(({ source_pond_id }) => codOf(source_pond_id) !== undefined)
              .filter(({ id }) => !isLeaving(`/transfers/${id}`))}
            columns={[
              {
                name: words.when,
                of: ({ transfer_date }) => dayAndTime(transfer_date),
                raw: ({ transfer_date }) => transfer_date,
              },
              { name: words.batch, of: codeOf, raw: codeOf },
              { name: words.way, of: wayOf, raw: wayOf },
              {
                name: words.quantity,
                isNumber: true,
                of: (row) => figure(row.quantity),
                raw: (row) => row.quantity,
              },
              {
                name: words.meanWeight,
                isNumber: true,
                of: (row) => quantity(row.average_weight, 2, 'g'),
                raw: (row) => row.average_weight,
              },
              {
                name: words.biomass,
                isNumber: true,
                of: (row) => quantity(row.biomass_transferred, 0, 'kg'),
                raw: (row) => row.biomass_transferred,
              },
              {
                name: words.reason,
                isLong: true,
                of: (row) => (
                  <>
                    {row.reason}
                    {row.contested ? <p class="small">▲ {words.contested}</p> : null}
                  </>
                ),
                raw: (row) => row.reason,
              },
            ]}
            actionsName={words.actions}
            actions={mayManage.value ? (row) => <Actions row={row} way={wayOf(row)} /> : undefined}
          />
          {total > limit ? (
            <Button onClick={() => setLimit(limit + STEP)}>{componentWords().more}</Button>
          ) : null}
        </>
      )}
    </Answer>
  );
}

function Actions({ row, way }: { row: TransferAnswer; way: string }) {
  const words = transferWords();
  return (
    <RowActions
      path={`/transfers/${row.id}`}
      label={words.row(way)}
      touches={BATCH_TOUCHES}
      fields={[
        { name: 'transfer_date', label: words.when, kind: 'moment', first: row.transfer_date },
        { name: 'quantity', label: words.quantity, kind: 'count', first: asTyped(row.quantity) },
        {
          name: 'average_weight',
          label: words.weight,
          kind: 'figure',
          unit: 'g',
          first: asTyped(row.average_weight),
          isOptional: true,
        },
        {
          name: 'reason',
          label: words.reason,
          kind: 'text',
          first: row.reason ?? '',
          isOptional: true,
        },
      ]}
    />
  );
}

import '../../styles/tables.css';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { RecallAnswer } from '#contract/resources/lot-trace.ts';
import { lotWords } from '#words/harvest-lots.ts';
import { batchWords } from '#words/production.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { farm } from '../../data/farm-store.ts';
import { useGet } from '../../data/query.ts';
import { dayAndTime, figure, quantity } from '../../i18n/format.ts';
import { BatchLink } from './report-table.tsx';

/** Which batches and lots had a lot of feed, or a product: a recall in one question. */
export function Recall() {
  const words = lotWords();
  const [lot, setLot] = useState('');
  const [product, setProduct] = useState('');
  const [asked, ask] = useState<{ product_lot?: string; product?: string } | null>(null);
  const found = useGet(
    farm.value === null || asked === null ? null : `/farms/${farm.value.id}/trace`,
    asked ?? {},
  );
  const wanted = {
    ...(lot.trim() === '' ? {} : { product_lot: lot.trim() }),
    ...(product.trim() === '' ? {} : { product: product.trim() }),
  };
  return (
    <div class="stack" data-recall>
      <form
        noValidate
        class="card stack no-print"
        onSubmit={(event) => {
          event.preventDefault();
          if (Object.keys(wanted).length > 0) ask(wanted);
        }}
      >
        <p>{words.recallText}</p>
        <div class="form-grid">
          <TextField
            label={words.recallLot}
            value={lot}
            maxLength={255}
            onInput={(event) => setLot(event.currentTarget.value)}
          />
          <TextField
            label={words.recallProduct}
            value={product}
            maxLength={255}
            onInput={(event) => setProduct(event.currentTarget.value)}
          />
        </div>
        <div>
          <Button look="main" type="submit" unready={Object.keys(wanted).length === 0}>
            {words.search}
          </Button>
        </div>
      </form>
      {asked === null ? null : <Answer of={found}>{(told) => <Found told={told} />}</Answer>}
    </div>
  );
}

function Found({ told }: { told: RecallAnswer }) {
  const words = lotWords();
  if (told.batches.length === 0 && told.deliveries.length === 0)
    return (
      <p class="card" role="status">
        {words.nothingFound}
      </p>
    );
  return (
    <>
      <section class="card stack" role="status">
        <h2>{words.reached}</h2>
        {told.harvest_lots.length === 0 ? (
          <p>{words.reachedNone}</p>
        ) : (
          <ul class="stack">
            {told.harvest_lots.map((lot) => (
              <li key={lot.id}>
                <Link href={`/lotes/${encodeURIComponent(lot.batch_code)}/despesca/${lot.id}`}>
                  {lot.lot_code}
                </Link>{' '}
                {[
                  dayAndTime(lot.harvested_at),
                  quantity(lot.weight_kg, 0, 'kg'),
                  lot.buyer,
                  lot.transport_document,
                  words.certainties[lot.certainty],
                ]
                  .filter((part) => part !== null)
                  .join(' · ')}
              </li>
            ))}
          </ul>
        )}
      </section>
      <section class="card stack">
        <h2>{words.batches}</h2>
        <ul class="stack">
          {told.batches.map((batch) => (
            <li key={batch.batch_id}>
              <BatchLink code={batch.batch_code} />{' '}
              {batch.population === null
                ? words.otherFarm
                : batch.population > 0
                  ? words.alive(figure(batch.population))
                  : batchWords().stands[batch.status]}
              <ul>
                {batch.received.map((each) => (
                  <li key={`${each.kind} ${each.certainty} ${each.product} ${each.lot}`}>
                    {[
                      each.product,
                      each.lot ?? words.unknownLot,
                      each.kg === null ? null : quantity(each.kg, 1, 'kg'),
                      `${dayAndTime(each.first_at)} – ${dayAndTime(each.last_at)}`,
                      words.certainties[each.certainty],
                    ]
                      .filter((part) => part !== null)
                      .join(' · ')}
                  </li>
                ))}
              </ul>
            </li>
          ))}
        </ul>
      </section>
      {told.deliveries.length === 0 ? null : (
        <section class="card stack">
          <h2>{words.deliveries}</h2>
          <ul>
            {told.deliveries.map((each) => (
              <li key={each.entry_id}>
                {[
                  each.product,
                  each.lot,
                  each.supplier,
                  dayAndTime(each.delivered_at),
                  quantity(each.quantity_kg, 0, 'kg'),
                  words.left(quantity(each.left_kg, 0, 'kg')),
                ]
                  .filter((part) => part !== null)
                  .join(' · ')}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

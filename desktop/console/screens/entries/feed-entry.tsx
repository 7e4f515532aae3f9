import { useRef, useState } from 'preact/hooks';
import type { FeedingRecommendation } from '#contract/resources/feeding.ts';
import { entryWords, formWords } from '#words/entries.ts';
import { feedStockWords } from '#words/feed-stock.ts';
import { SelectField, TextField } from '../../components/field.tsx';
import { FigureField, useFigure } from '../../components/figure-field.tsx';
import type { Batch } from '../../data/batches.ts';
import { farm, seesMoney } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { useGet } from '../../data/query.ts';
import { asTyped, currencySign, plainDay, quantity } from '../../i18n/format.ts';
import { STOCK_TOUCHES, sameFeed } from '../feed-stock/stock-touches.ts';
import { TraysLeftNote } from '../records/tray-details.tsx';
import { TrayEntry } from '../records/tray-entry.tsx';
import { EntryForm, SaveButton, useSubmit, useWhen, WhenFields } from './entry-form.tsx';

/** A meal, or with `bandejas` what meals left on the trays. */
export function FeedEntry({ params }: { params: { what?: string } }) {
  if (params.what === 'bandejas') return <TrayEntry />;
  return (
    <EntryForm title={entryWords().feed}>{(batch) => <FeedForm key={batch.id} batch={batch} />}</EntryForm>
  );
}

function FeedForm({ batch }: { batch: Batch }) {
  const advice = useGet(`/feeding/batch/${batch.id}/recommendation`);
  const journal = useGet(`/feeding/batch/${batch.id}`, { limit: 1 });
  // without a line nothing stands there already, and nobody waits for it; once it is shown it stays: somebody types
  const isShown = useRef(false);
  isShown.current ||= isBlind.value || (advice.isFetched && journal.isFetched);
  if (!isShown.current) return <div class="skeleton" aria-busy="true" />;
  const last = journal.data?.feeding_records[0];
  return (
    <Filled
      batch={batch}
      advice={advice.data}
      feedType={last?.feed_type ?? advice.data?.recommendation.feed_type ?? ''}
      cost={asTyped(last?.cost_per_kg)}
    />
  );
}

/** What was fed last stands there already: most days only the quantity is new. */
function Filled({
  batch,
  advice,
  feedType,
  cost,
}: {
  batch: Batch;
  advice: FeedingRecommendation | undefined;
  feedType: string;
  cost: string;
}) {
  const words = formWords();
  const submit = useSubmit();
  const when = useWhen();
  const kg = useFigure();
  const perKg = useFigure(cost);
  // who does not see money goes on with the last price; where none is known, somebody has to say it
  const asksCost = farm.value === null || seesMoney.value || cost === '';
  const leftover = useFigure('', { isNeeded: false, most: 100 });
  const [type, setType] = useState(feedType);
  const ponds = advice?.ponds ?? [];
  const [pondId, setPondId] = useState(ponds[0]?.pond_id ?? batch.pond_id);
  const pond = ponds.find(({ pond_id }) => pond_id === pondId);
  const isRight = kg.isRight && perKg.isRight && leftover.isRight && when.isRight && type.trim() !== '';
  const save = () =>
    submit({
      path: '/feeding/',
      label: `${batch.batch_code} · ${quantity(kg.value, 2, 'kg')}`,
      body: {
        batch_id: batch.id,
        pond_id: pondId,
        feed_type: type.trim(),
        quantity_kg: kg.value,
        cost_per_kg: perKg.value,
        feed_date: when.instant(),
        ...(leftover.value === null ? {} : { tray_leftover_percent: leftover.value }),
      },
      touches: ['feeding', 'ponds', 'batches', 'financial', 'dashboard', ...STOCK_TOUCHES],
    });
  return (
    <>
      {advice === undefined ? null : (
        <p class="note">
          <span>
            {words.feed.recommended(
              quantity(advice.recommendation.recommended_feed_kg, 2, 'kg'),
              advice.recommendation.feeding_frequency,
            )}
            <br />
            {advice.recommendation.next_meal_kg === null
              ? null
              : words.feed.nextMeal(quantity(advice.recommendation.next_meal_kg, 2, 'kg'))}
          </span>
        </p>
      )}
      {ponds.length < 2 ? null : (
        <SelectField
          label={words.pond}
          value={pondId}
          options={ponds.map(({ pond_id, pond_cod }) => ({ value: pond_id, label: pond_cod }))}
          onChange={(event) => setPondId(event.currentTarget.value)}
        />
      )}
      {pond === undefined ? null : <TraysLeftNote trays={pond.trays} pondCod={pond.pond_cod} />}
      <FigureField label={words.feed.quantity} unit="kg" figure={kg} />
      <FigureField label={words.feed.leftover} unit="%" figure={leftover} />
      <WhenFields when={when} />
      <TextField
        needed
        label={words.feed.type}
        value={type}
        maxLength={255}
        list="stock-feeds"
        onInput={(event) => setType(event.currentTarget.value)}
      />
      <OfStock type={type} />
      {asksCost ? <FigureField label={words.feed.cost} unit={currencySign.value} figure={perKg} /> : null}
      <SaveButton isRight={isRight} save={save} />
    </>
  );
}

/** The feeds there are, and whether the oldest of this one has expired. */
function OfStock({ type }: { type: string }) {
  const words = feedStockWords();
  const stock = useGet(farm.value === null ? null : `/farms/${farm.value.id}/feed-stock`);
  const products = stock.data?.products ?? [];
  const oldest = products.find(({ product }) => sameFeed(product, type))?.lots[0];
  const name = oldest === undefined || oldest.lot === null ? type : `${type}, ${oldest.lot}`;
  return (
    <>
      <datalist id="stock-feeds">
        {products.map(({ product }) => (
          <option key={product} value={product} />
        ))}
      </datalist>
      {oldest?.is_expired === true ? (
        <p class="note p2" role="status" data-feed-expired>
          ▲ {words.feedIsExpired(name, plainDay(oldest.expires_on))}
        </p>
      ) : null}
    </>
  );
}

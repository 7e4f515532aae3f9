import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { BatchDetail } from '#contract/resources/batches.ts';
import { harvestWords } from '#words/production.ts';
import { BeforeAfter, faultText } from '../../components/answer.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { CountField, FigureField, useCount, useFigure } from '../../components/figure-field.tsx';
import { toast } from '../../components/toast.tsx';
import { del } from '../../data/api.ts';
import { BATCH_TOUCHES } from '../../data/batches.ts';
import { useFaults, useSend } from '../../data/corrections.ts';
import { usePonds } from '../../data/places.ts';
import { refresh } from '../../data/query.ts';
import { currencySign, figure, money, quantity } from '../../i18n/format.ts';
import { SaveButton, useWhen, WhenFields } from '../entries/entry-form.tsx';
import { useWithdrawalQuestion } from '../records/withdrawal.tsx';
import { usePrice } from './price.ts';

/** A mean weight so far from the batch's is more likely a slip than a truth. */
const FAR = 0.35;

export function PartialHarvest({ batch }: { batch: BatchDetail }) {
  const words = harvestWords();
  const { ponds } = usePonds();
  const faults = useFaults();
  const save = useSave(batch, faults.tell);
  const when = useWhen();
  const count = useCount();
  const weight = useFigure();
  const price = usePrice();
  const withdrawal = useWithdrawalQuestion(batch, when.day);
  const [pondId, setPondId] = useState('');
  const [notes, setNotes] = useState('');
  const mean =
    count.isRight && weight.isRight ? ((weight.value ?? 0) * 1_000) / Math.max(count.value ?? 1, 1) : null;
  const left = Math.max(0, batch.current_population - (count.value ?? 0));
  const taken = ((count.value ?? 0) * batch.average_weight_g) / 1_000;
  const biomassLeft = Math.max(0, batch.current_biomass_kg - taken);
  const isFar = mean !== null && Math.abs(mean - batch.average_weight_g) > batch.average_weight_g * FAR;
  const revenue = weight.value === null || price.value === null ? null : weight.value * price.value;
  const body = () => ({
    harvest_date: when.instant(),
    quantity: count.value,
    weight_kg: weight.value,
    ...(price.value === null ? {} : { price_per_kg: price.value }),
    ...(pondId === '' ? {} : { pond_id: pondId }),
    ...(notes.trim() === '' ? {} : { notes: notes.trim() }),
  });
  return (
    <section class="card stack far">
      <WhenFields when={when} />
      {batch.ponds.length < 2 ? null : (
        <SelectField
          label={words.pond}
          value={pondId}
          options={[
            { value: '', label: words.allPonds },
            ...batch.ponds.map(({ pond_id, population }) => ({
              value: pond_id,
              label: `${ponds.find(({ id }) => id === pond_id)?.cod ?? ''} (${figure(population)})`,
            })),
          ]}
          onChange={(event) => setPondId(event.currentTarget.value)}
        />
      )}
      <div class="form-grid">
        <CountField
          label={words.quantity}
          count={count}
          fault={
            faults.at('quantity') ??
            (count.value !== null && count.value > batch.current_population
              ? words.more(figure(batch.current_population))
              : null)
          }
        />
        <FigureField label={words.weight} unit="kg" figure={weight} fault={faults.at('weight_kg')} />
        <FigureField
          label={words.price}
          unit={currencySign.value}
          figure={price}
          fault={faults.at('price_per_kg')}
        />
        <TextField
          label={words.notes}
          value={notes}
          onInput={(event) => setNotes(event.currentTarget.value)}
        />
      </div>
      {mean === null ? null : (
        <p class={`note ${isFar ? 'p2' : ''}`} role="status">
          <span>
            {words.mean(quantity(mean, 1, 'g'), quantity(batch.average_weight_g, 1, 'g'))}
            {isFar ? (
              <>
                <br />▲ {words.meanFar}
              </>
            ) : null}
          </span>
        </p>
      )}
      <BeforeAfter
        rows={[
          { name: words.population, before: figure(batch.current_population), after: figure(left) },
          {
            name: words.biomass,
            before: quantity(batch.current_biomass_kg, 0, 'kg'),
            after: quantity(biomassLeft, 0, 'kg'),
          },
          {
            name: words.harvestedSoFar,
            before: quantity(batch.harvested_kg, 0, 'kg'),
            after: quantity(batch.harvested_kg + (weight.value ?? 0), 0, 'kg'),
          },
          { name: words.revenue, before: '—', after: money(revenue) },
        ]}
      />
      {withdrawal.question}
      {faults.whole === null ? null : (
        <p class="note p2" role="alert">
          {faults.whole}
        </p>
      )}
      <SaveButton
        isRight={count.isRight && weight.isRight && price.isRight && when.isRight && withdrawal.isRight}
        label={words.saveParts}
        save={() => save(body())}
      />
    </section>
  );
}

function useSave(batch: BatchDetail, tell: ReturnType<typeof useFaults>['tell']) {
  const words = harvestWords();
  const send = useSend();
  const [, go] = useLocation();
  const undo = (id: string) =>
    del(`/batches/${batch.id}/harvests/${id}`).then(
      () => {
        refresh(...BATCH_TOUCHES);
        toast(words.undone, null, 4_000);
      },
      (error: unknown) => toast(faultText(error)),
    );
  return async (body: unknown) => {
    try {
      const saved = await send(`/batches/${batch.id}/harvests`, body);
      refresh(...BATCH_TOUCHES);
      go(`/lotes/${encodeURIComponent(batch.batch_code)}`);
      toast(words.done(quantity(saved.weight_kg, 0, 'kg')), {
        label: words.undo,
        run: () => void undo(saved.id),
      });
    } catch (error) {
      tell(error, { NOT_ENOUGH_ANIMALS: 'quantity' });
    }
  };
}

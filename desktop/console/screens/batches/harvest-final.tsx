import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { BatchDetail } from '#contract/resources/batches.ts';
import { componentWords } from '#words/components.ts';
import { harvestWords } from '#words/production.ts';
import { BeforeAfter, faultText } from '../../components/answer.tsx';
import { TextField } from '../../components/field.tsx';
import { FigureField, useFigure } from '../../components/figure-field.tsx';
import { toast } from '../../components/toast.tsx';
import { BATCH_TOUCHES } from '../../data/batches.ts';
import { useFaults, useSend } from '../../data/corrections.ts';
import { refresh } from '../../data/query.ts';
import { currencySign, figure, money, quantity } from '../../i18n/format.ts';
import { SaveButton, useWhen, WhenFields } from '../entries/entry-form.tsx';
import { useWithdrawalQuestion } from '../records/withdrawal.tsx';
import { usePrice } from './price.ts';

const FAR = 0.35;

/** Ends the batch: what it was, what it becomes, and its code typed before it is done. */
export function FinalHarvest({ batch }: { batch: BatchDetail }) {
  const words = harvestWords();
  const faults = useFaults();
  const send = useSend();
  const [, go] = useLocation();
  const when = useWhen();
  const weight = useFigure('', { isNeeded: false });
  const count = useFigure('', { isNeeded: false });
  const meanG = useFigure('', { isNeeded: false });
  const price = usePrice();
  const withdrawal = useWithdrawalQuestion(batch, when.day);
  const [notes, setNotes] = useState('');
  const [typed, setTyped] = useState('');
  const estimate = batch.current_biomass_kg;
  const kg = weight.value ?? estimate;
  const isFar = weight.value !== null && Math.abs(weight.value - estimate) > estimate * FAR;
  const save = async () => {
    try {
      await send(`/batches/${batch.id}/finish`, {
        actual_harvest_date: when.instant(),
        ...(weight.value === null ? {} : { final_weight_kg: weight.value }),
        ...(count.value === null ? {} : { final_count: count.value }),
        ...(meanG.value === null ? {} : { final_average_weight_g: meanG.value }),
        ...(price.value === null ? {} : { price_per_kg: price.value }),
        ...(notes.trim() === '' ? {} : { notes: notes.trim() }),
      });
      refresh(...BATCH_TOUCHES);
      go(`/lotes/${encodeURIComponent(batch.batch_code)}`);
      toast(words.finishedToast(batch.batch_code));
    } catch (error) {
      faults.tell(error);
      toast(faultText(error));
    }
  };
  return (
    <section class="card stack far">
      <WhenFields when={when} />
      <div class="form-grid">
        <FigureField
          label={words.finalWeight}
          unit="kg"
          hint={words.finalHint(quantity(estimate, 0, 'kg'))}
          figure={weight}
          fault={faults.at('final_weight_kg') ?? (isFar ? words.weightFar : null)}
        />
        <FigureField
          label={words.finalCount}
          hint={words.finalCountHint}
          figure={count}
          fault={faults.at('final_count')}
        />
        <FigureField
          label={words.finalMean}
          unit="g"
          figure={meanG}
          fault={faults.at('final_average_weight_g')}
        />
        <FigureField label={words.price} unit={currencySign.value} figure={price} />
        <TextField
          label={words.notes}
          value={notes}
          onInput={(event) => setNotes(event.currentTarget.value)}
        />
      </div>
      <BeforeAfter
        rows={[
          { name: words.status, before: words.active, after: words.finished },
          { name: words.population, before: figure(batch.current_population), after: '0' },
          {
            name: words.biomass,
            before: quantity(estimate, 0, 'kg'),
            after: quantity(0, 0, 'kg'),
          },
          {
            name: words.harvestedSoFar,
            before: quantity(batch.harvested_kg, 0, 'kg'),
            after: quantity(kg + batch.harvested_kg, 0, 'kg'),
          },
          {
            name: words.revenue,
            before: '—',
            after: money(price.value === null ? null : kg * price.value),
          },
        ]}
      />
      <p class="note p2">▲ {words.finalWarning}</p>
      <TextField
        needed
        label={words.typeCode(batch.batch_code)}
        value={typed}
        fault={
          typed === '' || isSameCode(typed, batch.batch_code)
            ? null
            : componentWords().otherText(batch.batch_code)
        }
        autoComplete="off"
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      {withdrawal.question}
      {faults.whole === null ? null : (
        <p class="note p2" role="alert">
          {faults.whole}
        </p>
      )}
      <SaveButton
        isRight={
          weight.isRight &&
          count.isRight &&
          meanG.isRight &&
          price.isRight &&
          when.isRight &&
          withdrawal.isRight &&
          isSameCode(typed, batch.batch_code)
        }
        label={words.saveFinal}
        save={save}
      />
    </section>
  );
}

/** Capitals and spaces around are forgiven; the code itself is not. */
export const isSameCode = (typed: string, code: string): boolean =>
  typed.trim().toUpperCase() === code.trim().toUpperCase();

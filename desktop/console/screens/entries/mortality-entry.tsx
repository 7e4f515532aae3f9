import { useState } from 'preact/hooks';
import type { BatchDetail } from '#contract/resources/batches.ts';
import { TextField } from '../../components/field.tsx';
import { FigureField, useFigure } from '../../components/figure-field.tsx';
import type { Batch } from '../../data/batches.ts';
import { useGet } from '../../data/query.ts';
import { figure, percent } from '../../i18n/format.ts';
import { EntryForm, SaveButton } from './entry-form.tsx';
import { formWords } from './form-words.ts';
import { useSubmit } from './use-form.ts';
import { entryWords } from './words.ts';

export function MortalityEntry() {
  return (
    <EntryForm title={entryWords().mortality}>
      {(batch) => <MortalityForm key={batch.id} batch={batch} />}
    </EntryForm>
  );
}

/** Shows what the batch was and what it will be before anything is saved. */
function MortalityForm({ batch }: { batch: Batch }) {
  const words = formWords();
  const submit = useSubmit();
  const detail = useGet<BatchDetail>(`/batches/${batch.id}`);
  const died = useFigure('', { most: 100 });
  const [event, setEvent] = useState('');
  const rate = detail.data?.survival_rate ?? batch.survival_rate;
  const alive = detail.data?.current_population ?? null;
  const share = died.isRight && died.value !== null ? died.value / 100 : null;
  const save = () =>
    submit({
      path: `/batches/${batch.id}/adjust-survival`,
      label: `${batch.batch_code} · −${percent(died.value, 1)}`,
      body: { event_description: event.trim(), severity: share },
      touches: ['batches', 'ponds', 'dashboard', 'feeding', 'financial'],
    });
  return (
    <>
      <p class="note">
        <span>
          {words.mortality.now(percent(rate, 1), figure(alive))}
          {share === null ? null : (
            <>
              <br />
              <strong>
                {words.mortality.later(
                  percent(rate * (1 - share), 1),
                  figure(alive === null ? null : Math.round(alive * (1 - share))),
                )}
              </strong>
            </>
          )}
        </span>
      </p>
      <FigureField label={words.mortality.severity} unit="%" figure={died} />
      <TextField
        label={words.mortality.event}
        value={event}
        maxLength={500}
        onInput={(input) => setEvent(input.currentTarget.value)}
      />
      <SaveButton
        isRight={share !== null && event.trim() !== ''}
        save={save}
        label={words.mortality.confirm}
      />
    </>
  );
}

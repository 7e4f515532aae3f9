import { entryWords, formWords } from '#words/entries.ts';
import { CountField, FigureField, useCount, useFigure } from '../../components/figure-field.tsx';
import type { Batch } from '../../data/batches.ts';
import { useGet } from '../../data/query.ts';
import { calendarDay, quantity } from '../../i18n/format.ts';
import {
  EntryForm,
  OnePondField,
  SaveButton,
  useOnePond,
  useSubmit,
  useWhen,
  WhenFields,
} from './entry-form.tsx';
import { SingleWeights, useSingleWeights } from './single-weights.tsx';

export function BiometryEntry() {
  return (
    <EntryForm title={entryWords().biometry}>
      {(batch) => <BiometryForm key={batch.id} batch={batch} />}
    </EntryForm>
  );
}

/** The mean weight stands there while typing, beside the last one: a slip of the comma is seen before it leaves. */
function BiometryForm({ batch }: { batch: Batch }) {
  const words = formWords();
  const submit = useSubmit();
  const journal = useGet(`/biometries/batch/${batch.id}`, { limit: 20 });
  const detail = useGet(`/batches/${batch.id}`);
  const place = useOnePond(detail.data?.ponds);
  const when = useWhen();
  const sample = useCount();
  const weight = useFigure();
  const pondId = place.pond?.pond_id ?? null;
  const last = journal.data?.biometries.find(
    ({ pond_id }) => pondId === null || pond_id === null || pond_id === pondId,
  );
  const singles = useSingleWeights();
  const [count, grams] =
    singles.weights === null
      ? [sample.value, weight.value]
      : [
          singles.weights.length,
          Math.round(1_000 * singles.weights.reduce((sum, one) => sum + one, 0)) / 1_000,
        ];
  const isWeighed = singles.weights === null ? sample.isRight && weight.isRight : singles.isRight;
  const mean = isWeighed ? (grams ?? 0) / (count ?? 1) : null;
  const save = () =>
    submit({
      path: '/biometries/',
      label: `${batch.batch_code} · ${quantity(mean, 2, 'g')}`,
      body: {
        batch_id: batch.id,
        ...(pondId === null ? {} : { pond_id: pondId }),
        measurement_date: when.instant(),
        sample_size: count,
        total_weight_g: grams,
        ...(singles.weights === null ? {} : { individual_weights_g: singles.weights }),
      },
      touches: ['biometries', 'batches', 'ponds', 'dashboard', 'feeding', 'financial'],
    });
  return (
    <>
      <OnePondField of={place} all={words.biometry.allPonds} />
      {singles.weights === null ? (
        <>
          <CountField label={words.biometry.sample} count={sample} />
          <FigureField label={words.biometry.weight} unit="g" figure={weight} />
        </>
      ) : null}
      <SingleWeights of={singles} />
      <div class="note" role="status">
        <span>
          <strong>{words.biometry.mean(quantity(mean, 2, 'g'))}</strong>
          <br />
          {last === undefined
            ? null
            : words.biometry.last(
                quantity(last.average_weight_g, 2, 'g'),
                calendarDay(last.measurement_date),
              )}
          {mean !== null && last !== undefined && mean < last.average_weight_g ? (
            <p>▲ {words.biometry.fell}</p>
          ) : null}
          {mean !== null && last !== undefined && mean > 2 * last.average_weight_g ? (
            <p>▲ {words.biometry.doubled}</p>
          ) : null}
        </span>
      </div>
      <WhenFields when={when} />
      <SaveButton isRight={isWeighed && when.isRight} save={save} />
    </>
  );
}

import { useState } from 'preact/hooks';
import { LOSS_CAUSES, type LossCause } from '#contract/resources/batches.ts';
import { entryWords, formWords } from '#words/entries.ts';
import { recordWords } from '#words/production.ts';
import { SelectField, TextField } from '../../components/field.tsx';
import { CountField, FigureField, useCount, useFigure } from '../../components/figure-field.tsx';
import type { Batch } from '../../data/batches.ts';
import { useGet } from '../../data/query.ts';
import { figure, percent, quantity } from '../../i18n/format.ts';
import {
  EntryForm,
  OnePondField,
  SaveButton,
  useOnePond,
  useSubmit,
  useWhen,
  WhenFields,
} from './entry-form.tsx';

export function MortalityEntry() {
  return (
    <EntryForm title={entryWords().mortality}>
      {(batch) => <MortalityForm key={batch.id} batch={batch} />}
    </EntryForm>
  );
}

const WAYS = ['severity', 'dead_count', 'dead_weight_kg'] as const;
type Way = (typeof WAYS)[number];

/** What animals may have died of; first that nobody knows. */
export function causeOptions(): { value: string; label: string }[] {
  const { causes, causeNotKnown } = recordWords();
  return [
    { value: '', label: causeNotKnown },
    ...LOSS_CAUSES.map((value) => ({ value, label: causes[value] })),
  ];
}

/** Shows what the batch was and what it will be before anything is saved. */
function MortalityForm({ batch }: { batch: Batch }) {
  const words = formWords();
  const submit = useSubmit();
  const when = useWhen();
  const [began] = useState(when.instant);
  const detail = useGet(`/batches/${batch.id}`);
  const place = useOnePond(detail.data?.ponds);
  const [way, setWay] = useState<Way>('severity');
  const died = useFigure('', { most: 100 });
  const count = useCount();
  const weight = useFigure();
  const [cause, setCause] = useState<LossCause | null>(null);
  const [event, setEvent] = useState('');
  const rate = detail.data?.survival_rate ?? batch.survival_rate;
  const population = detail.data?.current_population ?? null;
  const alive = place.pond?.population ?? population;
  const weightG = place.pond?.average_weight_g ?? detail.data?.average_weight_g ?? null;
  const field = { severity: died, dead_count: count, dead_weight_kg: weight }[way];
  const value = field.isRight ? field.value : null;
  const dead =
    value === null || (alive === null && way === 'severity')
      ? null
      : way === 'severity'
        ? ((alive ?? 0) * value) / 100
        : way === 'dead_count'
          ? value
          : weightG === null
            ? null
            : (value * 1000) / weightG;
  // of the whole batch, as its survival is
  const share = dead === null || !population ? null : Math.min(1, dead / population);
  const told = {
    severity: `−${percent(died.value, 1)}`,
    dead_count: `−${figure(count.value)}`,
    dead_weight_kg: `−${quantity(weight.value, 2, 'kg')}`,
  }[way];
  const save = () =>
    submit({
      path: `/batches/${batch.id}/adjust-survival`,
      label: `${batch.batch_code} · ${told}`,
      body: {
        event_description: event.trim(),
        cause,
        [way]: way === 'severity' && value !== null ? value / 100 : value,
        ...(place.pond === null ? {} : { pond_id: place.pond.pond_id }),
        // of now it counts after all that was told before; only a day that somebody chose is told
        ...(when.instant() === began ? {} : { lost_at: when.instant() }),
      },
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
                  figure(alive === null || dead === null ? null : Math.max(0, Math.round(alive - dead))),
                )}
              </strong>
            </>
          )}
        </span>
      </p>
      <OnePondField of={place} all={words.mortality.allPonds} />
      <SelectField
        label={words.mortality.way}
        value={way}
        options={WAYS.map((each) => ({ value: each, label: words.mortality.ways[each] }))}
        onChange={(changed) => setWay(WAYS.find((each) => each === changed.currentTarget.value) ?? way)}
      />
      {way === 'severity' ? (
        <FigureField label={words.mortality.severity} unit="%" figure={died} />
      ) : way === 'dead_count' ? (
        <CountField label={words.mortality.count} count={count} />
      ) : (
        <FigureField label={words.mortality.weight} unit="kg" figure={weight} />
      )}
      <SelectField
        label={recordWords().cause}
        value={cause ?? ''}
        options={causeOptions()}
        onChange={(changed) =>
          setCause(LOSS_CAUSES.find((each) => each === changed.currentTarget.value) ?? null)
        }
      />
      <TextField
        needed
        label={words.mortality.event}
        value={event}
        maxLength={500}
        onInput={(input) => setEvent(input.currentTarget.value)}
      />
      <WhenFields when={when} />
      <SaveButton
        isRight={value !== null && event.trim() !== '' && when.isRight}
        save={save}
        label={words.mortality.confirm}
      />
    </>
  );
}

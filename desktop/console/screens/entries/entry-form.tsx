import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useSearch } from 'wouter-preact';
import { Empty } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { type Batch, useBatches } from '../../data/batches.ts';
import { usePonds, usePondsByBatch } from '../../data/places.ts';
import { EntryHead } from './entry-head.tsx';
import { formWords } from './form-words.ts';
import type { useWhen } from './use-form.ts';

/** A form about one batch: it begins with the choice of the batch, by the pond that is asked for when there is one. */
export function EntryForm({
  title,
  children,
}: {
  title: string;
  children: (batch: Batch) => ComponentChildren;
}) {
  const words = formWords();
  const { batches, isSuccess } = useBatches();
  const { ponds } = usePonds();
  const asked = new URLSearchParams(useSearch());
  const [chosen, setChosen] = useState<string | null>(null);
  const places = usePondsByBatch();
  const placeOf = ({ id, pond_id }: Batch) =>
    places.get(id)?.join(' · ') ?? ponds.find((pond) => pond.id === pond_id)?.cod ?? '';
  const askedPond = asked.get('pond') ?? '';
  const batch =
    batches.find(({ id }) => id === chosen) ??
    batches.find(({ batch_code }) => batch_code === asked.get('batch')) ??
    batches.find(({ id }) => places.get(id)?.includes(askedPond)) ??
    batches[0];
  return (
    <div class="page narrow">
      <EntryHead title={title} />
      {batch === undefined ? (
        isSuccess ? (
          <Empty text={words.noBatch} />
        ) : (
          <div class="skeleton" aria-busy="true" />
        )
      ) : (
        <div class="card stack">
          <SelectField
            label={words.batch}
            value={batch.id}
            options={batches.map((each) => ({
              value: each.id,
              label: `${placeOf(each)} · ${each.batch_code}`,
            }))}
            onChange={(event) => setChosen(event.currentTarget.value)}
          />
          <div class="stack" key={batch.id}>
            {children(batch)}
          </div>
        </div>
      )}
    </div>
  );
}

export function WhenFields({ when }: { when: ReturnType<typeof useWhen> }) {
  const words = formWords();
  return (
    <div class="form-grid">
      <TextField
        label={words.when}
        type="date"
        value={when.day}
        onInput={(event) => when.setDay(event.currentTarget.value)}
      />
      <TextField
        label={words.time}
        inputMode="numeric"
        value={when.time}
        fault={when.fault}
        onInput={(event) => when.setTime(event.currentTarget.value)}
      />
    </div>
  );
}

export function SaveButton({
  isRight,
  save,
  label,
}: {
  isRight: boolean;
  save: () => Promise<void>;
  label?: string;
}) {
  const words = formWords();
  return (
    <div>
      <WorkButton big look="main" disabled={!isRight} work={save}>
        {label ?? words.save}
      </WorkButton>
    </div>
  );
}

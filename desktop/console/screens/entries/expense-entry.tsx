import { useState } from 'preact/hooks';
import { EXPENSE_CATEGORIES } from '#contract/words.ts';
import { entryWords, formWords } from '#words/entries.ts';
import { SelectField, TextField } from '../../components/field.tsx';
import { FigureField, useFigure } from '../../components/figure-field.tsx';
import type { Batch } from '../../data/batches.ts';
import { currencySign, money } from '../../i18n/format.ts';
import { EntryForm, SaveButton, useSubmit, useWhen, WhenFields } from './entry-form.tsx';

export function ExpenseEntry() {
  return (
    <EntryForm right="manage" title={entryWords().expense}>
      {(batch) => <ExpenseForm key={batch.id} batch={batch} />}
    </EntryForm>
  );
}

function ExpenseForm({ batch }: { batch: Batch }) {
  const words = formWords();
  const submit = useSubmit();
  const when = useWhen();
  const amount = useFigure();
  const [category, setCategory] = useState<string>('SUPPLIES');
  const [description, setDescription] = useState('');
  const save = () =>
    submit({
      path: '/financial/expenses',
      label: `${batch.batch_code} · ${money(amount.value)}`,
      body: {
        batch_id: batch.id,
        category,
        amount: amount.value,
        description: description.trim(),
        expense_date: when.instant(),
      },
      touches: ['financial', 'batches', 'dashboard'],
    });
  return (
    <>
      <SelectField
        label={words.expense.category}
        value={category}
        options={EXPENSE_CATEGORIES.map((word) => ({ value: word, label: words.expense.categories[word] }))}
        onChange={(event) => setCategory(event.currentTarget.value)}
      />
      <FigureField label={words.expense.amount} unit={currencySign.value} figure={amount} />
      <TextField
        needed
        label={words.expense.description}
        value={description}
        maxLength={500}
        onInput={(event) => setDescription(event.currentTarget.value)}
      />
      <WhenFields when={when} />
      <SaveButton isRight={amount.isRight && when.isRight && description.trim() !== ''} save={save} />
    </>
  );
}

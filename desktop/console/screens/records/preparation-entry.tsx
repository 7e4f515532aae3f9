import { useState } from 'preact/hooks';
import { PREPARATION_UNITS } from '#contract/resources/farm-records.ts';
import { PREPARATION_STEPS } from '#contract/resources/pond-preparation.ts';
import { recordsWords } from '#words/records.ts';
import { DateField, SelectField } from '../../components/field.tsx';
import { FigureField, useFigure } from '../../components/figure-field.tsx';
import { SaveButton, useSubmit, useWhen, WhenFields } from '../entries/entry-form.tsx';
import { namedOf } from './health-details.ts';
import { Line, type Place, PlaceForm, sentText, told, useText } from './record-entry.tsx';
import { RECORD_TOUCHES } from './records.tsx';

/** What was done to a pond between two cycles, from when until when. */
export const PreparationEntry = () => (
  <PlaceForm title={recordsWords().kinds.PREPARATION} of="ponds">
    {(place) => <PreparationForm place={place} />}
  </PlaceForm>
);

function PreparationForm({ place }: { place: Place }) {
  const words = recordsWords();
  const own = words.preparation;
  const submit = useSubmit();
  const when = useWhen();
  const [endedOn, setEndedOn] = useState('');
  const amount = useFigure('', { isNeeded: false });
  const [step, unit, product, lot, source, text, who] = [
    useText(),
    useText('kg'),
    useText(),
    useText(),
    useText(),
    useText(),
    useText(),
  ];
  const chosen = PREPARATION_STEPS.find((each) => each === step.value);
  const isBefore = endedOn !== '' && endedOn < when.day;
  const save = () =>
    submit({
      path: `${place.path}/records`,
      label: `${place.name} · ${chosen === undefined ? '' : own.steps[chosen]}`,
      body: {
        kind: 'PREPARATION',
        step: step.value,
        happened_at: when.instant(),
        ...(amount.value === null ? {} : { amount: amount.value, unit: unit.value }),
        ...told({
          ended_on: endedOn === '' ? null : endedOn,
          product: sentText(product),
          product_lot: sentText(lot),
          source: sentText(source),
          text: sentText(text),
          responsible: sentText(who),
        }),
      },
      touches: RECORD_TOUCHES,
    });
  return (
    <>
      <SelectField
        needed
        label={own.step}
        value={step.value}
        options={[{ value: '', label: words.choose }, ...namedOf(PREPARATION_STEPS, own.steps)]}
        onChange={(event) => step.set(event.currentTarget.value)}
      />
      <WhenFields when={when} />
      <DateField
        label={own.until}
        hint={own.untilHint}
        value={endedOn}
        fault={isBefore ? own.before : null}
        onDay={setEndedOn}
      />
      <Line label={words.product} typed={product} />
      <div class="form-grid">
        <FigureField label={words.amount} figure={amount} />
        <SelectField
          label={words.unit}
          value={unit.value}
          options={namedOf(PREPARATION_UNITS, words.units)}
          onChange={(event) => unit.set(event.currentTarget.value)}
        />
      </div>
      <Line label={words.lot} typed={lot} />
      {chosen === 'FILLING' ? <Line label={words.source} typed={source} /> : null}
      <Line label={words.text} typed={text} />
      <Line label={words.responsible} typed={who} />
      <SaveButton isRight={chosen !== undefined && amount.isRight && !isBefore && when.isRight} save={save} />
    </>
  );
}

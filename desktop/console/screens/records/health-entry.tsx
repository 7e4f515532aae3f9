import { useState } from 'preact/hooks';
import {
  DISEASES,
  LAB_UNITS,
  METHODS,
  RESULTS,
  SAMPLES,
  SEVERITIES,
  SIGNS,
  type Sign,
} from '#contract/resources/health-records.ts';
import { healthWords } from '#words/health.ts';
import { recordsWords } from '#words/records.ts';
import { CheckField, DateField, SelectField } from '../../components/field.tsx';
import { FigureField, useFigure } from '../../components/figure-field.tsx';
import { SaveButton, useSubmit, useWhen, WhenFields } from '../entries/entry-form.tsx';
import { namedOf } from './health-details.ts';
import { PreparationEntry } from './preparation-entry.tsx';
import { Line, type Place, PlaceForm, sentText, type Typed, told, useText } from './record-entry.tsx';
import { RECORD_TOUCHES } from './records.tsx';

/** Signs that were seen, with `exame` what a laboratory found, with `preparo` what was done to an empty pond. */
export function HealthEntry({ params }: { params: { what?: string } }) {
  const words = healthWords();
  if (params.what === 'preparo') return <PreparationEntry />;
  const isLab = params.what === 'exame';
  return (
    <PlaceForm key={params.what} title={isLab ? words.lab : words.disease} of="animals">
      {(place) => (isLab ? <LabForm place={place} /> : <DiseaseForm place={place} />)}
    </PlaceForm>
  );
}

/** One of a list; `none` is what stands there before somebody chose. */
function Choice({
  label,
  typed,
  options,
  none,
  needed,
  hint,
}: {
  label: string;
  typed: Typed;
  options: readonly { value: string; label: string }[];
  none: string;
  needed?: boolean;
  hint?: string;
}) {
  return (
    <SelectField
      label={label}
      hint={hint}
      needed={needed}
      value={typed.value}
      options={[{ value: '', label: none }, ...options]}
      onChange={(event) => typed.set(event.currentTarget.value)}
    />
  );
}

function DiseaseForm({ place }: { place: Place }) {
  const words = healthWords();
  const submit = useSubmit();
  const when = useWhen();
  const [signs, setSigns] = useState<ReadonlySet<Sign>>(new Set());
  const affected = useFigure('', { isNeeded: false, most: 100 });
  const [severity, disease, name, text, seenBy] = [useText(), useText(), useText(), useText(), useText()];
  const choose = (sign: Sign, isSeen: boolean) =>
    setSigns(new Set(SIGNS.filter((each) => (each === sign ? isSeen : signs.has(each)))));
  const saysSomething = signs.size > 0 || disease.value !== '' || text.value.trim() !== '';
  const save = () =>
    submit({
      path: `${place.path}/records`,
      label: `${place.name} · ${[...signs].map((each) => words.signNames[each]).join(', ') || words.disease}`,
      body: {
        kind: 'DISEASE',
        signs: [...signs],
        happened_at: when.instant(),
        ...told({
          affected_percent: affected.value,
          severity: sentText(severity),
          disease: sentText(disease),
          disease_name: sentText(name),
          text: sentText(text),
          responsible: sentText(seenBy),
        }),
      },
      touches: RECORD_TOUCHES,
    });
  return (
    <>
      <fieldset class="stack">
        <legend>{words.signs}</legend>
        <p class="muted small">{words.signsHint}</p>
        {SIGNS.map((sign) => (
          <CheckField
            key={sign}
            label={words.signNames[sign]}
            checked={signs.has(sign)}
            onChange={(event) => choose(sign, event.currentTarget.checked)}
          />
        ))}
      </fieldset>
      <Line label={words.seenBesides} typed={text} />
      <div class="form-grid">
        <FigureField label={words.affected} unit="%" figure={affected} />
        <Choice
          label={words.severity}
          typed={severity}
          options={namedOf(SEVERITIES, words.severities)}
          none={words.notKnown}
        />
      </div>
      <Choice
        label={words.suspected}
        typed={disease}
        options={namedOf(DISEASES, words.diseases)}
        none={words.notKnown}
      />
      {disease.value === '' ? null : <Line label={words.name} hint={words.nameHint} typed={name} />}
      <Line label={words.seenBy} typed={seenBy} />
      <WhenFields when={when} />
      <SaveButton isRight={saysSomething && affected.isRight && when.isRight} save={save} />
    </>
  );
}

function LabForm({ place }: { place: Place }) {
  const words = healthWords();
  const { units, unit: unitWord, choose } = recordsWords();
  const submit = useSubmit();
  const when = useWhen();
  const [laboratory, sample, method, disease, name] = [useText(), useText(), useText(), useText(), useText()];
  const [result, report, text, takenBy] = [useText(), useText(), useText(), useText()];
  const amount = useFigure('', { isNeeded: false, most: 1e12 });
  const unit = useText('CFU/mL');
  const [resultOn, setResultOn] = useState('');
  const isBefore = resultOn !== '' && resultOn < when.day;
  const isNameNeeded = disease.value === 'OTHER';
  const needed = [laboratory, sample, method, disease, ...(isNameNeeded ? [name] : [])];
  const save = () =>
    submit({
      path: `${place.path}/records`,
      label: `${place.name} · ${words.lab}: ${laboratory.value.trim()}`,
      body: {
        kind: 'LAB',
        source: laboratory.value.trim(),
        sample: sample.value,
        method: method.value,
        disease: disease.value,
        happened_at: when.instant(),
        ...(amount.value === null ? {} : { amount: amount.value, unit: unit.value }),
        ...told({
          disease_name: sentText(name),
          result: sentText(result),
          result_on: resultOn === '' ? null : resultOn,
          report_number: sentText(report),
          text: sentText(text),
          responsible: sentText(takenBy),
        }),
      },
      touches: RECORD_TOUCHES,
    });
  const one = (label: string, typed: Typed, options: readonly { value: string; label: string }[]) => (
    <Choice needed label={label} typed={typed} options={options} none={choose} />
  );
  return (
    <>
      <Line needed label={words.laboratory} typed={laboratory} />
      <div class="form-grid">
        {one(words.sample, sample, namedOf(SAMPLES, words.samples))}
        {one(words.method, method, namedOf(METHODS, words.methods))}
      </div>
      {one(words.lookedFor, disease, namedOf(DISEASES, words.diseases))}
      {disease.value === '' ? null : (
        <Line needed={isNameNeeded} label={words.name} hint={words.nameHint} typed={name} />
      )}
      <Choice
        label={words.result}
        hint={words.resultHint}
        typed={result}
        options={namedOf(RESULTS, words.results)}
        none={words.notYet}
      />
      <div class="form-grid">
        <FigureField label={words.figure} figure={amount} />
        <SelectField
          label={unitWord}
          value={unit.value}
          options={namedOf(LAB_UNITS, units)}
          onChange={(event) => unit.set(event.currentTarget.value)}
        />
      </div>
      <DateField
        label={words.resultOn}
        value={resultOn}
        fault={isBefore ? words.before : null}
        onDay={setResultOn}
      />
      <Line label={words.reportNumber} typed={report} />
      <Line label={words.takenBy} typed={takenBy} />
      <Line label={words.remark} typed={text} />
      <p class="muted small">{words.sampled}</p>
      <WhenFields when={when} />
      <SaveButton
        isRight={
          needed.every(({ value }) => value.trim() !== '') && amount.isRight && !isBefore && when.isRight
        }
        save={save}
      />
    </>
  );
}

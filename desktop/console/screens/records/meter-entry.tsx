import { useEffect, useState } from 'preact/hooks';
import type { RecordAnswer } from '#contract/resources/farm-records.ts';
import { METER_CHANGES, meterKey } from '#contract/resources/meter-readings.ts';
import { componentWords } from '#words/components.ts';
import { meterWords } from '#words/meters.ts';
import { Empty } from '../../components/answer.tsx';
import { SelectField } from '../../components/field.tsx';
import { FigureField, useFigure } from '../../components/figure-field.tsx';
import { farm, mayRecord } from '../../data/farm-store.ts';
import { useGet } from '../../data/query.ts';
import { asTyped, dayAndTime, quantity } from '../../i18n/format.ts';
import { EntryHead, SaveButton, useSubmit, useWhen, WhenFields } from '../entries/entry-form.tsx';
import { namedOf } from './health-details.ts';
import { Line, sentText, told, useText } from './record-entry.tsx';
import { MeterReadings, READINGS, RECORD_TOUCHES } from './records.tsx';

/** What an electricity meter of the farm shows, as it is read at each shift. */
export function MeterEntry() {
  const words = meterWords();
  // without a line nobody may know yet: what is written down then waits, and is judged where it arrives
  const isForbidden = farm.value !== null && !mayRecord.value;
  return (
    <div class="page narrow">
      <EntryHead title={words.enter} />
      {isForbidden || farm.value === null ? (
        <Empty text={componentWords().forbidden} />
      ) : (
        <>
          <div class="card stack">
            <MeterForm farmId={farm.value.id} />
          </div>
          <MeterReadings farmId={farm.value.id} />
        </>
      )}
    </div>
  );
}

/** Which meter it is, and its factor: as at the last reading, until somebody types another. */
function useMeter(readings: readonly RecordAnswer[]) {
  const meter = useText();
  const factor = useFigure('', { isNeeded: false, most: 100_000 });
  const [typed, setTyped] = useState({ meter: false, factor: false });
  const last = readings.find((each) => meterKey(each.meter ?? '') === meterKey(meter.value));
  const newest = readings[0]?.meter ?? '';
  useEffect(() => {
    if (!typed.meter && newest !== '') meter.set(newest);
  }, [newest]);
  useEffect(() => {
    if (!typed.factor) factor.setText(asTyped(last?.meter_factor ?? null));
  }, [last?.id]);
  const byHand = (which: 'meter' | 'factor', set: (text: string) => void) => (text: string) => {
    setTyped((before) => ({ ...before, [which]: true }));
    set(text);
  };
  return {
    last,
    meter: { value: meter.value, set: byHand('meter', meter.set) },
    factor: { ...factor, setText: byHand('factor', factor.setText) },
  };
}

function MeterForm({ farmId }: { farmId: string }) {
  const words = meterWords();
  const submit = useSubmit();
  const when = useWhen();
  const readings = useGet(`/farms/${farmId}/records`, READINGS).data ?? [];
  const { last, meter, factor } = useMeter(readings);
  const [change, who, text] = [useText(), useText(), useText()];
  const counter = useFigure('', { mayBeZero: true, most: 1e9 });
  const isLower =
    counter.value !== null && last !== undefined && last.amount !== null && counter.value < last.amount;
  const save = () =>
    submit({
      path: `/farms/${farmId}/records`,
      label: `${meter.value.trim()} · ${counter.text}`,
      body: {
        kind: 'METER',
        meter: meter.value.trim(),
        amount: counter.value,
        happened_at: when.instant(),
        ...told({
          meter_factor: factor.value,
          meter_change: sentText(change),
          responsible: sentText(who),
          text: sentText(text),
        }),
      },
      touches: RECORD_TOUCHES,
    });
  return (
    <>
      <datalist id="meters">
        {[...new Set(readings.flatMap((each) => each.meter ?? []))].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Line needed label={words.meter} hint={words.meterHint} list="meters" typed={meter} />
      <FigureField
        label={words.counter}
        unit="kWh"
        figure={counter}
        hint={
          last === undefined || last.amount === null
            ? undefined
            : words.before(
                quantity(last.amount, Number.isInteger(last.amount) ? 0 : 1, 'kWh'),
                dayAndTime(last.happened_at),
              )
        }
      />
      {isLower || change.value !== '' ? (
        <>
          <p class="note p2" role="status">
            {words.lower}
          </p>
          <SelectField
            label={words.change}
            value={change.value}
            options={[{ value: '', label: words.noChange }, ...namedOf(METER_CHANGES, words.changes)]}
            onChange={(event) => change.set(event.currentTarget.value)}
          />
        </>
      ) : null}
      <WhenFields when={when} />
      <FigureField label={words.factor} hint={words.factorHint} figure={factor} />
      <Line label={words.who} typed={who} />
      <Line label={words.remark} typed={text} />
      <SaveButton
        isRight={meter.value.trim() !== '' && counter.isRight && factor.isRight && when.isRight}
        save={save}
      />
    </>
  );
}

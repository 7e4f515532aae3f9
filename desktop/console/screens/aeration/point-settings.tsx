import { useState } from 'preact/hooks';
import type * as z from 'zod';
import type { controlPointSettings } from '#contract/resources/control-points.ts';
import { pointWords } from '#words/aeration.ts';
import { Answer, faultText } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { ElsewhereNote, useEdited } from '../../components/edited.tsx';
import { DecimalField, SelectField, TextField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { put } from '../../data/api.ts';
import { refresh, useGet } from '../../data/query.ts';
import { asTyped, readCount, readDecimal } from '../../i18n/format.ts';

type Settings = z.infer<typeof controlPointSettings>;
const FAIL_SAFES = ['SCHEDULE', 'ON', 'OFF', 'HOLD'] as const;
const COUNTS = ['min_on_s', 'min_off_s', 'start_order'] as const;
const FIGURES = ['do_on', 'do_off', 'do_emergency'] as const;
type FieldName = (typeof COUNTS)[number] | (typeof FIGURES)[number];
const isFailSafe = (name: string, text: string): text is Settings['fail_safe'] =>
  name === 'fail_safe' && FAIL_SAFES.some((word) => word === text);
const isCount = (name: FieldName): boolean => COUNTS.some((count) => count === name);

export function PointSettings({ pointId }: { pointId: string }) {
  const words = pointWords();
  const settings = useGet(`/control-points/${pointId}/settings`);
  return (
    <details class="card">
      <summary>
        <h2 class="inline">{words.settings}</h2>
      </summary>
      <Answer of={settings}>{(known) => <Form key={pointId} pointId={pointId} known={known} />}</Answer>
    </details>
  );
}

/** The settings as they are typed. */
const textsOf = (known: Settings) => ({
  fail_safe: known.fail_safe,
  start_group: known.start_group ?? '',
  min_on_s: asTyped(known.min_on_s),
  min_off_s: asTyped(known.min_off_s),
  start_order: asTyped(known.start_order),
  do_on: asTyped(known.do_on),
  do_off: asTyped(known.do_off),
  do_emergency: asTyped(known.do_emergency),
});
type Texts = Readonly<Record<keyof ReturnType<typeof textsOf>, string>>;

function valueOf(name: keyof Texts, text: string): string | number | null {
  if (name === 'fail_safe') return text;
  if (name === 'start_group') return text.trim() === '' ? null : text.trim();
  const value = isCount(name) ? readCount(text) : readDecimal(text);
  return value ?? (name.startsWith('min_') ? 0 : null);
}

function Form({ pointId, known }: { pointId: string; known: Settings }) {
  const words = pointWords();
  const edited = useEdited<Texts>(textsOf(known));
  const [fault, setFault] = useState<string | null>(null);
  const isBad = (name: FieldName): boolean => {
    const value = Number(valueOf(name, edited.text[name]) ?? 0);
    return Number.isNaN(value) || value < 0;
  };
  const save = async () => {
    // what nobody touched stays as it is: set points of oxygen decide whether motors run
    const changes = Object.fromEntries(
      edited.touched.map((name) => [name, valueOf(name, edited.text[name])]),
    );
    try {
      await put(`/control-points/${pointId}/settings`, changes);
      edited.saved();
      setFault(null);
      refresh('control-points');
      toast(words.saved, null, 4_000);
    } catch (error) {
      setFault(faultText(error));
    }
  };
  const labels: Readonly<Record<keyof Texts, string>> = {
    fail_safe: words.failSafe,
    start_group: words.startGroup,
    min_on_s: words.minOn,
    min_off_s: words.minOff,
    start_order: words.startOrder,
    do_on: words.doOn,
    do_off: words.doOff,
    do_emergency: words.doEmergency,
  };
  const field = (name: FieldName, unit?: string, hint?: string) => (
    <DecimalField
      label={labels[name]}
      hint={hint}
      inputMode={isCount(name) ? 'numeric' : 'decimal'}
      {...(unit === undefined ? {} : { unit })}
      value={edited.text[name]}
      fault={isBad(name) ? words.badFigure : null}
      onInput={(event) => edited.set({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <div class="stack">
      <div class="form-grid">
        <SelectField
          label={words.failSafe}
          value={edited.text.fail_safe}
          options={FAIL_SAFES.map((word) => ({ value: word, label: words.failSafes[word] }))}
          onChange={(event) => edited.set({ fail_safe: event.currentTarget.value })}
        />
        {field('min_on_s', 's')}
        {field('min_off_s', 's')}
        <TextField
          label={words.startGroup}
          value={edited.text.start_group}
          maxLength={255}
          onInput={(event) => edited.set({ start_group: event.currentTarget.value })}
        />
        {field('start_order')}
        {field('do_on', 'mg/L', words.oxygenHint)}
        {field('do_off', 'mg/L')}
        {field('do_emergency', 'mg/L')}
      </div>
      <ElsewhereNote
        of={edited.elsewhere}
        label={(name) => labels[name]}
        shown={(name, text) => (isFailSafe(name, text) ? words.failSafes[text] : text)}
      />
      {fault === null ? null : (
        <p class="note p2" role="alert">
          {fault}
        </p>
      )}
      <div>
        <WorkButton big look="main" unready={[...COUNTS, ...FIGURES].some(isBad)} work={save}>
          {words.save}
        </WorkButton>
      </div>
    </div>
  );
}

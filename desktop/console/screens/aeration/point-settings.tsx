import { useState } from 'preact/hooks';
import type * as z from 'zod';
import type { controlPointSettings } from '#contract/resources/control-points.ts';
import { pointWords } from '#words/aeration.ts';
import { Answer, faultText } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
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
const isCount = (name: FieldName): boolean => COUNTS.some((count) => count === name);

export function PointSettings({ pointId }: { pointId: string }) {
  const words = pointWords();
  const settings = useGet(`/control-points/${pointId}/settings`);
  return (
    <details class="card">
      <summary>
        <h2 class="inline">{words.settings}</h2>
      </summary>
      <Answer of={settings}>
        {(known) => <Form key={JSON.stringify(known)} pointId={pointId} known={known} />}
      </Answer>
    </details>
  );
}

function Form({ pointId, known }: { pointId: string; known: Settings }) {
  const words = pointWords();
  const [failSafe, setFailSafe] = useState(known.fail_safe);
  const [group, setGroup] = useState(known.start_group ?? '');
  const [typed, setTyped] = useState<Partial<Record<FieldName, string>>>({});
  const [fault, setFault] = useState<string | null>(null);
  const textOf = (name: FieldName): string => typed[name] ?? asTyped(known[name]);
  const valueOf = (name: FieldName): number | null =>
    isCount(name) ? readCount(textOf(name)) : readDecimal(textOf(name));
  const touched = [...COUNTS, ...FIGURES].filter((name) => textOf(name) !== asTyped(known[name]));
  const isBad = (name: FieldName): boolean => {
    const value = valueOf(name) ?? 0;
    return Number.isNaN(value) || value < 0;
  };
  const startGroup = group.trim() === '' ? null : group.trim();
  // what nobody touched stays as it is: set points of oxygen decide whether motors run
  const changes = {
    ...Object.fromEntries(
      touched.map((name) => [name, valueOf(name) ?? (name.startsWith('min_') ? 0 : null)]),
    ),
    ...(failSafe === known.fail_safe ? {} : { fail_safe: failSafe }),
    ...(startGroup === known.start_group ? {} : { start_group: startGroup }),
  };
  const save = async () => {
    try {
      await put(`/control-points/${pointId}/settings`, changes);
      setFault(null);
      refresh('control-points');
      toast(words.saved, null, 4_000);
    } catch (error) {
      setFault(faultText(error));
    }
  };
  const field = (name: FieldName, label: string, unit?: string, hint?: string) => (
    <DecimalField
      label={label}
      hint={hint}
      inputMode={isCount(name) ? 'numeric' : 'decimal'}
      {...(unit === undefined ? {} : { unit })}
      value={textOf(name)}
      fault={isBad(name) ? words.badFigure : null}
      onInput={(event) => setTyped({ ...typed, [name]: event.currentTarget.value })}
    />
  );
  return (
    <div class="stack">
      <div class="form-grid">
        <SelectField
          label={words.failSafe}
          value={failSafe}
          options={FAIL_SAFES.map((word) => ({ value: word, label: words.failSafes[word] }))}
          onChange={(event) =>
            setFailSafe(FAIL_SAFES.find((word) => word === event.currentTarget.value) ?? failSafe)
          }
        />
        {field('min_on_s', words.minOn, 's')}
        {field('min_off_s', words.minOff, 's')}
        <TextField
          label={words.startGroup}
          value={group}
          maxLength={255}
          onInput={(event) => setGroup(event.currentTarget.value)}
        />
        {field('start_order', words.startOrder)}
        {field('do_on', words.doOn, 'mg/L', words.oxygenHint)}
        {field('do_off', words.doOff, 'mg/L')}
        {field('do_emergency', words.doEmergency, 'mg/L')}
      </div>
      {fault === null ? null : (
        <p class="note p2" role="alert">
          {fault}
        </p>
      )}
      <div>
        <WorkButton big look="main" unready={touched.some(isBad)} work={save}>
          {words.save}
        </WorkButton>
      </div>
    </div>
  );
}

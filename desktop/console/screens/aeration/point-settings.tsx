import { useState } from 'preact/hooks';
import type * as z from 'zod';
import type { controlPointSettings } from '#contract/resources/control-points.ts';
import { Answer, faultText } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { DecimalField, SelectField, TextField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { put } from '../../data/api.ts';
import { refresh, useGet } from '../../data/query.ts';
import { figure, readDecimal } from '../../i18n/format.ts';
import { pointWords } from './point-words.ts';

type Settings = z.infer<typeof controlPointSettings>;
const FAIL_SAFES = ['SCHEDULE', 'ON', 'OFF', 'HOLD'] as const;
const FIGURES = ['min_on_s', 'min_off_s', 'start_order', 'do_on', 'do_off', 'do_emergency'] as const;
type FigureName = (typeof FIGURES)[number];

export function PointSettings({ pointId }: { pointId: string }) {
  const words = pointWords();
  const settings = useGet<Settings>(`/control-points/${pointId}/settings`);
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
  const [typed, setTyped] = useState<Record<FigureName, string>>(() => {
    const text = (name: FigureName) => {
      const value = known[name];
      return value === null ? '' : figure(value, value % 1 === 0 ? 0 : 1).replaceAll('.', '');
    };
    return {
      min_on_s: text('min_on_s'),
      min_off_s: text('min_off_s'),
      start_order: text('start_order'),
      do_on: text('do_on'),
      do_off: text('do_off'),
      do_emergency: text('do_emergency'),
    };
  });
  const [fault, setFault] = useState<string | null>(null);
  const values = Object.fromEntries(FIGURES.map((name) => [name, readDecimal(typed[name])])) as Record<
    FigureName,
    number | null
  >;
  const isWrong = FIGURES.some((name) => Number.isNaN(values[name]));
  const save = async () => {
    try {
      await put(`/control-points/${pointId}/settings`, {
        ...values,
        min_on_s: values.min_on_s ?? 0,
        min_off_s: values.min_off_s ?? 0,
        fail_safe: failSafe,
        start_group: group.trim() === '' ? null : group.trim(),
      });
      setFault(null);
      refresh('control-points');
      toast(words.saved, null, 4_000);
    } catch (error) {
      setFault(faultText(error));
    }
  };
  const field = (name: FigureName, label: string, unit?: string, hint?: string) => (
    <DecimalField
      label={label}
      hint={hint}
      {...(unit === undefined ? {} : { unit })}
      value={typed[name]}
      fault={Number.isNaN(values[name]) ? words.badFigure : null}
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
        <WorkButton big look="main" disabled={isWrong} work={save}>
          {words.save}
        </WorkButton>
      </div>
    </div>
  );
}

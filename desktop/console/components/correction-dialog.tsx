import { useState } from 'preact/hooks';
import { componentWords, correctionDialogWords } from '#words/components.ts';
import { ask, type PathOf } from '../data/api.ts';
import { correct, useFaults } from '../data/corrections.ts';
import { TIME } from '../data/schedules.ts';
import {
  clockTime,
  dayAndTime,
  instantAt,
  isoDay,
  plainDay,
  readCount,
  readDecimal,
} from '../i18n/format.ts';
import { BeforeAfter } from './answer.tsx';
import { Button, WorkButton } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ElsewhereNote, useRewritten } from './edited.tsx';
import { CheckField, DateField, DecimalField, SelectField, TextField } from './field.tsx';
import { readTrays, TrayFields } from './tray-fields.tsx';

/** One field of a row, by the name the interface gives it, and what stands in it now. */
export type CorrectedField = {
  name: string;
  label: string;
  /**
   * share: typed in percent, sent as 0 to 1. choices: any of the options, in `first` with a blank between. trays: what was left
   * on each, in `first` as traysTyped writes it.
   */
  kind: 'figure' | 'share' | 'count' | 'text' | 'choice' | 'choices' | 'trays' | 'day' | 'moment';
  first: string;
  unit?: string;
  options?: readonly { value: string; label: string }[];
  isOptional?: boolean;
};

const DAY_LENGTH = '2026-01-01'.length;

type Typed = { text: string; time: string };

/** A day or time as it was to the second, not as it is shown. */
const wasOf = (field: CorrectedField): unknown =>
  (field.kind === 'moment' || field.kind === 'day') && field.first !== ''
    ? field.first
    : valueOf(field, typedOf(field));

function typedOf({ kind, first }: CorrectedField): Typed {
  if (kind === 'moment') return { text: isoDay(first), time: clockTime(first) };
  // a day of the farm is one already, and no instant of another zone
  return { text: kind === 'day' && first.length > DAY_LENGTH ? isoDay(first) : first, time: '' };
}

/** What a field means; undefined: it cannot be read. */
function valueOf({ kind, isOptional }: CorrectedField, { text, time }: Typed): unknown {
  switch (kind) {
    case 'moment':
      return text !== '' && TIME.test(time) ? instantAt(text, time) : undefined;
    case 'day':
    case 'text':
      return text.trim() === '' ? (isOptional === true ? null : undefined) : text.trim();
    case 'choice':
      return text === '' && isOptional === true ? null : text;
    case 'choices':
      return text === '' ? [] : text.split(' ');
    case 'trays':
      return readTrays(text);
    case 'figure':
    case 'share':
    case 'count': {
      const value = kind === 'count' ? readCount(text) : readDecimal(text);
      if (value === null) return isOptional === true ? null : undefined;
      if (Number.isNaN(value) || value < 0 || (kind === 'share' && value > 100)) return undefined;
      return kind === 'share' ? value / 100 : value;
    }
  }
}

/** A value of the interface as people read it. */
function shownValue(field: CorrectedField | undefined, text: string): string {
  if (field?.kind === 'moment') return dayAndTime(text);
  if (field?.kind === 'day') return plainDay(text.length > DAY_LENGTH ? isoDay(text) : text);
  return field?.options?.find(({ value }) => value === text)?.label ?? text;
}

/** Asked before it is saved where one of these fields was changed: what follows from it. */
type Question = { about: ReadonlySet<string>; text: string };

/**
 * Changes a row; what was there before is written again when it is taken back.
 *
 * @param follows what changes with what was typed, and is sent with it
 */
export function CorrectionDialog({
  title,
  row,
  fields,
  question,
  follows = () => [],
  onClose,
}: {
  title: string;
  row: { path: PathOf<'DELETE'>; label: string; touches: readonly string[] };
  fields: readonly CorrectedField[];
  question?: Question;
  follows?: (
    typed: Readonly<Record<string, unknown>>,
  ) => readonly { name: string; was: unknown; is: unknown }[];
  onClose: () => void;
}) {
  const [isAsked, setAsked] = useState(false);
  const w = correctionDialogWords();
  const faults = useFaults();
  const [typed, setTyped] = useState<ReadonlyMap<string, Typed>>(
    () => new Map(fields.map((field) => [field.name, typedOf(field)])),
  );
  const of = (field: CorrectedField) => typed.get(field.name) ?? typedOf(field);
  const set = (field: CorrectedField, change: Partial<Typed>) =>
    setTyped(new Map(typed).set(field.name, { ...of(field), ...change }));
  const isRight = fields.every((field) => valueOf(field, of(field)) !== undefined);
  // only what was touched is sent: a time shown in minutes must not cut the seconds of one that nobody changed
  const changed = fields.filter((field) => {
    const [was, is] = [typedOf(field), of(field)];
    return was.text !== is.text || was.time !== is.time;
  });
  const isToAsk = question !== undefined && changed.some(({ name }) => question.about.has(name));
  const rewritten = useRewritten(Object.fromEntries(fields.map((field) => [field.name, wasOf(field)])), () =>
    ask<Readonly<Record<string, unknown>>>(row.path),
  );
  const save = async () => {
    const body = Object.fromEntries(changed.map((field) => [field.name, valueOf(field, of(field))]));
    const before = Object.fromEntries(changed.map((field) => [field.name, wasOf(field)]));
    if (isToAsk && !isAsked) {
      setAsked(true);
      return;
    }
    if (!(await rewritten.mayOverwrite(body))) {
      setAsked(false);
      return;
    }
    for (const { name, was, is } of follows(body)) {
      body[name] = is;
      before[name] = was;
    }
    try {
      await correct({ ...row, body, before });
      onClose();
    } catch (error) {
      setAsked(false);
      faults.tell(error, { NOT_ENOUGH_ANIMALS: 'quantity' });
    }
  };
  const shown = (field: CorrectedField, { text, time }: Typed) =>
    `${field.kind === 'day' || field.kind === 'moment' ? plainDay(text) : text} ${time}`.trim();
  if (isAsked && question !== undefined)
    return (
      <Dialog
        title={title}
        onClose={onClose}
        actions={
          <>
            <Button big onClick={() => setAsked(false)}>
              {w.back}
            </Button>
            <WorkButton big look="main" work={save}>
              {w.save}
            </WorkButton>
          </>
        }
      >
        <BeforeAfter
          rows={changed.map((field) => ({
            name: field.label,
            before: shown(field, typedOf(field)),
            after: shown(field, of(field)),
          }))}
        />
        <p class="note p2" role="status">
          {question.text}
        </p>
      </Dialog>
    );
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button big onClick={onClose}>
            {componentWords().cancel}
          </Button>
          <WorkButton big look="main" unready={!isRight || changed.length === 0} work={save}>
            {isToAsk ? w.review : w.save}
          </WorkButton>
        </>
      }
    >
      {fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          typed={of(field)}
          fault={faults.at(field.name)}
          onType={(change) => set(field, change)}
        />
      ))}
      <ElsewhereNote
        of={rewritten.elsewhere}
        label={(name) => fields.find((field) => field.name === name)?.label ?? name}
        shown={(name, text) =>
          shownValue(
            fields.find((field) => field.name === name),
            text,
          )
        }
      />
      {faults.whole === null ? null : (
        <p class="note p2" role="alert">
          {faults.whole}
        </p>
      )}
    </Dialog>
  );
}

function Field({
  field,
  typed,
  fault,
  onType,
}: {
  field: CorrectedField;
  typed: Typed;
  fault: string | null;
  onType: (change: Partial<Typed>) => void;
}) {
  const w = correctionDialogWords();
  const { kind, label } = field;
  const isBad = valueOf(field, typed) === undefined;
  const onInput = (event: { currentTarget: { value: string } }) =>
    onType({ text: event.currentTarget.value });
  if (kind === 'choice') {
    return <SelectField label={label} value={typed.text} options={field.options ?? []} onChange={onInput} />;
  }
  if (kind === 'choices')
    return <Choices field={field} chosen={typed.text} fault={fault} onChoose={(text) => onType({ text })} />;
  if (kind === 'trays')
    return (
      <TrayFields typed={typed.text} fault={isBad ? w.bad : fault} onType={(text) => onType({ text })} />
    );
  const needed = isBad ? w.needed : fault;
  if (kind === 'text') return <TextField label={label} value={typed.text} fault={needed} onInput={onInput} />;
  if (kind === 'day')
    return <DateField label={label} value={typed.text} fault={needed} onDay={(text) => onType({ text })} />;
  if (kind === 'moment') {
    return (
      <div class="form-grid">
        <DateField label={label} value={typed.text} fault={fault} onDay={(text) => onType({ text })} />
        <TextField
          label={w.time}
          inputMode="numeric"
          value={typed.time}
          fault={TIME.test(typed.time) ? null : w.badTime}
          onInput={(event) => onType({ time: event.currentTarget.value })}
        />
      </div>
    );
  }
  return (
    <DecimalField
      label={label}
      inputMode={kind === 'count' ? 'numeric' : 'decimal'}
      {...(field.unit === undefined ? {} : { unit: field.unit })}
      value={typed.text}
      fault={isBad ? w.bad : fault}
      onInput={onInput}
    />
  );
}

function Choices({
  field: { label, options = [] },
  chosen,
  fault,
  onChoose,
}: {
  field: CorrectedField;
  chosen: string;
  fault: string | null;
  onChoose: (chosen: string) => void;
}) {
  const all = new Set(chosen === '' ? [] : chosen.split(' '));
  const after = (value: string, isChosen: boolean) =>
    options
      .map((option) => option.value)
      .filter((each) => (each === value ? isChosen : all.has(each)))
      .join(' ');
  return (
    <fieldset class="stack">
      <legend>{label}</legend>
      {options.map(({ value, label: name }) => (
        <CheckField
          key={value}
          label={name}
          checked={all.has(value)}
          onChange={(event) => onChoose(after(value, event.currentTarget.checked))}
        />
      ))}
      {fault === null ? null : <p class="note p2">{fault}</p>}
    </fieldset>
  );
}

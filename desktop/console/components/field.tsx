import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { dateWords, fieldWords, fileWords } from '#words/components.ts';
import { bothMeanings, readAs } from '../i18n/format.ts';
import { language } from '../i18n/language.ts';
import { dayPattern, readDay, writtenDay } from '../state/typed-value.ts';
import { Icon } from './icon.tsx';

type Shared = {
  label: string;
  hint?: string | undefined;
  /** What is wrong with it, told at the field. */
  fault?: string | null | undefined;
  /** It is marked, and named where its form cannot leave without it. */
  needed?: boolean | undefined;
};

type InputProps = Omit<JSX.IntrinsicElements['input'], 'class' | 'label' | 'type'>;

function Framed({
  label,
  hint,
  fault,
  needed,
  id,
  children,
}: Shared & { id: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <label class={needed === true ? 'label needed' : 'label'} for={id}>
        {label}
      </label>
      {children}
      {hint === undefined ? null : (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {fault ? (
        <span class="fault" id={`${id}-fault`} role="alert">
          {fault}
        </span>
      ) : null}
    </div>
  );
}

const told = (id: string, { hint, fault, needed }: Pick<Shared, 'hint' | 'fault' | 'needed'>) => ({
  ...(needed === true ? { 'aria-required': 'true' as const } : {}),
  'aria-invalid': fault ? ('true' as const) : ('false' as const),
  'aria-describedby':
    [hint === undefined ? null : `${id}-hint`, fault ? `${id}-fault` : null].filter(Boolean).join(' ') ||
    undefined,
});

export function TextField({
  label,
  hint,
  fault,
  needed,
  type = 'text',
  ...rest
}: Shared & InputProps & { type?: 'text' | 'password' | 'email' | 'tel' | 'search' }) {
  const id = useId();
  return (
    <Framed id={id} label={label} hint={hint} fault={fault} needed={needed}>
      <input {...rest} {...told(id, { hint, fault, needed })} id={id} type={type} class="input" />
    </Framed>
  );
}

/** The password that the person has now. */
export function PresentPassword({
  label,
  value,
  onTyped,
}: {
  label: string;
  value: string;
  onTyped: (password: string) => void;
}) {
  return (
    <TextField
      needed
      label={label}
      type="password"
      value={value}
      autoComplete="current-password"
      onInput={(event) => onTyped(event.currentTarget.value)}
    />
  );
}

/** A day, written and read in the console's language whatever the browser's; its calendar is a press away. */
export function DateField({
  label,
  hint,
  fault,
  needed,
  value,
  max,
  onDay,
}: Shared & {
  /** YYYY-MM-DD; empty: none yet. */
  value: string;
  /** The last day that its month offers, YYYY-MM-DD; one that is written is judged by the form. */
  max?: string;
  /** A whole day, YYYY-MM-DD, or empty: what is written is none. */
  onDay: (day: string) => void;
}) {
  const id = useId();
  const words = dateWords();
  /** What is being written and what came of it; it stands until the day is changed from elsewhere. */
  const [typed, setTyped] = useState<{ text: string; day: string } | null>(null);
  const [isLeft, setLeft] = useState(false);
  const native = useRef<HTMLInputElement>(null);
  // chosen elsewhere: what was written here is over
  useEffect(() => {
    if (typed !== null && typed.day !== value) setTyped(null);
  }, [value]);
  const tell = (text: string) => {
    const day = readDay(text, language) ?? '';
    setTyped({ text, day });
    onDay(day);
  };
  const text = typed?.text ?? writtenDay(value, language);
  const isUnread = isLeft && text.trim() !== '' && readDay(text, language) === null;
  const own = isUnread ? words.write(dayPattern(words.letters, language)) : null;
  const shown = own ?? fault;
  return (
    <Framed id={id} label={label} hint={hint} fault={shown} needed={needed}>
      <span class="with-unit date">
        <input
          {...told(id, { hint, fault: shown, needed })}
          id={id}
          type="text"
          class="input"
          inputMode="numeric"
          autoComplete="off"
          maxLength={10}
          placeholder={dayPattern(words.letters, language)}
          value={text}
          onInput={(event) => tell(event.currentTarget.value)}
          onFocus={() => setLeft(false)}
          onBlur={() => {
            setLeft(true);
            if (typed !== null && typed.day !== '') setTyped(null);
          }}
        />
        <button
          type="button"
          class="button plain"
          aria-label={words.month}
          onClick={() => native.current?.showPicker()}
        >
          <Icon name="calendar" />
        </button>
        <input
          ref={native}
          type="date"
          tabIndex={-1}
          aria-hidden="true"
          value={value}
          max={max}
          onInput={(event) => tell(event.currentTarget.value)}
        />
      </span>
    </Framed>
  );
}

/** Some sentences; where the lines break is kept. */
export function TextArea({
  label,
  hint,
  fault,
  needed,
  ...rest
}: Shared & Omit<JSX.IntrinsicElements['textarea'], 'class' | 'label'>) {
  const id = useId();
  return (
    <Framed id={id} label={label} hint={hint} fault={fault} needed={needed}>
      <textarea {...rest} {...told(id, { hint, fault, needed })} id={id} class="input" />
    </Framed>
  );
}

/**
 * A figure: takes comma and point, never turns a wrong text into zero. Read it with readDecimal; how it was read is said
 * where that is not plain. `inputMode` numeric: a whole number, read with readCount.
 */
export function DecimalField({ unit, ...field }: Shared & InputProps & { unit?: string }) {
  const { label, hint: given, fault: found, needed, ...rest } = field;
  const id = useId();
  const text = rest.inputMode !== 'numeric' && typeof rest.value === 'string' ? rest.value : '';
  const both = bothMeanings(text);
  const hint = [given, readAs(text)].filter((part) => part !== undefined).join(' · ') || undefined;
  const fault = both === null ? found : fieldWords().either(both.large, both.small);
  return (
    <Framed id={id} label={label} hint={hint} fault={fault} needed={needed}>
      <span class="with-unit">
        <input
          inputMode="decimal"
          {...rest}
          {...told(id, { hint, fault, needed })}
          id={id}
          type="text"
          autoComplete="off"
          class="input"
        />
        {unit === undefined ? null : <span class="muted">{unit}</span>}
      </span>
    </Framed>
  );
}

export function SelectField({
  label,
  hint,
  fault,
  needed,
  options,
  ...rest
}: Shared &
  Omit<JSX.IntrinsicElements['select'], 'class' | 'label'> & {
    options: readonly { value: string; label: string }[];
  }) {
  const id = useId();
  return (
    <Framed id={id} label={label} hint={hint} fault={fault} needed={needed}>
      <select {...rest} {...told(id, { hint, fault, needed })} id={id} class="input">
        {options.map(({ value, label: text }) => (
          <option key={value} value={value} selected={value === rest.value}>
            {text}
          </option>
        ))}
      </select>
    </Framed>
  );
}

export function CheckField({ label, ...rest }: { label: string } & InputProps) {
  const id = useId();
  return (
    <div class="check">
      <input {...rest} id={id} type="checkbox" />
      <label for={id}>{label}</label>
    </div>
  );
}

type Props = {
  label: string;
  hint: string;
  /** Kinds of files as the browser names them; absent: all, for phones know no kind for ours and would offer none. */
  accept?: string;
  disabled?: boolean;
  /** What was chosen here or dropped beside it; null: nothing, or it has gone. */
  file: File | null;
  onChoose: (file: File | null) => void;
};

/** One file of this computer or phone. */
export function FileField({ label, hint, accept, disabled, file, onChoose }: Props) {
  const id = useId();
  const words = fileWords();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // the same file can be chosen again once it has gone
    if (file === null && input.current !== null) input.current.value = '';
  }, [file]);
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
      </label>
      <span class="with-unit file">
        {/* the browser's own button speaks the browser's language: it lies over ours and cannot be seen */}
        <span class="file-button">
          <span class="button plain" aria-hidden="true">
            {words.choose}
          </span>
          <input
            ref={input}
            id={id}
            type="file"
            aria-describedby={`${id}-hint`}
            {...(accept === undefined ? {} : { accept })}
            {...(disabled === undefined ? {} : { disabled })}
            onChange={(event) => onChoose(event.currentTarget.files?.[0] ?? null)}
          />
        </span>
        <span class="muted grow">{file?.name ?? words.none}</span>
      </span>
      <span class="hint" id={`${id}-hint`}>
        {hint}
      </span>
    </div>
  );
}

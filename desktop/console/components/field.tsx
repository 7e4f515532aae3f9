import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { fieldWords } from '#words/components.ts';
import { bothMeanings, readAs } from '../i18n/format.ts';

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
}: Shared & InputProps & { type?: 'text' | 'password' | 'email' | 'tel' | 'date' | 'time' | 'search' }) {
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

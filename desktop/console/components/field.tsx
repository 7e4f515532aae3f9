import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

type Shared = {
  label: string;
  hint?: string | undefined;
  /** What is wrong with it, told at the field. */
  fault?: string | null | undefined;
};

type InputProps = Omit<JSX.IntrinsicElements['input'], 'class' | 'label' | 'type'>;

function Framed({ label, hint, fault, id, children }: Shared & { id: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <label class="label" for={id}>
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

const told = (id: string, { hint, fault }: Pick<Shared, 'hint' | 'fault'>) => ({
  'aria-invalid': fault ? ('true' as const) : ('false' as const),
  'aria-describedby':
    [hint === undefined ? null : `${id}-hint`, fault ? `${id}-fault` : null].filter(Boolean).join(' ') ||
    undefined,
});

export function TextField({
  label,
  hint,
  fault,
  type = 'text',
  ...rest
}: Shared & InputProps & { type?: 'text' | 'password' | 'email' | 'tel' | 'date' | 'time' | 'search' }) {
  const id = useId();
  return (
    <Framed id={id} label={label} hint={hint} fault={fault}>
      <input {...rest} {...told(id, { hint, fault })} id={id} type={type} class="input" />
    </Framed>
  );
}

/** A figure: takes comma and point, never turns a wrong text into zero. Read it with readDecimal. */
export function DecimalField({ label, hint, fault, unit, ...rest }: Shared & InputProps & { unit?: string }) {
  const id = useId();
  return (
    <Framed id={id} label={label} hint={hint} fault={fault}>
      <span class="with-unit">
        <input
          inputMode="decimal"
          {...rest}
          {...told(id, { hint, fault })}
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
  options,
  ...rest
}: Shared &
  Omit<JSX.IntrinsicElements['select'], 'class' | 'label'> & {
    options: readonly { value: string; label: string }[];
  }) {
  const id = useId();
  return (
    <Framed id={id} label={label} hint={hint} fault={fault}>
      <select {...rest} {...told(id, { hint, fault })} id={id} class="input">
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

import { useState } from 'preact/hooks';
import { countFieldWords } from '#words/components.ts';
import { figure, readCount } from '../i18n/format.ts';

import { DecimalField } from './field.tsx';

type Rules = { isNeeded?: boolean; mayBeZero?: boolean; most?: number };

/** A field for a whole number, of animals for one: what was typed, what it means, and what is wrong with it. */
export function useCount(first = '', rules: Rules = {}) {
  const { isNeeded = true, mayBeZero = false, most = Number.POSITIVE_INFINITY } = rules;
  const [text, setText] = useState(first);
  const value = readCount(text);
  const w = countFieldWords();
  const fault =
    value === null
      ? null
      : Number.isNaN(value)
        ? w.bad
        : value === 0 && !mayBeZero
          ? w.positive
          : value > most
            ? w.tooMany(figure(most))
            : null;
  return {
    text,
    setText,
    value: Number.isNaN(value) ? null : value,
    fault,
    isNeeded,
    isTouched: text !== first,
    isRight: fault === null && (value !== null || !isNeeded),
  };
}

export function CountField({
  label,
  count,
  unit,
  hint,
  fault,
}: {
  label: string;
  count: ReturnType<typeof useCount>;
  unit?: string;
  hint?: string | undefined;
  fault?: string | null;
}) {
  // 250.000 is read as a quarter of a million: said, so that nobody has to trust it
  const read = count.fault === null && count.text.trim().length > 3 ? `= ${figure(count.value)}` : undefined;
  return (
    <DecimalField
      label={label}
      needed={count.isNeeded}
      {...(unit === undefined ? {} : { unit })}
      hint={[hint, read].filter((told) => told !== undefined).join(' · ') || undefined}
      inputMode="numeric"
      value={count.text}
      fault={count.fault ?? fault ?? null}
      onInput={(event) => count.setText(event.currentTarget.value)}
    />
  );
}

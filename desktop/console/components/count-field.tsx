import { useState } from 'preact/hooks';
import { figure, readCount } from '../i18n/format.ts';
import { dictionary } from '../i18n/language.ts';
import { DecimalField } from './field.tsx';

const words = dictionary({
  'pt-BR': {
    bad: 'Digite um número inteiro.',
    positive: 'Maior que zero.',
    tooMany: (most: string) => `No máximo ${most}.`,
  },
  en: {
    bad: 'Type a whole number.',
    positive: 'Greater than zero.',
    tooMany: (most: string) => `At most ${most}.`,
  },
});

/** A field for a number of animals: what was typed, what it means, and what is wrong with it. */
export function useCount(first = '', most: number | null = null) {
  const [text, setText] = useState(first);
  const value = readCount(text);
  const w = words();
  const fault =
    value === null
      ? null
      : Number.isNaN(value)
        ? w.bad
        : value === 0
          ? w.positive
          : most !== null && value > most
            ? w.tooMany(figure(most))
            : null;
  return {
    text,
    setText,
    value: Number.isNaN(value) ? null : value,
    fault,
    isRight: value !== null && fault === null,
  };
}

export function CountField({
  label,
  count,
  hint,
  fault,
}: {
  label: string;
  count: ReturnType<typeof useCount>;
  hint?: string | undefined;
  fault?: string | null;
}) {
  // 250.000 is read as a quarter of a million: said, so that nobody has to trust it
  const read = count.isRight && count.text.trim().length > 3 ? `= ${figure(count.value)}` : undefined;
  return (
    <DecimalField
      label={label}
      hint={[hint, read].filter((told) => told !== undefined).join(' · ') || undefined}
      inputMode="numeric"
      value={count.text}
      fault={count.fault ?? fault ?? null}
      onInput={(event) => count.setText(event.currentTarget.value)}
    />
  );
}

import { useState } from 'preact/hooks';
import { countFieldWords, figureFieldWords } from '#words/components.ts';
import { figure, readCount, readDecimal } from '../i18n/format.ts';
import { DecimalField } from './field.tsx';

type Rules = { isNeeded?: boolean; mayBeZero?: boolean; most?: number };

/** A text field that holds a figure: what was typed, what it means, and what is wrong with it once it was touched. */
export function useFigure(first = '', rules: Rules = {}) {
  const { isNeeded = true, mayBeZero = !isNeeded, most = Number.POSITIVE_INFINITY } = rules;
  const [text, setText] = useState(first);
  const value = readDecimal(text);
  const fault = value === null ? null : faultOf(value, { mayBeZero, most });
  return {
    text,
    setText: (next: string) => setText(next),
    value: Number.isNaN(value) ? null : value,
    fault,
    isNeeded,
    isTouched: text !== first,
    isRight: fault === null && (value !== null || !isNeeded),
  };
}

function faultOf(value: number, { mayBeZero, most }: { mayBeZero: boolean; most: number }): string | null {
  const w = figureFieldWords();
  if (Number.isNaN(value)) return w.bad;
  if (value < 0) return w.negative;
  if (value === 0 && !mayBeZero) return w.positive;
  return value > most ? w.tooMuch(String(most)) : null;
}

export function FigureField({
  label,
  figure,
  unit,
  hint,
  fault,
}: {
  label: string;
  figure: ReturnType<typeof useFigure>;
  unit?: string;
  hint?: string | undefined;
  fault?: string | null;
}) {
  return (
    <DecimalField
      label={label}
      needed={figure.isNeeded}
      {...(unit === undefined ? {} : { unit })}
      hint={hint}
      value={figure.text}
      fault={figure.fault ?? fault ?? null}
      onInput={(event) => figure.setText(event.currentTarget.value)}
    />
  );
}

/** A field for a whole number, of animals for one: what was typed, what it means, and what is wrong with it. */
export function useCount(first = '', rules: Rules = {}) {
  const [text, setText] = useState(first);
  return { ...countOf(text, setText, rules), isTouched: text !== first };
}

/** The same of a text that a form keeps. */
export function countOf(text: string, setText: (text: string) => void, rules: Rules = {}) {
  const { isNeeded = true, mayBeZero = false, most = Number.POSITIVE_INFINITY } = rules;
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
  count: ReturnType<typeof countOf>;
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

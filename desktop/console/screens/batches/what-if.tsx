import { useRef } from 'preact/hooks';
import { asTyped, money } from '../../i18n/format.ts';
import { rangeAround, type SliderRange } from '../../state/slider-range.ts';

/** Tries what another amount would mean. Its ends stay while it is drawn, and move when something beyond them is typed. */
export function WhatIf({
  label,
  value,
  onTry,
}: {
  label: string;
  value: number;
  onTry: (text: string) => void;
}) {
  const range = useRef<SliderRange | null>(null);
  const known = range.current;
  if (known === null || value < known.min || value > known.max) range.current = rangeAround(value);
  const { min, max, step } = range.current ?? rangeAround(value);
  return (
    <label class="what-if">
      <span class="muted small">{label}</span>
      <input
        type="range"
        {...{ min, max, step, value }}
        aria-valuetext={money(value)}
        onInput={(event) => onTry(asTyped(event.currentTarget.valueAsNumber))}
      />
      <span class="row apart muted small" aria-hidden="true">
        <span>{money(min)}</span>
        <span>{money(max)}</span>
      </span>
    </label>
  );
}

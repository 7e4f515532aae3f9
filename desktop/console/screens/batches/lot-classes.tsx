import { useState } from 'preact/hooks';
import type { SizeClass } from '#contract/resources/harvest-lots.ts';
import { lotWords } from '#words/harvest-lots.ts';
import { Button } from '../../components/button.tsx';
import { DecimalField } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { BATCH_TOUCHES } from '../../data/batches.ts';
import { seesMoney } from '../../data/farm-store.ts';
import { asTyped, currencySign, quantity, readCount, readDecimal } from '../../i18n/format.ts';

/** Kinds of questions that rest on lots of harvests. */
export const LOT_TOUCHES = [...BATCH_TOUCHES, 'harvest-lots', 'farms', 'logs'];

type Typed = { least: string; most: string; kg: string; price: string };
const EMPTY: Typed = { least: '', most: '', kg: '', price: '' };

/** The size classes of a lot while they are typed; a line without anything in it is none. */
export function useClasses(first: readonly SizeClass[] = []) {
  const [lines, setLines] = useState<readonly Typed[]>(() =>
    first.map((each) => ({
      least: asTyped(each.pieces_min),
      most: asTyped(each.pieces_max),
      kg: asTyped(each.weight_kg),
      price: asTyped(each.price_per_kg),
    })),
  );
  const told = lines.filter((line) => Object.values(line).some((text) => text.trim() !== ''));
  const classes = told.map(({ least, most, kg, price }) => ({
    pieces_min: readCount(least),
    pieces_max: readCount(most),
    weight_kg: readDecimal(kg),
    price_per_kg: readDecimal(price),
  }));
  return {
    lines,
    classes,
    kg: classes.reduce((sum, { weight_kg }) => sum + (weight_kg || 0), 0),
    isRight: classes.every(isRight),
    add: () => setLines([...lines, EMPTY]),
    remove: (at: number) => setLines(lines.filter((_, index) => index !== at)),
    set: (at: number, change: Partial<Typed>) =>
      setLines(lines.map((line, index) => (index === at ? { ...line, ...change } : line))),
  };
}

type Read = {
  pieces_min: number | null;
  pieces_max: number | null;
  weight_kg: number | null;
  price_per_kg: number | null;
};

function isRight({ pieces_min: least, pieces_max: most, weight_kg: kg, price_per_kg: price }: Read): boolean {
  const isSized = least === null ? most === null : most !== null && least > 0 && least <= most;
  return isSized && kg !== null && kg > 0 && (price === null || price >= 0);
}

export function ClassFields({ of, weight }: { of: ReturnType<typeof useClasses>; weight: number | null }) {
  const words = lotWords();
  const isAbove = weight !== null && of.kg > weight + 0.005;
  return (
    <fieldset class="stack">
      <legend>{words.classes}</legend>
      {of.lines.map((line, at) => (
        <div key={at} class="form-grid" role="group" aria-label={words.classNth(String(at + 1))}>
          <DecimalField
            label={words.from}
            inputMode="numeric"
            value={line.least}
            onInput={(event) => of.set(at, { least: event.currentTarget.value })}
          />
          <DecimalField
            label={words.to}
            inputMode="numeric"
            value={line.most}
            onInput={(event) => of.set(at, { most: event.currentTarget.value })}
          />
          <DecimalField
            label={words.weight}
            unit="kg"
            value={line.kg}
            onInput={(event) => of.set(at, { kg: event.currentTarget.value })}
          />
          {seesMoney.value ? (
            <DecimalField
              label={words.price}
              unit={currencySign.value}
              value={line.price}
              onInput={(event) => of.set(at, { price: event.currentTarget.value })}
            />
          ) : null}
          <Button look="quiet" aria-label={words.removeClass(String(at + 1))} onClick={() => of.remove(at)}>
            <Icon name="trash" size={18} />
          </Button>
        </div>
      ))}
      {of.lines.length === 0 || weight === null ? null : (
        <p class={`note ${isAbove ? 'p2' : ''}`} role="status">
          {words.classesAre(quantity(of.kg, 1, 'kg'), quantity(weight, 1, 'kg'))}
          {isAbove ? ` ▲ ${words.above}` : ''}
        </p>
      )}
      <div>
        <Button onClick={of.add}>{words.addClass}</Button>
      </div>
    </fieldset>
  );
}

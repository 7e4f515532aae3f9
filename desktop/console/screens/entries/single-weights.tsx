import { useId, useState } from 'preact/hooks';
import { weightWords } from '#words/weights.ts';
import { Button } from '../../components/button.tsx';
import { SizeHistogram } from '../../components/size-histogram.tsx';
import { figure, readDecimal } from '../../i18n/format.ts';
import { MOST_WEIGHTS, weightTexts } from '../../state/size-classes.ts';

/** The weights of the animals of a sample, typed one by one; null: nobody does. */
export function useSingleWeights() {
  const [text, setText] = useState<string | null>(null);
  const w = weightWords();
  const read = weightTexts(text ?? '').map((told) => ({ told, value: readDecimal(told) }));
  const bad = read.find(({ value }) => value === null || Number.isNaN(value) || value <= 0);
  const fault =
    bad !== undefined ? w.bad(bad.told) : read.length > MOST_WEIGHTS ? w.tooMany(figure(MOST_WEIGHTS)) : null;
  const weights = read.flatMap(({ value }) => (value === null || Number.isNaN(value) ? [] : [value]));
  return {
    text,
    setText,
    fault,
    weights: text === null ? null : weights,
    isRight: fault === null && weights.length > 0,
  };
}

export function SingleWeights({ of }: { of: ReturnType<typeof useSingleWeights> }) {
  const w = weightWords();
  const id = useId();
  if (of.text === null)
    return (
      <div>
        <Button look="quiet" onClick={() => of.setText('')}>
          {w.show}
        </Button>
      </div>
    );
  return (
    <>
      <div class="field">
        <label for={id}>{w.field}</label>
        <textarea
          id={id}
          class="input"
          rows={5}
          inputMode="decimal"
          autoFocus
          required
          aria-invalid={of.fault !== null}
          aria-describedby={`${id}-hint`}
          value={of.text}
          onInput={(event) => of.setText(event.currentTarget.value)}
        />
        <span id={`${id}-hint`} class={of.fault === null ? 'hint' : 'fault'} role="status">
          {of.fault ?? w.hint}
        </span>
      </div>
      {of.isRight ? <SizeHistogram weights={of.weights ?? []} /> : null}
      <div>
        <Button look="quiet" onClick={() => of.setText(null)}>
          {w.hide}
        </Button>
      </div>
    </>
  );
}

import { useId } from 'preact/hooks';
import type { WaterField } from '#contract/resources/water-quality.ts';
import { waterWords } from '../../components/water-words.ts';
import type { Pond } from '../../data/places.ts';
import { sureOfWater, typeWater } from '../../data/water-draft.ts';
import type { Judged } from '../../state/water-entry.ts';
import { isAmiss, JudgedNote } from './judged-note.tsx';
import { typedOf } from './water-round.ts';
import { entryWords } from './words.ts';

/** One figure of the sheet, with what is to be said about it below. */
export function WaterCell({
  pond,
  field,
  place,
  judged,
  last,
  isSkipped,
  onKey,
}: {
  pond: Pond;
  field: WaterField;
  /** `row-column`, where the keys find it. */
  place: string;
  judged: Judged;
  last: number | null;
  isSkipped: boolean;
  onKey: (event: KeyboardEvent) => void;
}) {
  const id = useId();
  return (
    <>
      <input
        class="input cell"
        type="text"
        inputMode="decimal"
        autoComplete="off"
        aria-label={`${pond.cod} ${waterWords().short[field]}`}
        aria-invalid={isAmiss(judged)}
        aria-describedby={id}
        data-cell={place}
        placeholder={isSkipped ? '–' : undefined}
        aria-placeholder={isSkipped ? entryWords().notMeasured : undefined}
        value={typedOf(pond.id)[field] ?? ''}
        onInput={(event) => typeWater(pond.id, field, event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <JudgedNote
        id={id}
        judged={judged}
        last={last}
        field={field}
        isByKey
        onSure={() => sureOfWater(pond.id, field)}
      />
    </>
  );
}

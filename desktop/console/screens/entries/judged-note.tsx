import type { WaterField } from '#contract/resources/water-quality.ts';
import { entryWords } from '#words/entries.ts';
import { Button } from '../../components/button.tsx';
import { WATER } from '../../data/water.ts';
import { figure } from '../../i18n/format.ts';
import type { Judged } from '../../state/water-draft.ts';

export const isAmiss = (judged: Judged): boolean =>
  judged.is === 'unclear' || judged.is === 'impossible' || (judged.is === 'value' && judged.isDoubtful);

/** What a person should know about a figure just typed, at the figure itself; nothing while all is well. */
export function JudgedNote({
  id,
  judged,
  last,
  field,
  onSure,
  isByKey = false,
}: {
  id: string;
  judged: Judged;
  last: number | null;
  field: WaterField;
  /** Somebody says that an unlikely figure is right. */
  onSure: () => void;
  /** In a sheet that is gone through with Enter, which says it too; the button is for a finger. */
  isByKey?: boolean;
}) {
  const words = entryWords();
  if (judged.is === 'value' && judged.isDoubtful) {
    return (
      <span class="cell-note bad doubt" id={id} role="alert">
        <span>▲ {words.doubtful(told(judged.value, field), last === null ? null : told(last, field))}</span>
        <Button tabIndex={isByKey ? -1 : 0} onClick={onSure}>
          {words.isRight}
        </Button>
        {isByKey ? <span>{words.orEnter}</span> : null}
      </span>
    );
  }
  const note = noteOf(judged, last, field);
  return note === null ? null : (
    <span class={`cell-note ${isAmiss(judged) ? 'bad' : ''}`} id={id}>
      {note}
    </span>
  );
}

const told = (value: number, field: WaterField): string => figure(value, WATER[field].decimals);

function noteOf(judged: Judged, last: number | null, field: WaterField): string | null {
  const words = entryWords();
  switch (judged.is) {
    case 'empty':
      return null;
    case 'unclear':
      return words.unclear;
    case 'impossible':
      return words.outOfRange(figure(judged.low), figure(judged.high));
    case 'value':
      if (judged.raisesAlarm === null) return words.limitsUnknown;
      if (judged.raisesAlarm) return `▲ ${words.willAlarm}`;
      return judged.isBigChange && last !== null ? `▲ ${words.bigChange(told(last, field))}` : null;
  }
}

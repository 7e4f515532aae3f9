import type { RecordAnswer } from '#contract/resources/farm-records.ts';
import { trayWords } from '#words/trays.ts';
import type { CorrectedField } from '../../components/correction-dialog.tsx';
import { traysTyped } from '../../components/tray-fields.tsx';
import { percent } from '../../i18n/format.ts';

/** What was left on each tray, in words; of other records nothing. */
export function traysIn({ trays }: RecordAnswer): string[] {
  const words = trayWords();
  return (trays ?? []).map(({ tray, left_percent, note }) => {
    const left = left_percent === null ? words.unseen : percent(left_percent, left_percent % 1 === 0 ? 0 : 1);
    return `${words.one(String(tray))}: ${left}${note === null ? '' : ` (${note})`}`;
  });
}

export function trayFieldOf({ trays }: RecordAnswer): CorrectedField {
  return { name: 'trays', label: trayWords().title, kind: 'trays', first: traysTyped(trays ?? []) };
}

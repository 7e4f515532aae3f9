import type { WaterField } from '#contract/resources/water-quality.ts';
import { WATER } from '../../data/water.ts';
import { figure } from '../../i18n/format.ts';
import type { Judged } from '../../state/water-entry.ts';
import { entryWords } from './words.ts';

/** What a person should know about a figure just typed, at the figure itself; nothing while all is well. */
export function JudgedNote({
  judged,
  last,
  field,
}: {
  judged: Judged;
  last: number | null;
  field: WaterField;
}) {
  const words = entryWords();
  const { decimals } = WATER[field];
  if (judged.is === 'unclear') return <span class="cell-note bad">{words.unclear}</span>;
  if (judged.is === 'impossible') {
    return <span class="cell-note bad">{words.outOfRange(figure(judged.low), figure(judged.high))}</span>;
  }
  if (judged.is !== 'value') return null;
  if (judged.isOutOfBand) return <span class="cell-note">▲ {words.willAlarm}</span>;
  if (judged.isBigChange && last !== null)
    return <span class="cell-note">▲ {words.bigChange(figure(last, decimals))}</span>;
  return null;
}

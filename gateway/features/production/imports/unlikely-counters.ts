import { meterKey } from '#contract/resources/meter-readings.ts';
import { figure, type Language } from '#science/advice/language.ts';
import { noteOf } from './import-words.ts';
import type { CellNote, PlannedRow, ReadingOfMeter } from './ports.ts';

/** Counters that show less than before, among the rows of a file and what is on record. */
export function createCounters({ language }: { language: Language }) {
  let byMeter = new Map<string, ReadingOfMeter[]>();
  const ofFile: ReadingOfMeter[] = [];
  const readingIn = (content: PlannedRow['content']) => content as unknown as ReadingOfMeter;

  return {
    see(content: PlannedRow['content']): void {
      ofFile.push(readingIn(content));
    },
    settle(onRecord: readonly ReadingOfMeter[]): void {
      const all = [...onRecord, ...ofFile].toSorted((one, other) =>
        one.happened_at < other.happened_at ? -1 : 1,
      );
      byMeter = Map.groupBy(all, ({ meter }) => meterKey(meter));
    },
    of(content: PlannedRow['content']): CellNote[] {
      const reading = readingIn(content);
      const readings = byMeter.get(meterKey(reading.meter)) ?? [];
      let [least, most] = [0, readings.length];
      while (least < most) {
        const middle = (least + most) >> 1;
        if ((readings[middle]?.happened_at ?? '') < reading.happened_at) least = middle + 1;
        else most = middle;
      }
      const before = readings[least - 1];
      if (before === undefined || reading.meter_change !== null || before.amount <= reading.amount) return [];
      const other = figure(before.amount, Number.isInteger(before.amount) ? 0 : 1, language);
      return [noteOf(language, 'METER_WENT_BACK', { column: 'counter', other })];
    },
  };
}

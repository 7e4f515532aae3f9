import { WATER_FIELDS } from '#contract/resources/water-quality.ts';
import type { Language } from '#science/advice/language.ts';
import { noteOf } from './import-words.ts';
import type { CellNote, Cells, PlannedRow } from './ports.ts';

/** So many rows above that sum up to a row make it a total rather than chance. */
const LEAST_SUMMED = 3;
/** Hours of one pond that are remembered: of a probe that writes each minute none is twice. */
const MOST_MOMENTS = 10_000;
/** Of a file in which more rows are so each is no news. */
const MOST_TOLD = 10_000;
/** From an evening back to the early hours of its day, and not from an afternoon to its morning. */
const NIGHT_MS = 12 * 3_600_000;
const DAY_MS = 24 * 3_600_000;

type Running = { sum: number; count: number; from: number };
type Last = { ms: number; isLater: boolean };

/** What rows are unlikely beside those above them: sums of these, the same hour again, a night that is dated as one day. */
export function createOrder({ language }: { language: Language }) {
  const sums = new Map<unknown, Running>();
  const moments = new Map<string, { row: number; values: string }>();
  const lasts = new Map<unknown, Last>();
  const told = new Map<number, CellNote>();
  let lastRow = 0;
  let hasMeals = false;

  const tell = (row: number, note: CellNote): void => {
    if (told.size < MOST_TOLD) told.set(row, note);
  };

  function seeFeeding({ batch_id: batch, quantity_kg: kg }: PlannedRow['content'], row: number): void {
    // meals beside each other are no rows below each other
    hasMeals ||= row === lastRow;
    if (hasMeals || typeof kg !== 'number') return;
    const running = sums.get(batch) ?? { sum: 0, count: 0, from: row };
    if (running.count < LEAST_SUMMED || Math.abs(running.sum - kg) >= 0.006) {
      sums.set(batch, { ...running, sum: running.sum + kg, count: running.count + 1 });
      return;
    }
    sums.delete(batch);
    tell(row, noteOf(language, 'SUM_OF_ROWS', { column: 'quantity_kg', other: String(running.from) }));
  }

  function seeWater(content: PlannedRow['content'], row: number): void {
    const { pond_id: pond, measurement_date: at } = content;
    const ms = Date.parse(String(at));
    const last = lasts.get(pond);
    const back = last === undefined ? 0 : last.ms - ms;
    if (last?.isLater === true && back >= NIGHT_MS && back < DAY_MS && row !== lastRow)
      tell(row, noteOf(language, 'NIGHT_ROWS', { column: 'date' }));
    lasts.set(pond, { ms, isLater: last !== undefined && back < 0 });
    const values = WATER_FIELDS.map((field) => content[field]).join(' ');
    const key = `${String(pond)} ${String(at)}`;
    const there = moments.get(key);
    if (there === undefined) {
      if (moments.size < MOST_MOMENTS) moments.set(key, { row, values });
      return;
    }
    if (there.row !== row && there.values !== values)
      tell(row, noteOf(language, 'SAME_TIME_IN_FILE', { column: 'date', other: String(there.row) }));
  }

  return {
    /** Hears of each row in the order of the file. */
    see({ row, planned: { content } }: { row: number; planned: PlannedRow }, values: Cells): void {
      if ('quantity_kg' in values) seeFeeding(content, row);
      else if ('dissolved_oxygen' in values) seeWater(content, row);
      lastRow = row;
    },
    of(row: number): CellNote[] {
      const note = told.get(row);
      told.delete(row);
      return note === undefined ? [] : [note];
    },
  };
}

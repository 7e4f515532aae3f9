import type { ImportKind, RowNote } from '#contract/resources/imports.ts';
import { figure } from '#science/advice/language.ts';
import { plausibilityText } from '#science/advice/plausibility-text.ts';
import { implausibilitiesOf } from '#science/plausibility.ts';
import type { WaterSample } from '#science/water-limits.ts';
import { noteOf } from './import-words.ts';
import type { CellNote, Cells, ImportDeps, PlannedRow, Weighing } from './ports.ts';
import type { Identified, ImportBy } from './read-rows.ts';
import { createCounters } from './unlikely-counters.ts';
import { createOrder } from './unlikely-order.ts';

/** Amounts that a slip of the decimal mark makes a hundred or a thousand times as large. */
const JUDGED: Readonly<Record<ImportKind, readonly string[]>> = {
  batches: ['initial_avg_weight', 'initial_density', 'final_weight_kg'],
  biometries: [],
  feeding: ['quantity_kg', 'cost_per_kg'],
  measurements: ['ammonia', 'nitrite', 'nitrate', 'alkalinity', 'transparency'],
  meters: [],
};
/** So many times the middle value of its column is more likely a slip; of so few values none is the middle. */
const TIMES = 20;
const LEAST_VALUES = 3;
/** In per cent, and written as a part of one by some. */
const PERCENTS = ['estimated_survival_rate', 'tray_leftover_percent'] as const;
/** What is left on a tray is scored by some, of 4 at most. */
const HIGHEST_SCORE = 4;
const LEAST_SCORED = 3;
/** Of a column whose every figure is smaller than this, another unit is likelier. */
const SMALL: Readonly<Record<string, { below: number; of: string; other: string }>> = {
  transparency: { below: 3, of: 'cm', other: 'm' },
  alkalinity: { below: 10, of: 'mg/L', other: 'meq/L, dKH' },
};
/** So many amounts of different size tell whether prices grow with them. */
const LEAST_PRICED = 3;
/** So many weighings back there is one of the same pond. */
const PONDS_AT_MOST = 200;

/** What is unlikely in a row, but comes in as it stands; the same warnings as for one that is entered by hand, and more. */
export async function createJudging(deps: ImportDeps, by: ImportBy, kind: ImportKind) {
  const science = await deps.scienceOf(by.farm.farmId);
  const judge = deps.judgeRows();
  const columns = new Map<string, number[]>(JUDGED[kind].map((name) => [name, []]));
  const middles = new Map<string, number>();
  const slips = createSlips(by);
  const order = createOrder(by);
  const counters = createCounters(by);
  const weighings: Weighing[] = [];
  let weighingsBy = new Map<string, Weighing[]>();

  function outliersIn(values: Cells): CellNote[] {
    return [...middles].flatMap(([column, middle]) => {
      const value = values[column];
      if (typeof value !== 'number' || middle <= 0 || value < TIMES * middle) return [];
      const other = String(Math.round(value / middle));
      return [noteOf(by.language, 'OUTLIER', { column, value, other })];
    });
  }

  async function warningsOf({ planned: { content } }: Pick<Identified, 'planned'>): Promise<CellNote[]> {
    if (kind === 'measurements') return unlikelyWater(content);
    if (kind === 'feeding') {
      const row = content as unknown as Parameters<typeof judge.feeding>[0];
      return inColumn('quantity_kg', await judge.feeding(row, by.language));
    }
    if (kind === 'meters') return counters.of(content);
    if (kind !== 'biometries') return [];
    const row = content as unknown as Weighing;
    return inColumn('total_weight_g', await judge.biometry(row, before(row), by.language));
  }

  /** Of the same pond, or of the whole batch. */
  function before(row: Weighing): Weighing | null {
    const all = weighingsBy.get(row.batch_id) ?? [];
    let [least, most] = [0, all.length];
    while (least < most) {
      const middle = (least + most) >> 1;
      if ((all[middle]?.measurement_date ?? '') < row.measurement_date) least = middle + 1;
      else most = middle;
    }
    const isOfPond = ({ pond_id }: Weighing) =>
      row.pond_id === null || pond_id === null || pond_id === row.pond_id;
    return all.slice(Math.max(0, least - PONDS_AT_MOST), least).findLast(isOfPond) ?? null;
  }

  function unlikelyWater(content: PlannedRow['content']): CellNote[] {
    const value = (field: keyof WaterSample) => {
      const cell = content[field];
      return typeof cell === 'number' ? cell : null;
    };
    const sample: WaterSample = {
      temperature: value('temperature'),
      dissolved_oxygen: value('dissolved_oxygen'),
      ph: value('ph'),
      salinity: value('salinity'),
      alkalinity: value('alkalinity'),
      ammonia: value('ammonia'),
      nitrite: value('nitrite'),
      nitrate: value('nitrate'),
      transparency: value('transparency'),
    };
    return implausibilitiesOf(science.water, sample).map((found) => ({
      column: found.parameter,
      code: found.kind,
      message: plausibilityText(found, by.language),
    }));
  }

  return {
    /** Hears of each row before any is judged. */
    see(values: Cells, read: { row: number; planned: PlannedRow }): void {
      order.see(read, values);
      for (const [name, seen] of columns) {
        const value = values[name];
        if (typeof value === 'number' && value > 0) seen.push(value);
      }
      slips.see(values);
      if (kind === 'meters') counters.see(read.planned.content);
      if (kind === 'biometries') weighings.push(read.planned.content as unknown as Weighing);
    },
    async settle(): Promise<void> {
      for (const [name, seen] of columns) {
        const sorted = seen.toSorted((one, other) => one - other);
        if (sorted.length >= LEAST_VALUES)
          middles.set(name, sorted[Math.floor((sorted.length - 1) / 2)] ?? 0);
      }
      slips.settle();
      if (kind === 'meters') counters.settle(await deps.queries.readingsOf(by.farm.farmId));
      if (kind !== 'biometries') return;
      const batches = [...new Set(weighings.map(({ batch_id }) => batch_id))];
      const all = [...weighings, ...(await deps.queries.weighingsOf(batches))];
      all.sort((one, other) => (one.measurement_date < other.measurement_date ? -1 : 1));
      weighingsBy = Map.groupBy(all, ({ batch_id }) => batch_id);
    },
    async unlikelyIn(row: Identified): Promise<RowNote[]> {
      const found = [
        ...(row.planned.doubts ?? []),
        ...(await warningsOf(row)),
        ...outliersIn(row.values),
        ...slips.of(row.values),
        ...order.of(row.row),
      ];
      return found.map((note) => ({ row: row.row, ...note }));
    },
  };
}

/** A share written where per cent are asked for, and the price of all where that of a kilogram is. */
function createSlips(by: Pick<ImportBy, 'language'>) {
  const largest = new Map<string, number>();
  const scores = { count: 0, areWhole: true };
  const isTold = new Set<string>();
  const priced: { kg: number; price: number }[] = [];
  let kgPrice: number | null = null;

  /** Once of a column, at the first of its figures. */
  const small = (values: Cells): CellNote[] =>
    Object.entries(SMALL).flatMap(([column, { below, of, other }]) => {
      const value = values[column];
      if (typeof value !== 'number' || value === 0 || isTold.has(column)) return [];
      if ((largest.get(column) ?? 0) >= below) return [];
      isTold.add(column);
      return [noteOf(by.language, 'UNIT_DOUBTFUL', { column, of, other })];
    });

  function scored({ tray_leftover_percent: value }: Cells): CellNote[] {
    const most = largest.get('tray_leftover_percent') ?? 0;
    const mayBe = scores.areWhole && scores.count >= LEAST_SCORED && most > 1 && most <= HIGHEST_SCORE;
    if (!mayBe || typeof value !== 'number' || value === 0) return [];
    return [
      noteOf(by.language, 'LEFTOVER_SCORES', { column: 'tray_leftover_percent', other: String(value) }),
    ];
  }

  return {
    see(values: Cells): void {
      for (const column of [...PERCENTS, ...Object.keys(SMALL)]) {
        const value = values[column];
        if (typeof value === 'number') largest.set(column, Math.max(value, largest.get(column) ?? 0));
      }
      const { tray_leftover_percent: leftover } = values;
      if (typeof leftover === 'number') scores.count += 1;
      scores.areWhole &&= typeof leftover !== 'number' || Number.isInteger(leftover);
      const { quantity_kg: kg, cost_per_kg: price } = values;
      if (typeof kg === 'number' && typeof price === 'number' && kg > 0 && price > 0)
        priced.push({ kg, price });
    },
    settle(): void {
      kgPrice = priceOfKg(priced);
    },
    of(values: Cells): CellNote[] {
      const shares = PERCENTS.flatMap((column) => {
        const value = values[column];
        const isShare = typeof value === 'number' && value > 0 && (largest.get(column) ?? 0) <= 1;
        return isShare ? [noteOf(by.language, 'SHARE_NOT_PERCENT', { column, value })] : [];
      });
      const found = [...shares, ...small(values), ...scored(values)];
      if (kgPrice === null || typeof values['cost_per_kg'] !== 'number') return found;
      const price = figure(kgPrice, 2, by.language);
      return [...found, noteOf(by.language, 'PRICE_OF_ALL', { column: 'cost_per_kg', of: price })];
    },
  };
}

/** Where prices go with the amounts and their quotient does not: what a kilogram then costs; else null. */
function priceOfKg(priced: readonly { kg: number; price: number }[]): number | null {
  if (new Set(priced.map(({ kg }) => kg)).size < LEAST_PRICED) return null;
  const prices = priced.map(({ price }) => price);
  const quotients = priced.map(({ kg, price }) => price / kg);
  return spreadOf(quotients) < spreadOf(prices) / 3 ? mean(quotients) : null;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Standard deviation as a share of the mean. */
function spreadOf(values: readonly number[]): number {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2))) / middle;
}

const inColumn = (column: string, warnings: readonly { code: string; message: string }[]): CellNote[] =>
  warnings.map((warning) => ({ column, ...warning }));

import { type ExpressionBuilder, sql } from 'kysely';
import { measurement, type WaterField } from '#contract/resources/water-quality.ts';
import type {
  AlertScope,
  Measurement,
  Page,
  Reading,
  Span,
  StretchFigures,
  WaterInSpan,
  WaterStatistics,
} from '#features/production/water-quality/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow, type Tables } from '../../tables.ts';
import { inChunks } from '../paging.ts';
import { WATER_TYPES } from './measurements.ts';
import { averageOf, dailySums, extremeInHours, isOfWholeHours, waterSums } from './water-sums.ts';

const AVERAGED = ['temperature', 'dissolved_oxygen', 'ph', 'salinity'] as const;

/** What is known of a pond's water in a span of time, read by `db`. */
export function waterInSpan(db: Db, pondId: string, span: Span): WaterInSpan {
  return {
    measurements: (page) => measurementsIn(db, pondId, span, page),
    statistics: () => statisticsOf(db, pondId, span),
    dailyFigures: (parameter, days) => dailySums(db, pondId, parameter, days),
    stretches: (parameter, minutes) => stretches(db, pondId, span, { parameter, minutes }),
    async extremes(parameter) {
      const [lowest, highest] = await Promise.all([
        extremeOf(db, pondId, span, { parameter, order: 'asc' }),
        extremeOf(db, pondId, span, { parameter, order: 'desc' }),
      ]);
      return { lowest, highest };
    },
    async countRaised(types) {
      if (types.length === 0) return 0;
      const row = await db
        .selectFrom('alerts')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .where(ofWater({ pondId, span, status: null }))
        .where('type', 'in', types)
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
  };
}

/** Looks no further in the index than that many entries. */
export async function hasMoreThan(db: Db, pondId: string, span: Span, rows: number): Promise<boolean> {
  const row = await db
    .selectFrom('measurements')
    .select('id')
    .where(within(pondId, span))
    .orderBy('measurement_date')
    .limit(1)
    .offset(rows)
    .executeTakeFirst();
  return row !== undefined;
}

function within(pondId: string, { from, before }: Span) {
  return (where: ExpressionBuilder<Tables, 'measurements'>) =>
    where.and([
      where('pond_id', '=', pondId),
      where('hidden', '=', 0),
      ...(from === null ? [] : [where('measurement_date', '>=', from)]),
      ...(before === null ? [] : [where('measurement_date', '<', before)]),
    ]);
}

function measurementsIn(db: Db, pondId: string, span: Span, page: Page): AsyncIterable<Measurement> {
  return inChunks(page, async (after, { limit, offset }) => {
    // what is skipped is skipped in the index; only the rows of the page are looked up
    const ids = db
      .selectFrom('measurements')
      .select(['id as page_id', 'measurement_date as page_date'])
      // one upper bound only: with two, the engine starts each chunk where the first one began
      .where(within(pondId, after === null ? span : { ...span, before: null }))
      .$if(after !== null, (query) =>
        query.where((tuple) =>
          tuple(
            tuple.refTuple('measurement_date', 'id'),
            '<',
            tuple.tuple(after?.measurement_date ?? '', after?.id ?? ''),
          ),
        ),
      )
      .orderBy('measurement_date', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .offset(offset);
    const rows = await db
      .selectFrom(ids.as('page'))
      .innerJoin('measurements', 'measurements.id', 'page.page_id')
      .selectAll('measurements')
      .orderBy('page.page_date', 'desc')
      .orderBy('page.page_id', 'desc')
      .execute();
    return rows.map((row) => decodeRow(measurement, row));
  });
}

async function statisticsOf(db: Db, pondId: string, span: Span): Promise<WaterStatistics> {
  const { count, first, last, of } = await waterSums(db, pondId, span, { fields: AVERAGED, extremes: false });
  const average = (field: WaterField) => {
    const found = of.get(field);
    return found === undefined ? null : averageOf(found);
  };
  return {
    count,
    first,
    last,
    temperature: average('temperature'),
    dissolved_oxygen: average('dissolved_oxygen'),
    ph: average('ph'),
    salinity: average('salinity'),
  };
}

/** An instant is text that begins `2026-03-01T05:30`: both engines cut it alike, and one range of the index is read once. */
async function stretches(
  db: Db,
  pondId: string,
  span: Span,
  { parameter, minutes }: { parameter: WaterField; minutes: number },
): Promise<StretchFigures[]> {
  const value = sql.ref(`measurements.${parameter}`);
  const day = sql`substr(measurement_date, 1, 10)`;
  const minute = sql`(cast(substr(measurement_date, 12, 2) as integer) * 60 + cast(substr(measurement_date, 15, 2) as integer))`;
  const rows = await db
    .selectFrom('measurements')
    .select(({ fn }) => [
      fn.min<string>('measurement_date').as('at'),
      fn.countAll<number>().as('count'),
      sql<number>`sum(${value})`.as('sum'),
      sql<number>`min(${value})`.as('min'),
      sql<number>`max(${value})`.as('max'),
    ])
    .where(within(pondId, span))
    .where(parameter, 'is not', null)
    // whole numbers: a division leaves the rest away
    .groupBy([day, sql`${minute} / ${sql.lit(minutes)}`])
    .orderBy('at')
    .execute();
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

async function extremeOf(
  db: Db,
  pondId: string,
  span: Span,
  { parameter, order }: { parameter: WaterField; order: 'asc' | 'desc' },
): Promise<Reading | null> {
  const { from, before } = span;
  if (from !== null && before !== null && (await isOfWholeHours(db, pondId, [{ from, before }])))
    return extremeInHours(db, pondId, { from, before }, { parameter, order });
  const row = await db
    .selectFrom('measurements')
    .select([`${parameter} as value`, 'measurement_date as at'])
    .where(within(pondId, span))
    .where(parameter, 'is not', null)
    .orderBy(parameter, order)
    .orderBy('measurement_date', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined || row.value === null ? null : { value: row.value, at: row.at };
}

export function ofWater({ pondId, span, status }: AlertScope) {
  return (where: ExpressionBuilder<Tables, 'alerts'>) =>
    where.and([
      where('pond_id', '=', pondId),
      where('hidden', '=', 0),
      where('type', 'in', WATER_TYPES),
      ...(status === null ? [] : [where('status', '=', status)]),
      ...(span.from === null ? [] : [where('triggered_at', '>=', span.from)]),
      ...(span.before === null ? [] : [where('triggered_at', '<', span.before)]),
    ]);
}

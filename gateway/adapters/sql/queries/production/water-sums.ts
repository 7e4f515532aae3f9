import { type RawBuilder, sql } from 'kysely';
import { WATER_FIELDS, type WaterField } from '#contract/resources/water-quality.ts';
import type { DailyFigures, DaySpan, Reading, Span } from '#features/production/water-quality/ports.ts';
import type { Db } from '../../database.ts';

// What measurements add up to, from the sums that triggers keep per hour and per month of UTC, so that nothing grows with the
// history of a pond. Hours of UTC and not days of the farm: they stay right when a farm changes its zone or its zone its
// clock. What lies in an hour that a span cuts is read from the rows. Values are whole millionths: sums of them are the same
// in whatever order they were made, and whether from sums or from rows.

const MONTH = 7;
const HOUR = 13;
const HOUR_MS = 3_600_000;
/** Whole numbers in one unit of a parameter. */
const PARTS = 1_000_000;
const SQUARE_HIGH = 1_000;

export type WaterSum = { count: number; sum: number; least: number | null; most: number | null };
export type WaterSums = {
  count: number;
  first: string | null;
  last: string | null;
  of: ReadonlyMap<WaterField, WaterSum>;
};

/** Rows of the table by `letters`: MONTH, HOUR, or null for the measurements themselves. */
type Stretch = { letters: number | null; from: string | null; before: string | null };

/** `fields` of a pond in a span; with `extremes` the lowest and highest values, for which no month is read whole. */
export async function waterSums(
  db: Db,
  pondId: string,
  span: Span,
  { fields, extremes }: { fields: readonly WaterField[]; extremes: boolean },
): Promise<WaterSums> {
  const stretches = (await isWhole(db, pondId)) ? stretchesOf(span, !extremes) : [{ letters: null, ...span }];
  const parts = stretches.map((stretch) => sumsOf(pondId, stretch, fields, extremes));
  const columns = fields.flatMap((field) => [
    sql`sum(${sql.ref(`${field}_n`)}) as ${sql.ref(`${field}_n`)}`,
    sql`sum(${sql.ref(`${field}_sum`)}) as ${sql.ref(`${field}_sum`)}`,
    ...(extremes
      ? [
          sql`min(${sql.ref(`${field}_min`)}) as ${sql.ref(`${field}_min`)}`,
          sql`max(${sql.ref(`${field}_max`)}) as ${sql.ref(`${field}_max`)}`,
        ]
      : []),
  ]);
  const measured = sql`from measurements where pond_id = ${pondId} and hidden = 0${between('measurement_date', span)}`;
  const { rows } = await sql<Record<string, unknown>>`
    select (select min(measurement_date) ${measured}) as first, (select max(measurement_date) ${measured}) as last,
      sum(entries) as entries, ${sql.join(columns)}
    from (${sql.join(parts, sql` union all `)}) as parts`.execute(db);
  const row = rows[0] ?? {};
  const number = (name: string) => (row[name] == null ? null : Number(row[name]));
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  const of = new Map<WaterField, WaterSum>();
  for (const field of fields) {
    const count = number(`${field}_n`) ?? 0;
    if (count === 0) continue;
    const sum = number(`${field}_sum`) ?? 0;
    of.set(field, { count, sum, least: number(`${field}_min`), most: number(`${field}_max`) });
  }
  return { count: number('entries') ?? 0, first: text(row['first']), last: text(row['last']), of };
}

/** Rounded once: both are whole numbers. */
export const averageOf = ({ sum, count }: WaterSum): number => sum / (count * PARTS);

/** False while the sums of a pond are still being made. */
export async function isWhole(db: Db, pondId: string): Promise<boolean> {
  const gap = await db
    .selectFrom('measurement_gaps')
    .select('pond_id')
    .where('pond_id', '=', pondId)
    .executeTakeFirst();
  return gap === undefined;
}

const between = (column: string, { from, before }: Span) =>
  sql`${
    from === null ? sql`` : sql` and ${sql.ref(column)} >= ${from}`
  }${before === null ? sql`` : sql` and ${sql.ref(column)} < ${before}`}`;

function sumsOf(
  pondId: string,
  { letters, ...span }: Stretch,
  fields: readonly WaterField[],
  extremes: boolean,
): RawBuilder<unknown> {
  const columns = fields.flatMap((field) => {
    const value = sql.ref(field);
    if (letters !== null) {
      const names = extremes ? ['n', 'sum', 'min', 'max'] : ['n', 'sum'];
      return names.map((name) => sql`${sql.ref(`${field}_${name}`)}`);
    }
    const own = [
      sql`case when ${value} is null then 0 else 1 end as ${sql.ref(`${field}_n`)}`,
      sql`coalesce(${wholeOf(field)}, 0) as ${sql.ref(`${field}_sum`)}`,
    ];
    return extremes
      ? [...own, sql`${value} as ${sql.ref(`${field}_min`)}`, sql`${value} as ${sql.ref(`${field}_max`)}`]
      : own;
  });
  return letters === null
    ? sql`select 1 as entries, ${sql.join(columns)} from measurements
        where pond_id = ${pondId} and hidden = 0${between('measurement_date', span)}`
    : sql`select count as entries, ${sql.join(columns)} from measurement_sums
        where pond_id = ${pondId} and letters = ${sql.lit(letters)}${between('stretch', span)}`;
}

/** A value in whole millionths, as the triggers have it: what no water has counts as 3,000, so that its square still fits. */
const wholeOf = (field: WaterField) => {
  const value = sql.ref(field);
  return sql`cast(round(case when ${value} > 3000 then 3000.0 when ${value} < -3000 then -3000.0 else ${value} end * ${sql.lit(PARTS)}) as bigint)`;
};

/** A span as rows, hours, months, hours and rows, each of which may be missing. */
export function stretchesOf({ from, before }: Span, withMonths: boolean): Stretch[] {
  const hours = {
    from: from === null ? null : hourFrom(from),
    before: before === null ? null : before.slice(0, HOUR),
  };
  if (isEmpty(hours)) return [{ letters: null, from, before }];
  const months = {
    from: hours.from === null ? null : monthFrom(hours.from),
    before: hours.before === null ? null : hours.before.slice(0, MONTH),
  };
  const edges: Stretch[] = [
    ...(from === null ? [] : [{ letters: null, from, before: hours.from }]),
    ...(before === null ? [] : [{ letters: null, from: hours.before, before }]),
  ];
  const whole: Stretch[] =
    !withMonths || isEmpty(months)
      ? [{ letters: HOUR, ...hours }]
      : [
          ...(hours.from === null ? [] : [{ letters: HOUR, from: hours.from, before: months.from }]),
          { letters: MONTH, ...months },
          ...(hours.before === null ? [] : [{ letters: HOUR, from: months.before, before: hours.before }]),
        ];
  return [...edges, ...whole].filter((stretch) => !isEmpty(stretch));
}

const isEmpty = ({ from, before }: Span): boolean => from !== null && before !== null && from >= before;

/** The first hour that begins no earlier, as its letters. */
function hourFrom(instant: string): string {
  return new Date(Math.ceil(Date.parse(instant) / HOUR_MS) * HOUR_MS).toISOString().slice(0, HOUR);
}

/** The first month that begins no earlier than an hour. */
function monthFrom(hour: string): string {
  if (hour.endsWith('-01T00')) return hour.slice(0, MONTH);
  const at = new Date(`${hour}:00:00.000Z`);
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1)).toISOString().slice(0, MONTH);
}

const beginsAnHour = (instant: string): boolean => instant.slice(HOUR) === ':00:00.000Z';

/** Whether hours alone tell of these days: not in a zone that is half an hour off. */
export async function isOfWholeHours(
  db: Db,
  pondId: string,
  days: readonly Omit<DaySpan, 'day'>[],
): Promise<boolean> {
  return (
    days.every((day) => beginsAnHour(day.from) && beginsAnHour(day.before)) && (await isWhole(db, pondId))
  );
}

/** Of each day with a value; days are handed in as instants, so that both engines add up alike. */
export async function dailySums(
  db: Db,
  pondId: string,
  parameter: WaterField,
  days: readonly DaySpan[],
): Promise<DailyFigures[]> {
  if (days.length === 0) return [];
  const isOfHours = await isOfWholeHours(db, pondId, days);
  const spans = sql.join(days.map(({ day, from, before }) => sql`(${day}, ${from}, ${before})`));
  const whole = wholeOf(parameter);
  const square = sql`${whole} * ${whole}`;
  const ref = (name: string) => sql.ref(`${parameter}_${name}`);
  const value = sql.ref(parameter);
  const figures = isOfHours
    ? sql`sum(${ref('n')}) as count, sum(${ref('sum')}) as sum, sum(${ref('sq_high')}) as high, sum(${ref('sq_low')}) as low,
        min(${ref('min')}) as min, max(${ref('max')}) as max`
    : sql`count(*) as count, sum(${whole}) as sum, sum(${square} / 1000000000) as high, sum(${square} % 1000000000) as low,
        min(${value}) as min, max(${value}) as max`;
  const source = isOfHours
    ? sql`measurement_sums on measurement_sums.pond_id = ${pondId} and measurement_sums.letters = ${sql.lit(HOUR)}
        and measurement_sums.stretch >= substr(days.from_at, 1, 13) and measurement_sums.stretch < substr(days.before_at, 1, 13)
        and ${ref('n')} > 0`
    : sql`measurements on measurements.pond_id = ${pondId} and measurements.hidden = 0
        and measurements.measurement_date >= days.from_at and measurements.measurement_date < days.before_at and ${value} is not null`;
  const { rows } = await sql<
    Record<'count' | 'sum' | 'high' | 'low' | 'min' | 'max', unknown> & { day: string }
  >`
    with days(day, from_at, before_at) as (values ${spans})
    select days.day as day, ${figures} from days join ${source} group by days.day order by days.day`.execute(
    db,
  );
  return rows.map((row) => ({
    day: row.day,
    count: Number(row.count),
    sum: Number(row.sum) / PARTS,
    squares: Number(row.high) / SQUARE_HIGH + Number(row.low) / PARTS / PARTS,
    min: Number(row.min),
    max: Number(row.max),
  }));
}

/** The newest reading of the lowest or highest value of whole hours: one hour is looked into. */
export async function extremeInHours(
  db: Db,
  pondId: string,
  { from, before }: { from: string; before: string },
  { parameter, order }: { parameter: WaterField; order: 'asc' | 'desc' },
): Promise<Reading | null> {
  const extreme = `${parameter}_${order === 'asc' ? 'min' : 'max'}` as const;
  const hour = await db
    .selectFrom('measurement_sums')
    .select(['stretch', `${extreme} as value`])
    .where('pond_id', '=', pondId)
    .where('letters', '=', HOUR)
    .where('stretch', '>=', from.slice(0, HOUR))
    .where('stretch', '<', before.slice(0, HOUR))
    .where(extreme, 'is not', null)
    .orderBy(extreme, order)
    .orderBy('stretch', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (hour === undefined || hour.value === null) return null;
  const row = await db
    .selectFrom('measurements')
    .select('measurement_date as at')
    .where('pond_id', '=', pondId)
    .where('hidden', '=', 0)
    .where('measurement_date', '>=', hour.stretch)
    // of the letters of an instant `:` comes next, and `~` after all
    .where('measurement_date', '<', `${hour.stretch}~`)
    .where(parameter, '=', hour.value)
    .orderBy('measurement_date', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : { value: hour.value, at: row.at };
}

/** What is added up in slices: see ../../build-water-sums.ts. */
export const SUM_COLUMNS = WATER_FIELDS.flatMap((field) =>
  (['n', 'sum', 'sq_high', 'sq_low', 'min', 'max'] as const).map((name) => `${field}_${name}` as const),
);

/** One stretch of measurements added up from the rows, in the order of SUM_COLUMNS. */
export const sumsFromRows = () =>
  WATER_FIELDS.flatMap((field) => {
    const whole = wholeOf(field);
    const value = sql.ref(field);
    return [
      sql`count(${value})`,
      sql`coalesce(sum(${whole}), 0)`,
      sql`coalesce(sum(${whole} * ${whole} / 1000000000), 0)`,
      sql`coalesce(sum(${whole} * ${whole} % 1000000000), 0)`,
      sql`min(${value})`,
      sql`max(${value})`,
    ];
  });

import { type RawBuilder, sql } from 'kysely';
import { DAY_MS } from '#core/zone-clock.ts';
import type { Database, Db } from './database.ts';
import { SUM_COLUMNS, sumsFromRows } from './queries/production/water-sums.ts';

// Sums of measurements are kept by triggers. What they cannot know is added up here, in slices: ponds that had measurements
// before there were sums, and ponds whose sums the doctor found wrong.

type Deps = { database: Pick<Database, 'read' | 'dialect'>; pause: (ms: number) => Promise<void> };

/** Between two slices, so that control goes first. */
const REST_MS = 5;
/** A look that takes longer goes on with the next. */
const MOST_SLICES = 4_000;
const PONDS_AT_ONCE = 200;
const MONTH = 7;
const HOUR = 13;

/** Adds up ponds until none is left or the look is over; answers how many are left. */
export async function buildWaterSums({ database, pause }: Deps): Promise<number> {
  const { read } = database;
  let left = MOST_SLICES;
  const gaps = await read.selectFrom('measurement_gaps').select('pond_id').orderBy('pond_id').execute();
  for (const [place, { pond_id }] of gaps.entries()) {
    const days = await spanOfDays(read, pond_id);
    // a pond is added up as a whole, however long it is
    if (place > 0 && days.length > left) return gaps.length - place;
    left -= days.length;
    // who had read that the sums are whole is done with them
    await pause(REST_MS);
    await forgetSums(read, pond_id, days);
    for (const day of days) {
      await addUp(database, hoursFromRows(pond_id, day));
      await pause(REST_MS);
    }
    for (const month of new Set(days.map((day) => day.slice(0, MONTH)))) {
      await addUp(database, monthFromHours(pond_id, month));
      await pause(REST_MS);
    }
    await read.deleteFrom('measurement_gaps').where('pond_id', '=', pond_id).execute();
  }
  return 0;
}

/**
 * Looks at a day and its month of every pond, at that share of its life; a pond whose sums do not say what its rows say is
 * added up anew. Answers which these were.
 */
export async function checkWaterSums({ database, pause }: Deps, share: number): Promise<string[]> {
  const { read } = database;
  const wrong: string[] = [];
  for (let after = ''; ; ) {
    const ponds = await read
      .selectFrom('ponds')
      .leftJoin('measurement_gaps', 'measurement_gaps.pond_id', 'ponds.id')
      .select('ponds.id')
      .where('measurement_gaps.pond_id', 'is', null)
      .where('ponds.id', '>', after)
      .orderBy('ponds.id')
      .limit(PONDS_AT_ONCE)
      .execute();
    for (const { id } of ponds) {
      await pause(REST_MS);
      // what is written between two looks makes them differ: it counts when it is so twice
      if ((await isRight(read, id, share)) || (await isRight(read, id, share))) continue;
      await read
        .insertInto('measurement_gaps')
        .values({ pond_id: id })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      wrong.push(id);
    }
    after = ponds.at(-1)?.id ?? '';
    if (ponds.length < PONDS_AT_ONCE) return wrong;
  }
}

async function isRight(db: Db, pondId: string, share: number): Promise<boolean> {
  const day = await dayAt(db, pondId, share);
  if (day === null) return true;
  const month = day.slice(0, MONTH);
  const kept = (letters: number, of: string) =>
    db
      .selectFrom('measurement_sums')
      .selectAll()
      .where('pond_id', '=', pondId)
      .where('letters', '=', letters)
      .where('stretch', '>=', of)
      .where('stretch', '<', `${of}~`)
      .orderBy('stretch')
      .execute();
  const hours = await sql<Sums>`${hoursFromRows(pondId, day)} order by 3`.execute(db);
  if (!isSame(hours.rows, await kept(HOUR, day))) return false;
  const months = await sql<Sums>`${monthFromHours(pondId, month)}`.execute(db);
  return isSame(months.rows, await kept(MONTH, month));
}

type Sums = Record<string, unknown>;

function isSame(found: readonly Sums[], kept: readonly Sums[]): boolean {
  const numbers = (row: Sums) =>
    ['count', ...SUM_COLUMNS].map((column) => (row[column] === null ? '' : Number(row[column]))).join(' ');
  const told = (rows: readonly Sums[]) =>
    rows.map((row) => `${String(row['stretch'])} ${numbers(row)}`).join(';');
  return told(found) === told(kept);
}

/** The first day with a measurement at that share of the life of a pond; null: it was never measured. */
async function dayAt(db: Db, pondId: string, share: number): Promise<string | null> {
  const measured = db
    .selectFrom('measurements')
    .select('measurement_date')
    .where('pond_id', '=', pondId)
    .where('hidden', '=', 0)
    .limit(1);
  const first = await measured.orderBy('measurement_date').executeTakeFirst();
  const last = await measured.orderBy('measurement_date', 'desc').executeTakeFirst();
  if (first === undefined || last === undefined) return null;
  const [from, to] = [Date.parse(first.measurement_date), Date.parse(last.measurement_date)];
  const fromDay = new Date(from + (to - from) * share).toISOString().slice(0, 10);
  const found = await measured
    .where('measurement_date', '>=', fromDay)
    .orderBy('measurement_date')
    .executeTakeFirst();
  return found?.measurement_date.slice(0, 10) ?? null;
}

/** Days of UTC on which something was measured; each is found by one step through the index. */
async function spanOfDays(db: Db, pondId: string): Promise<string[]> {
  const days: string[] = [];
  for (let after = ''; ; ) {
    const next = await db
      .selectFrom('measurements')
      .select('measurement_date')
      .where('pond_id', '=', pondId)
      .where('hidden', '=', 0)
      .where('measurement_date', '>=', after)
      .orderBy('measurement_date')
      .limit(1)
      .executeTakeFirst();
    if (next === undefined) return days;
    const day = next.measurement_date.slice(0, 10);
    days.push(day);
    after = new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
  }
}

/** Sums of hours in which nothing is measured any more. */
async function forgetSums(db: Db, pondId: string, days: readonly string[]): Promise<void> {
  const first = days[0];
  const last = days.at(-1);
  const ofPond = db.deleteFrom('measurement_sums').where('pond_id', '=', pondId);
  if (first === undefined || last === undefined) {
    await ofPond.execute();
    return;
  }
  for (const [letters, least, most] of [
    [MONTH, first.slice(0, MONTH), last.slice(0, MONTH)],
    [HOUR, first, `${last}~`],
  ] as const) {
    await ofPond.where('letters', '=', letters).where('stretch', '<', least).execute();
    await ofPond.where('letters', '=', letters).where('stretch', '>', most).execute();
  }
}

/**
 * One statement on SQLite, where nothing comes between; on PostgreSQL what others measure meanwhile waits these few
 * milliseconds, as the sums of it would be overwritten.
 */
async function addUp({ read, dialect }: Deps['database'], sums: RawBuilder<Sums>): Promise<void> {
  // where a select ends and what to do about a conflict begins is told by a condition
  const write = sql`${INTO()} select * from (${sums}) as sums where true ${OVER()}`;
  if (dialect === 'sqlite') {
    await write.execute(read);
    return;
  }
  await read.transaction().execute(async (transaction) => {
    await sql`lock table measurements in share row exclusive mode`.execute(transaction);
    await write.execute(transaction);
  });
}

const names = () => sql.join(SUM_COLUMNS.map((column) => sql.ref(column)));
const overwritten = () =>
  sql.join(['count', ...SUM_COLUMNS].map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`));
const INTO = () => sql`insert into measurement_sums (pond_id, letters, stretch, count, ${names()})`;
const OVER = () => sql`on conflict (pond_id, letters, stretch) do update set ${overwritten()}`;
const named = (sums: readonly RawBuilder<unknown>[]) =>
  sql.join(sums.map((sum, place) => sql`${sum} as ${sql.ref(SUM_COLUMNS[place] ?? '')}`));

const hoursFromRows = (pondId: string, day: string) => sql<Sums>`
  select pond_id, ${sql.lit(HOUR)} as letters, substr(measurement_date, 1, 13) as stretch, count(*) as count,
    ${named(sumsFromRows())}
  from measurements
  where pond_id = ${pondId} and hidden = 0 and measurement_date >= ${day} and measurement_date < ${`${day}~`}
  group by pond_id, substr(measurement_date, 1, 13)`;

const monthFromHours = (pondId: string, month: string) => sql<Sums>`
  select pond_id, ${sql.lit(MONTH)} as letters, substr(stretch, 1, 7) as stretch, sum(count) as count, ${named(
    SUM_COLUMNS.map((column) =>
      // lowest and highest values are of hours alone
      /_(?:min|max)$/.test(column) ? sql`cast(null as double precision)` : sql`sum(${sql.ref(column)})`,
    ),
  )}
  from measurement_sums
  where pond_id = ${pondId} and letters = ${sql.lit(HOUR)} and stretch >= ${month} and stretch < ${`${month}~`}
  group by pond_id, substr(stretch, 1, 7)`;

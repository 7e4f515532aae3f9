import { sql } from 'kysely';
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
      await addUp(database, (db) => hoursOf(db, pond_id, day));
      await pause(REST_MS);
    }
    for (const month of new Set(days.map((day) => day.slice(0, MONTH)))) {
      await addUp(database, (db) => monthOf(db, pond_id, month));
      await pause(REST_MS);
    }
    await read.deleteFrom('measurement_gaps').where('pond_id', '=', pond_id).execute();
  }
  return 0;
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
async function addUp({ read, dialect }: Deps['database'], run: (db: Db) => Promise<unknown>): Promise<void> {
  if (dialect === 'sqlite') {
    await run(read);
    return;
  }
  await read.transaction().execute(async (transaction) => {
    await sql`lock table measurements in share row exclusive mode`.execute(transaction);
    await run(transaction);
  });
}

const names = () => sql.join(SUM_COLUMNS.map((column) => sql.ref(column)));
const overwritten = () =>
  sql.join(['count', ...SUM_COLUMNS].map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`));
const INTO = () => sql`insert into measurement_sums (pond_id, letters, stretch, count, ${names()})`;
const OVER = () => sql`on conflict (pond_id, letters, stretch) do update set ${overwritten()}`;

async function hoursOf(db: Db, pondId: string, day: string): Promise<void> {
  await sql`${INTO()}
    select pond_id, ${sql.lit(HOUR)}, substr(measurement_date, 1, 13), count(*), ${sql.join(sumsFromRows())}
    from measurements
    where pond_id = ${pondId} and hidden = 0 and measurement_date >= ${day} and measurement_date < ${`${day}~`}
    group by pond_id, substr(measurement_date, 1, 13)
    ${OVER()}`.execute(db);
}

async function monthOf(db: Db, pondId: string, month: string): Promise<void> {
  const sums = SUM_COLUMNS.map((column) =>
    /_(?:min|max)$/.test(column) ? sql`null` : sql`sum(${sql.ref(column)})`,
  );
  await sql`${INTO()}
    select pond_id, ${sql.lit(MONTH)}, substr(stretch, 1, 7), sum(count), ${sql.join(sums)}
    from measurement_sums
    where pond_id = ${pondId} and letters = ${sql.lit(HOUR)} and stretch >= ${month} and stretch < ${`${month}~`}
    group by pond_id, substr(stretch, 1, 7)
    ${OVER()}`.execute(db);
}

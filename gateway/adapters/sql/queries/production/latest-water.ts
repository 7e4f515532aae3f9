import type { LatestWaterOf, Reading } from '#features/production/feeding/ports.ts';
import type { Db } from '../../database.ts';

type Parameter = 'temperature' | 'ph' | 'salinity' | 'ammonia';

/** The newest value of each parameter per pond, and all oxygen of the last hours. */
export function latestWaterQuery(db: Db): LatestWaterOf {
  return async (pondIds, since) => {
    const ponds = await Promise.all(
      pondIds.map(async (pondId) => {
        const newest = (parameter: Parameter) => newestOf(db, pondId, parameter, since.any);
        const water = {
          temperature: await newest('temperature'),
          ph: await newest('ph'),
          salinity: await newest('salinity'),
          ammonia: await newest('ammonia'),
          oxygen: await oxygenSince(db, pondId, since.oxygen),
        };
        return [pondId, water] as const;
      }),
    );
    return new Map(ponds);
  };
}

async function newestOf(
  db: Db,
  pondId: string,
  parameter: Parameter,
  since: string,
): Promise<Reading | null> {
  const row = await db
    .selectFrom('measurements')
    .select([`${parameter} as value`, 'measurement_date as at'])
    .where('pond_id', '=', pondId)
    .where('measurement_date', '>=', since)
    .where(parameter, 'is not', null)
    .where('hidden', '=', 0)
    .orderBy('measurement_date', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined || row.value === null ? null : { value: row.value, at: row.at };
}

async function oxygenSince(db: Db, pondId: string, since: string): Promise<Reading[]> {
  const rows = await db
    .selectFrom('measurements')
    .select(['dissolved_oxygen as value', 'measurement_date as at'])
    .where('pond_id', '=', pondId)
    .where('measurement_date', '>=', since)
    .where('hidden', '=', 0)
    .orderBy('measurement_date', 'desc')
    .orderBy('id', 'desc')
    .limit(2_000)
    .execute();
  return rows.flatMap(({ value, at }) => (value === null ? [] : [{ value, at }]));
}

import type { LatestWaterOf, Reading } from '#features/production/feeding/ports.ts';
import type { Db } from '../../database.ts';

type Parameter = 'temperature' | 'ph' | 'salinity' | 'ammonia' | 'dissolved_oxygen';

/** The newest value of each parameter per pond, and the oxygen of the last hours. */
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

/**
 * The newest oxygen, then the lowest of each ten minutes before it, newest first: a probe that writes twice a minute fills a
 * day with 2,880 rows, and the dawn lies at its far end.
 */
async function oxygenSince(db: Db, pondId: string, since: string): Promise<Reading[]> {
  const newest = await newestOf(db, pondId, 'dissolved_oxygen', since);
  if (newest === null) return [];
  const lows = await db
    .selectFrom('measurements')
    .select(({ fn }) => [
      fn.min<number>('dissolved_oxygen').as('value'),
      fn.min<string>('measurement_date').as('at'),
    ])
    .where('pond_id', '=', pondId)
    .where('measurement_date', '>=', since)
    .where('dissolved_oxygen', 'is not', null)
    .where('hidden', '=', 0)
    // as far as the tens of minutes: 2026-03-02T05:4
    .groupBy(({ fn, val }) => fn('substr', ['measurement_date', val(1), val(15)]))
    .orderBy('at', 'desc')
    .execute();
  return [newest, ...lows];
}

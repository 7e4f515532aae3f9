import { sql } from 'kysely';
import { measurement, WATER_FIELDS } from '#contract/resources/water-quality.ts';
import type { AlertType } from '#contract/words.ts';
import type { CorrectQueries, PondToMeasure } from '#features/production/water-quality/ports.ts';
import { type Db, prepared } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { EPISODE_COLUMNS } from '../alarms/alerts.ts';
import { isNumber, uuidOf } from '../paging.ts';
import { isPondEmpty } from './batch-facts.ts';

/** The types a measurement raises; a forecast is not one. */
export const WATER_TYPES = [
  'LOW_OXYGEN',
  'LOW_TEMPERATURE',
  'HIGH_TEMPERATURE',
  'LOW_PH',
  'HIGH_PH',
  'LOW_ALKALINITY',
  'HIGH_AMMONIA',
  'HIGH_NITRITE',
  'HIGH_NITRATE',
] as const satisfies readonly AlertType[];

/** What recording and correcting a measurement asks for; every statement is a few steps through an index. */
export function measurementQueries(db: Db): CorrectQueries {
  const ponds = prepared(db, ['id'], ({ id }) => pondToMeasure(db).where('ponds.id', '=', id));
  const episodes = prepared(db, ['pond'], ({ pond }) => openEpisodes(db, pond));
  return {
    async pondToMeasure(ref) {
      const [row] = isNumber(ref)
        ? await pondToMeasure(db)
            .where('ponds.id', '=', uuidOf(db, 'pond', ref))
            .execute()
        : await ponds({ id: ref });
      return row === undefined ? null : asPond(row);
    },
    isPondEmpty: isPondEmpty(db),
    async measurementIdTaken(id) {
      const row = await db.selectFrom('measurements').select('id').where('id', '=', id).executeTakeFirst();
      return row !== undefined;
    },
    openEpisodes: (pond) => episodes({ pond }),
    async measuredAfter(pondId, at, exceptId) {
      const row = await db
        .selectFrom('measurements')
        .select(({ fn }) => WATER_FIELDS.map((field) => fn.count<number>(field).as(field)))
        .where('pond_id', '=', pondId)
        .where('hidden', '=', 0)
        .where('measurement_date', '>', at)
        .where('id', '!=', exceptId)
        .executeTakeFirst();
      return new Set(WATER_FIELDS.filter((field) => Number(row?.[field] ?? 0) > 0));
    },
    async salinityBefore(pondId, at, notBefore) {
      const row = await db
        .selectFrom('measurements')
        .select('salinity')
        .where('pond_id', '=', pondId)
        .where('hidden', '=', 0)
        .where('measurement_date', '<=', at)
        .where('measurement_date', '>=', notBefore)
        .where('salinity', 'is not', null)
        .orderBy('measurement_date', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row?.salinity ?? null;
    },
    async measurementById(id) {
      const row = await db
        .selectFrom('measurements')
        .selectAll()
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ? decodeRow(measurement, row) : null;
    },
    async newestWith(pondId, parameter, exceptId, most) {
      const rows = await db
        .selectFrom('measurements')
        .selectAll()
        .where('pond_id', '=', pondId)
        .where('hidden', '=', 0)
        .where(parameter, 'is not', null)
        .$if(exceptId !== null, (found) => found.where('id', '!=', exceptId ?? ''))
        .orderBy('measurement_date', 'desc')
        .orderBy('id', 'desc')
        .limit(most)
        .execute();
      return rows.map((row) => decodeRow(measurement, row));
    },
  };
}

/** Guards are read with the facts they protect, in one statement and so at one moment. */
function pondToMeasure(db: Db) {
  return db
    .selectFrom('ponds')
    .innerJoin('farms', 'farms.id', 'ponds.farm_id')
    .leftJoin('control_points', (join) =>
      join.onRef('control_points.id', '=', 'ponds.control_point_id').on('control_points.hidden', '=', 0),
    )
    .select([
      'ponds.id',
      'ponds.cod',
      'ponds.farm_id',
      'farms.name as farm_name',
      'farms.timezone',
      'control_points.id as control_point_id',
      'control_points.cod as control_point_cod',
      guardOf('pond').as('pond_guard'),
      guardOf('pond_water').as('water_guard'),
      sql<string | null>`(select measurement_date from measurements
        where pond_id = ponds.id and hidden = 0 order by measurement_date desc limit 1)`.as('newest_at'),
      sql<string | null>`(select id from alerts where pond_id = ponds.id and status = 'ACTIVE' limit 1)`.as(
        'open_alert',
      ),
    ])
    .where('ponds.hidden', '=', 0)
    .where('farms.hidden', '=', 0);
}

type StoredPond = Omit<PondToMeasure, 'hasOpenAlerts'> & { open_alert: string | null };

function asPond({ open_alert, ...row }: StoredPond): PondToMeasure {
  return {
    ...row,
    pond_guard: Number(row.pond_guard),
    water_guard: Number(row.water_guard),
    hasOpenAlerts: open_alert !== null,
  };
}

const guardOf = (entity: 'pond' | 'pond_water') =>
  sql<number>`coalesce((select n from guards where entity = ${sql.lit(entity)} and id = ponds.id), 0)`;

/** One step through the index per type, however many alerts an episode has. */
function openEpisodes(db: Db, pondId: string) {
  const types = sql.join(WATER_TYPES.map((type) => sql`(${sql.lit(type)})`));
  return db
    .with('types(type)', () => sql<{ type: AlertType }>`(values ${types})`)
    .selectFrom('types')
    .innerJoin('alerts', (join) =>
      join.onRef(
        'alerts.id',
        '=',
        sql`(select newest.id from alerts as newest
          where newest.pond_id = ${pondId} and newest.status = 'ACTIVE' and newest.type = types.type
            and newest.source = 'automatic' and newest.hidden = 0
          order by newest.triggered_at desc, newest.id desc limit 1)`,
      ),
    )
    .select(['alerts.type', ...EPISODE_COLUMNS.map((column) => `alerts.${column}` as const)]);
}

import { sql } from 'kysely';
import { DAWN_ALERTS } from '#contract/words.ts';
import type { ForecastQueries, OpenForecast, OxygenQueries } from '#features/control/aeration/ports.ts';
import type { Db } from '../../database.ts';
import { uuidOf } from '../paging.ts';
import { isPondEmpty } from './batch-facts.ts';

/** Readings of a night that a forecast is made of: one every few minutes tells no more. */
const MOST_OF_A_NIGHT = 400;

/** What closed-loop aeration reads at its start and when it opens its eyes again. */
export function oxygenQueries(db: Db): OxygenQueries {
  return {
    async newestReadings(pondId, { until, after, limit }) {
      const rows = await readings(db)
        .select('hidden')
        .where('pond_id', '=', pondId)
        .where('source', '!=', 'import')
        .$if(until !== null, (query) => query.where('measurement_date', '<=', until ?? ''))
        .$if(after !== null, (query) =>
          query.where((row) =>
            row(
              row.refTuple('measurement_date', 'id'),
              '<',
              row.tuple(after?.measurement_date ?? '', after?.id ?? ''),
            ),
          ),
        )
        .orderBy('measurement_date', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ hidden, ...row }) => ({ ...row, isTakenBack: hidden === 1 }));
    },
    airedByAerators: () =>
      db
        .selectFrom('aerators')
        .innerJoin('control_points', 'control_points.device_id', 'aerators.device_id')
        .innerJoin('ponds', 'ponds.id', 'aerators.pond_id')
        .innerJoin('farms', 'farms.id', 'ponds.farm_id')
        .select(['control_points.id as controlPointId', 'ponds.id as pondId', 'ponds.cod as cod'])
        .whereRef('control_points.owner_id', '=', 'farms.owner_id')
        .where((row) =>
          row.or([
            row('ponds.control_point_id', 'is', null),
            row('ponds.control_point_id', '!=', row.ref('control_points.id')),
          ]),
        )
        .where('aerators.hidden', '=', 0)
        .where('control_points.hidden', '=', 0)
        .where('ponds.hidden', '=', 0)
        .execute(),
    farmPlaces: () =>
      db
        .selectFrom('farms')
        .select(['id', 'timezone as zone', 'lat', 'lng'])
        .where('hidden', '=', 0)
        .execute(),
    reasonsOfSafety: () =>
      db
        .selectFrom('control_points')
        .innerJoin('orders', (join) =>
          join
            .onRef('orders.control_point_id', '=', 'control_points.id')
            .onRef('orders.version', '=', 'control_points.version'),
        )
        .select(['control_points.id as controlPointId', 'orders.reason as reason'])
        .where('control_points.hidden', '=', 0)
        .where('control_points.target_origin', '=', 'SAFETY')
        .where('control_points.target_status', '=', 'ON')
        .execute(),
  };
}

export function forecastQueries(db: Db): ForecastQueries {
  return {
    async pondPlace(pondId) {
      const row = await db
        .selectFrom('ponds')
        .innerJoin('farms', 'farms.id', 'ponds.farm_id')
        .leftJoin('control_points', (join) =>
          join.onRef('control_points.id', '=', 'ponds.control_point_id').on('control_points.hidden', '=', 0),
        )
        .select(['ponds.id as id', 'ponds.cod as cod', 'farms.id as farmId', 'farms.name as farmName'])
        .select(['farms.timezone as zone', 'farms.lat as lat', 'farms.lng as lng'])
        .select(['control_points.do_emergency as emergencyMgL', 'control_points.target_status as motor'])
        .where('ponds.id', '=', uuidOf(db, 'pond', pondId))
        .where('ponds.hidden', '=', 0)
        .executeTakeFirst();
      return row ?? null;
    },
    isPondEmpty: isPondEmpty(db),
    async readingsBetween(pondId, from, to) {
      const rows = await readings(db)
        .where('hidden', '=', 0)
        .where('pond_id', '=', pondId)
        .where('source', '!=', 'import')
        .where('measurement_date', '>=', from)
        .where('measurement_date', '<', to)
        .orderBy('measurement_date')
        .orderBy('id')
        .execute();
      const every = Math.max(1, Math.ceil(rows.length / MOST_OF_A_NIGHT));
      // the last one is where the forecast begins
      return rows.filter((_row, place) => (rows.length - 1 - place) % every === 0);
    },
    pondsMeasuredSince: (since) =>
      db
        .selectFrom('ponds')
        .innerJoin('farms', 'farms.id', 'ponds.farm_id')
        .select(['ponds.id as id', 'farms.timezone as zone'])
        .where('ponds.hidden', '=', 0)
        .where((pond) =>
          pond.exists(
            pond
              .selectFrom('measurements')
              .select(sql.lit(1).as('one'))
              .whereRef('measurements.pond_id', '=', 'ponds.id')
              .where('measurements.measurement_date', '>=', since)
              .where('measurements.dissolved_oxygen', 'is not', null)
              .where('measurements.hidden', '=', 0),
          ),
        )
        .execute(),
    async openForecasts() {
      const rows = await db
        .selectFrom('farms')
        .innerJoin('alerts', (join) =>
          join.onRef('alerts.farm_id', '=', 'farms.id').on('alerts.status', '=', 'ACTIVE'),
        )
        .select(['alerts.id', 'alerts.type', 'alerts.pond_id', 'alerts.triggered_at'])
        .where('alerts.hidden', '=', 0)
        .where('alerts.source', '=', 'automatic')
        .where('alerts.type', 'in', DAWN_ALERTS)
        .execute();
      return rows.flatMap(({ id, type, pond_id, triggered_at }): OpenForecast[] => {
        const known = DAWN_ALERTS.find((each) => each === type);
        if (known === undefined || pond_id === null) return [];
        return [{ id, type: known, pondId: pond_id, triggeredAt: triggered_at }];
      });
    },
    async forecastById(alertId) {
      const row = await db
        .selectFrom('alerts')
        .select(['status', 'severity', 'value', 'resolved_by', 'hidden'])
        .where('id', '=', alertId)
        .executeTakeFirst();
      if (row === undefined) return null;
      const { status, severity, value, resolved_by, hidden } = row;
      // a deleted alert counted once, as if a person had ended it
      return {
        status: hidden === 1 ? 'RESOLVED' : status,
        severity,
        value,
        isByPerson: resolved_by !== null || hidden === 1,
      };
    },
  };
}

function readings(db: Db) {
  return db
    .selectFrom('measurements')
    .select(['id', 'pond_id', 'measurement_date', 'created_at', 'dissolved_oxygen'])
    .select(['temperature', 'salinity', 'source', 'clock_quality'])
    .where('dissolved_oxygen', 'is not', null);
}

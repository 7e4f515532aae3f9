import { sql } from 'kysely';
import { controlPoint, order } from '#contract/resources/control-points.ts';
import { deviceKey, firstKeyUse } from '#contract/resources/local-tables.ts';
import { schedule } from '#contract/resources/schedules.ts';
import type { ControlPoint } from '#features/control/control-view.ts';
import type { KeyUseQueries } from '#features/control/devices/device-keys.ts';
import type { ControlFacts, RegistryQueries } from '#features/control/devices/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { inChunks } from '../paging.ts';

/** Of people, newest first; as many as can still matter after the last schedule event. */
const MANUAL_ORDERS_READ = 20;
/** Control points read together: one query per table for all of them, so that a large farm starts at once. */
const POINTS_AT_ONCE = 250;

/** All that control keeps in memory of its control points. */
export function controlFactsQueries(db: Db): RegistryQueries {
  return {
    async *allFarms() {
      const rows = await db
        .selectFrom('farms')
        .select(['id', 'timezone', 'name'])
        .where('hidden', '=', 0)
        .execute();
      for (const { id, timezone, name } of rows) yield { id, zone: timezone, name };
    },
    async *allControlFacts(which = 'all') {
      const points = inChunks<ControlPoint>({ skip: 0, limit: undefined }, async (after, { limit }) => {
        const rows = await db
          .selectFrom('control_points')
          .selectAll()
          .where('hidden', '=', 0)
          .where('id', '>', after?.id ?? '')
          .$if(which === 'without gateway', (query) =>
            query.where('farm_id', 'not in', (bound) => bound.selectFrom('sync_farms').select('id')),
          )
          .orderBy('id')
          .limit(limit)
          .execute();
        return rows.map((row) => decodeRow(controlPoint, row));
      });
      let together: ControlPoint[] = [];
      for await (const point of points) {
        together.push(point);
        if (together.length < POINTS_AT_ONCE) continue;
        yield* await factsOf(db, together);
        together = [];
      }
      yield* await factsOf(db, together);
    },
    async controlFacts(id) {
      const row = await db
        .selectFrom('control_points')
        .selectAll()
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      if (row === undefined) return null;
      const [facts] = await factsOf(db, [decodeRow(controlPoint, row)]);
      return facts ?? null;
    },
  };
}

export function keyUseQueries(db: Db): KeyUseQueries {
  return {
    async all() {
      const rows = await db.selectFrom('first_key_uses').selectAll().execute();
      return rows.map((row) => decodeRow(firstKeyUse, row));
    },
  };
}

async function factsOf(db: Db, points: readonly ControlPoint[]): Promise<ControlFacts[]> {
  // PostgreSQL knows no empty list
  if (points.length === 0) return [];
  const ids = points.map(({ id }) => id);
  const [places, ponds, powers, schedules, manualOrders, openOrders, keys, presences] = await Promise.all([
    placesOf(
      db,
      points.map(({ farm_id }) => farm_id),
    ),
    pondsOf(db, ids),
    powersOf(db, ids),
    schedulesOf(db, ids),
    manualOrdersOf(db, ids),
    ordersOf(db, ids, 'open'),
    db.selectFrom('device_keys').selectAll().where('control_point_id', 'in', ids).orderBy('id').execute(),
    db.selectFrom('presence').select(['id', 'heard_at_ms', 'consumption']).where('id', 'in', ids).execute(),
  ]);
  const placesById = new Map(places.map((place) => [place.id, place]));
  const powersByPoint = new Map(powers.map(({ id, kw }) => [id, Number(kw ?? 0)]));
  const presencesById = new Map(presences.map((presence) => [presence.id, presence]));
  const [pondsByPoint, schedulesByPoint, keysByPoint] = [byPoint(ponds), byPoint(schedules), byPoint(keys)];
  const [manualByPoint, openByPoint] = [byPoint(manualOrders), byPoint(openOrders)];
  return points.map((row) => {
    const place = placesById.get(row.farm_id);
    if (place === undefined) throw new Error(`control point ${row.id} lies on a farm that does not exist`);
    const presence = presencesById.get(row.id);
    return {
      row,
      zone: place.timezone,
      farmName: place.name,
      ponds: (pondsByPoint.get(row.id) ?? []).map(({ id, cod }) => ({ id, cod })),
      powerKw: powersByPoint.get(row.id) ?? 0,
      schedules: schedulesByPoint.get(row.id) ?? [],
      manualOrders: manualByPoint.get(row.id) ?? [],
      openOrder: openByPoint.get(row.id)?.[0] ?? null,
      keys: (keysByPoint.get(row.id) ?? []).map((key) => decodeRow(deviceKey, key)),
      heardAtMs: presence?.heard_at_ms ?? null,
      consumption: presence?.consumption ?? 0,
    };
  });
}

function byPoint<Row extends { control_point_id: string | null }>(rows: readonly Row[]): Map<string, Row[]> {
  const rowsByPoint = new Map<string, Row[]>();
  for (const row of rows) {
    if (row.control_point_id === null) continue;
    const own = rowsByPoint.get(row.control_point_id);
    if (own === undefined) rowsByPoint.set(row.control_point_id, [row]);
    else own.push(row);
  }
  return rowsByPoint;
}

function placesOf(db: Db, farmIds: readonly string[]) {
  return db
    .selectFrom('farms')
    .select(['id', 'timezone', 'name'])
    .where('id', 'in', [...new Set(farmIds)])
    .execute();
}

function pondsOf(db: Db, ids: readonly string[]) {
  return db
    .selectFrom('ponds')
    .select(['id', 'cod', 'control_point_id'])
    .where('control_point_id', 'in', ids)
    .where('hidden', '=', 0)
    .orderBy('id')
    .execute();
}

function powersOf(db: Db, ids: readonly string[]) {
  return db
    .selectFrom('aerators')
    .innerJoin('ponds', 'ponds.id', 'aerators.pond_id')
    .select((f) => ['ponds.control_point_id as id', f.fn.sum<number | null>('aerators.power_kw').as('kw')])
    .where('ponds.control_point_id', 'in', ids)
    .where('ponds.hidden', '=', 0)
    .where('aerators.hidden', '=', 0)
    .groupBy('ponds.control_point_id')
    .execute();
}

async function schedulesOf(db: Db, ids: readonly string[]) {
  const rows = await db
    .selectFrom('schedules')
    .selectAll()
    .where('control_point_id', 'in', ids)
    .where('hidden', '=', 0)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map((row) => decodeRow(schedule, row));
}

/** What people ordered last, and the last order without end of either origin, however old; newest first. */
async function manualOrdersOf(db: Db, ids: readonly string[]) {
  const found = await Promise.all([
    ordersOf(db, ids, 'manual'),
    ordersOf(db, ids, 'endless local'),
    ordersOf(db, ids, 'endless remote'),
  ]);
  const byId = new Map(found.flat().map((row) => [row.id, row]));
  return [...byId.values()].sort((a, b) => b.version - a.version);
}

/** The newest orders of each control point, newest first. Words stand in the statement: an index holds just those. */
async function ordersOf(
  db: Db,
  ids: readonly string[],
  which: 'manual' | 'endless local' | 'endless remote' | 'open',
) {
  const rows = await db
    .selectFrom('control_points')
    .innerJoin('orders', (join) =>
      join.on('orders.id', 'in', (newest) =>
        newest
          .selectFrom('orders as own')
          .select('own.id')
          .whereRef('own.control_point_id', '=', 'control_points.id')
          .where((fits) =>
            which === 'open'
              ? fits('own.state', 'in', [sql.lit('SENT' as const), sql.lit('ACKED' as const)])
              : fits('own.origin', 'in', [sql.lit('LOCAL' as const), sql.lit('REMOTE' as const)]),
          )
          .$if(which === 'endless local' || which === 'endless remote', (those) =>
            those
              .where('own.origin', '=', which === 'endless local' ? 'LOCAL' : 'REMOTE')
              .where('own.hold_until', 'is', null),
          )
          .orderBy('own.version', 'desc')
          .limit(which === 'manual' ? MANUAL_ORDERS_READ : 1),
      ),
    )
    .selectAll('orders')
    .where('control_points.id', 'in', ids)
    .orderBy('orders.version', 'desc')
    .execute();
  return rows.map((row) => decodeRow(order, row));
}

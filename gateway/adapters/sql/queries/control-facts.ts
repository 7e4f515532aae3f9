import { controlPoint, order } from '#contract/resources/control-points.ts';
import { deviceKey } from '#contract/resources/local-tables.ts';
import { schedule } from '#contract/resources/schedules.ts';
import type { ControlPoint } from '#core/control-view.ts';
import type { ControlFacts, RegistryQueries } from '#features/devices/ports.ts';
import type { Db } from '../database.ts';
import { decodeRow } from '../tables.ts';
import { inChunks } from './paging.ts';

/** Of people, newest first; as many as can still matter after the last schedule event. */
const MANUAL_ORDERS_READ = 20;

/** All that control keeps in memory of a control point, read in one go per control point. */
export function controlFactsQueries(db: Db): RegistryQueries {
  async function factsOf(row: ControlPoint): Promise<ControlFacts> {
    const ofPoint = { db, id: row.id };
    const [place, ponds, power, schedules, manualOrders, openOrder, keys, presence] = await Promise.all([
      db
        .selectFrom('farms')
        .select(['timezone', 'name'])
        .where('id', '=', row.farm_id)
        .executeTakeFirstOrThrow(),
      db
        .selectFrom('ponds')
        .select(['id', 'cod'])
        .where('control_point_id', '=', row.id)
        .where('hidden', '=', 0)
        .execute(),
      powerOf(ofPoint),
      schedulesOf(ofPoint),
      ordersOf(ofPoint, 'manual'),
      ordersOf(ofPoint, 'open'),
      db.selectFrom('device_keys').selectAll().where('control_point_id', '=', row.id).execute(),
      db
        .selectFrom('presence')
        .select(['last_heartbeat', 'consumption'])
        .where('id', '=', row.id)
        .executeTakeFirst(),
    ]);
    return {
      row,
      zone: place.timezone,
      farmName: place.name,
      ponds,
      powerKw: power,
      schedules,
      manualOrders,
      openOrder: openOrder[0] ?? null,
      keys: keys.map((key) => decodeRow(deviceKey, key)),
      lastHeartbeat: presence?.last_heartbeat ?? null,
      consumption: presence?.consumption ?? 0,
    };
  }

  return {
    async *allFarms() {
      const rows = await db
        .selectFrom('farms')
        .select(['id', 'timezone', 'name'])
        .where('hidden', '=', 0)
        .execute();
      for (const { id, timezone, name } of rows) yield { id, zone: timezone, name };
    },
    async *allControlFacts() {
      const points = inChunks<ControlPoint>({ skip: 0, limit: undefined }, async (after, { limit }) => {
        const rows = await db
          .selectFrom('control_points')
          .selectAll()
          .where('hidden', '=', 0)
          .where('id', '>', after?.id ?? '')
          .orderBy('id')
          .limit(limit)
          .execute();
        return rows.map((row) => decodeRow(controlPoint, row));
      });
      for await (const point of points) yield await factsOf(point);
    },
    async controlFacts(id) {
      const row = await db
        .selectFrom('control_points')
        .selectAll()
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ? factsOf(decodeRow(controlPoint, row)) : null;
    },
  };
}

type OfPoint = { db: Db; id: string };

async function powerOf({ db, id }: OfPoint): Promise<number> {
  const sum = await db
    .selectFrom('aerators')
    .innerJoin('ponds', 'ponds.id', 'aerators.pond_id')
    .select((f) => f.fn.sum<number | null>('aerators.power_kw').as('kw'))
    .where('ponds.control_point_id', '=', id)
    .where('ponds.hidden', '=', 0)
    .where('aerators.hidden', '=', 0)
    .executeTakeFirst();
  return Number(sum?.kw ?? 0);
}

async function schedulesOf({ db, id }: OfPoint) {
  const rows = await db
    .selectFrom('schedules')
    .selectAll()
    .where('control_point_id', '=', id)
    .where('hidden', '=', 0)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map((row) => decodeRow(schedule, row));
}

async function ordersOf({ db, id }: OfPoint, which: 'manual' | 'open') {
  const orders = db.selectFrom('orders').selectAll().where('control_point_id', '=', id);
  const rows = await (which === 'manual'
    ? orders.where('origin', 'in', ['LOCAL', 'REMOTE']).limit(MANUAL_ORDERS_READ)
    : orders.where('state', 'in', ['SENT', 'ACKED']).limit(1)
  )
    .orderBy('version', 'desc')
    .execute();
  return rows.map((row) => decodeRow(order, row));
}

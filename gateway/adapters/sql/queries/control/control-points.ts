import { controlPoint, order } from '#contract/resources/control-points.ts';
import type { ControlPointQueries } from '#features/control/control-points/ports.ts';
import { readHlc } from '#store/hlc.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { farmIdsOf } from '../farm/farms.ts';
import { createdAfter, inChunks } from '../paging.ts';
import { inSamePlace, type Role } from '../same-place.ts';

/** @param role whose names of devices stand once: see inSamePlace */
export function controlPointQueries(db: Db, role: Role): ControlPointQueries {
  const visible = () => db.selectFrom('control_points').where('hidden', '=', 0);
  return {
    controlPointsOf(userId, page, farmId) {
      return inChunks(page, async (after, { limit, offset }) => {
        const rows = await visible()
          .selectAll()
          .where('farm_id', 'in', farmIdsOf(db, userId))
          .$if(farmId !== null, (query) => query.where('farm_id', '=', farmId ?? ''))
          .where(createdAfter(after))
          .orderBy('created_at')
          .orderBy('id')
          .limit(limit)
          .offset(offset)
          .execute();
        return rows.map((row) => decodeRow(controlPoint, row));
      });
    },
    async codTaken(ownerId, cod) {
      const row = await visible()
        .select('id')
        .where('owner_id', '=', ownerId)
        .where('cod', '=', cod)
        .executeTakeFirst();
      return row?.id ?? null;
    },
    async deviceIdTaken(deviceId, farmId) {
      const row = await visible()
        .select('id')
        .where('device_id', '=', deviceId)
        .where(inSamePlace(role, 'farm_id', farmId))
        .executeTakeFirst();
      return row?.id ?? null;
    },
    async namedAt(id) {
      const register = await db
        .selectFrom('sync_register')
        .select('over_json')
        .where('entity', '=', controlPoint.entity)
        .where('id', '=', id)
        .executeTakeFirst();
      // the register of a row, which only `commit` writes
      const over = JSON.parse(register?.over_json ?? '{}') as Record<string, string>;
      return over['device_id'] === undefined ? null : readHlc(over['device_id']).ms;
    },
    async idTaken(id) {
      return (
        (await db.selectFrom('control_points').select('id').where('id', '=', id).executeTakeFirst()) !==
        undefined
      );
    },
    async ownerOfFarm(farmId) {
      const row = await db
        .selectFrom('farms')
        .select('owner_id')
        .where('id', '=', farmId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row?.owner_id ?? null;
    },
    async pondsOf(controlPointId) {
      return db
        .selectFrom('ponds')
        .select(['id', 'rev'])
        .where('control_point_id', '=', controlPointId)
        .where('hidden', '=', 0)
        .execute();
    },
    async aeratorsOfDevice(deviceId, farmId) {
      return db
        .selectFrom('aerators')
        .innerJoin('ponds', 'ponds.id', 'aerators.pond_id')
        .select(['aerators.name', 'ponds.cod as pondCod'])
        .where('aerators.device_id', '=', deviceId)
        .where(inSamePlace(role, 'ponds.farm_id', farmId))
        .where('aerators.hidden', '=', 0)
        .where('ponds.hidden', '=', 0)
        .execute();
    },
    async reasonOf({ id, version, last_command_at }) {
      // the index leads to the few orders of that instant, however many there are
      const row = await db
        .selectFrom('orders')
        .select('reason')
        .where('control_point_id', '=', id)
        .where('issued_at', '=', last_command_at)
        .where('version', '=', version)
        .executeTakeFirst();
      return row?.reason ?? null;
    },
    async countOrders(controlPointId) {
      const row = await db
        .selectFrom('orders')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .where('control_point_id', '=', controlPointId)
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
    ordersOf(controlPointId, page) {
      return inChunks(page, async (after, { limit, offset }) => {
        const rows = await db
          .selectFrom('orders')
          .selectAll()
          .where('control_point_id', '=', controlPointId)
          .$if(after !== null, (query) =>
            query.where((row) =>
              row(row.refTuple('issued_at', 'id'), '<', row.tuple(after?.issued_at ?? '', after?.id ?? '')),
            ),
          )
          .orderBy('issued_at', 'desc')
          .orderBy('id', 'desc')
          .limit(limit)
          .offset(offset)
          .execute();
        return rows.map((row) => decodeRow(order, row));
      });
    },
  };
}

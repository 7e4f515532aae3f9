import { aerator } from '#contract/resources/aerators.ts';
import { controlPoint, order } from '#contract/resources/control-points.ts';
import { farm, farmMember } from '#contract/resources/farms.ts';
import { deviceKey, firstKeyUse } from '#contract/resources/local-tables.ts';
import { pond } from '#contract/resources/ponds.ts';
import { relay } from '#contract/resources/relays.ts';
import { schedule } from '#contract/resources/schedules.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import { user } from '#contract/resources/users.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';

/** Newest orders of people, per control point, that can still say what holds. */
const ORDERS_KEPT = 3;

/** All rows that control and the people who steer it need; what is deleted is left out. */
export async function controlRows(db: Db) {
  const points = (await db.selectFrom('control_points').selectAll().where('hidden', '=', 0).execute()).map(
    (row) => decodeRow(controlPoint, row),
  );
  const orders = [];
  for (const { id } of points) orders.push(...(await ordersOf(db, id)));
  const all = async (
    table: 'users' | 'farms' | 'farm_members' | 'subscriptions' | 'ponds' | 'aerators' | 'schedules',
  ) => db.selectFrom(table).selectAll().where('hidden', '=', 0).execute();
  return {
    users: (await all('users')).map((row) => decodeRow(user, row)),
    farms: (await all('farms')).map((row) => decodeRow(farm, row)),
    farm_members: (await all('farm_members')).map((row) => decodeRow(farmMember, row)),
    subscriptions: (await all('subscriptions')).map((row) => decodeRow(subscription, row)),
    ponds: (await all('ponds')).map((row) => decodeRow(pond, row)),
    aerators: (await all('aerators')).map((row) => decodeRow(aerator, row)),
    schedules: (await all('schedules')).map((row) => decodeRow(schedule, row)),
    device_keys: (await db.selectFrom('device_keys').selectAll().execute()).map((row) =>
      decodeRow(deviceKey, row),
    ),
    first_key_uses: (await db.selectFrom('first_key_uses').selectAll().execute()).map((row) =>
      decodeRow(firstKeyUse, row),
    ),
    relays: (await db.selectFrom('relays').selectAll().execute()).map((row) => decodeRow(relay, row)),
    control_points: points,
    orders,
  };
}

async function ordersOf(db: Db, controlPointId: string) {
  const rows = await db
    .selectFrom('orders')
    .selectAll()
    .where('control_point_id', '=', controlPointId)
    .where('origin', 'in', ['LOCAL', 'REMOTE'])
    .orderBy('issued_at', 'desc')
    .orderBy('id', 'desc')
    .limit(ORDERS_KEPT)
    .execute();
  return rows.map((row) => decodeRow(order, row));
}

/** Where the history of this gateway stands, and the values of the instance that control rests on. */
export async function controlStand(db: Db, streamId: number) {
  const stream = await db
    .selectFrom('sync_stream')
    .select(['gateway_id', 'epoch', 'core_seq'])
    .where('stream_id', '=', streamId)
    .executeTakeFirstOrThrow();
  const values = await db
    .selectFrom('instance_values')
    .select(['id', 'value'])
    .where('id', 'in', ['target_epoch', 'device_key_pepper', 'good_time'])
    .execute();
  return {
    gateway_id: stream.gateway_id,
    sync_epoch: stream.epoch,
    core_seq: stream.core_seq,
    values: Object.fromEntries(values.map(({ id, value }) => [id, value])),
  };
}

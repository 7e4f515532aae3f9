import { schedule } from '#contract/resources/schedules.ts';
import type { Schedule } from '#core/control-view.ts';
import type { Db } from '../database.ts';
import { decodeRow } from '../tables.ts';

export function scheduleQueries(db: Db) {
  return {
    async scheduleById(id: string): Promise<Schedule | null> {
      const row = await db
        .selectFrom('schedules')
        .selectAll()
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ? decodeRow(schedule, row) : null;
    },
    /** Those of a farm's control points, one control point after the other, with the zone of the farm. */
    async schedulesOfFarm(farmId: string, { skip, limit }: { skip: number; limit: number }) {
      const farm = await db
        .selectFrom('farms')
        .select('timezone')
        .where('id', '=', farmId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      const ofFarm = db
        .selectFrom('schedules')
        .innerJoin('control_points', 'control_points.id', 'schedules.control_point_id')
        .where('control_points.farm_id', '=', farmId)
        .where('control_points.hidden', '=', 0)
        .where('schedules.hidden', '=', 0);
      const rows = await ofFarm
        .selectAll('schedules')
        .orderBy('schedules.control_point_id')
        .orderBy('schedules.created_at')
        .orderBy('schedules.id')
        .limit(limit)
        .offset(skip)
        .execute();
      const counted = await ofFarm.select((all) => all.fn.countAll<number>().as('n')).executeTakeFirst();
      return {
        rows: rows.map((row) => decodeRow(schedule, row)),
        total: Number(counted?.n ?? 0),
        zone: farm?.timezone ?? 'UTC',
      };
    },
    async idTaken(id: string): Promise<boolean> {
      return (
        (await db.selectFrom('schedules').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
      );
    },
  };
}

/** True when the user owns a farm of this instance or operates one as a member. */
export function operatesSomeFarmQuery(db: Db): (userId: string) => Promise<boolean> {
  return async (userId) => {
    const owned = await db
      .selectFrom('farms')
      .select('id')
      .where('owner_id', '=', userId)
      .where('hidden', '=', 0)
      .limit(1)
      .executeTakeFirst();
    if (owned) return true;
    const joined = await db
      .selectFrom('farm_members')
      .innerJoin('farms', 'farms.id', 'farm_members.farm_id')
      .select('farms.id')
      .where('farm_members.user_id', '=', userId)
      .where('farm_members.role', 'in', ['MANAGER', 'TECHNICIAN'])
      .where('farm_members.hidden', '=', 0)
      .where('farms.hidden', '=', 0)
      .limit(1)
      .executeTakeFirst();
    return joined !== undefined;
  };
}

/** Every farm, with what the user is there. */
const farmsSeenBy = (db: Db, userId: string) =>
  db
    .selectFrom('farms')
    .leftJoin('farm_members', (join) =>
      join
        .onRef('farm_members.farm_id', '=', 'farms.id')
        .on('farm_members.user_id', '=', userId)
        .on('farm_members.hidden', '=', 0),
    )
    .select(['farms.owner_id', 'farm_members.role'])
    .where('farms.hidden', '=', 0);

/**
 * True when the user operates each farm there is: owns it, or works there with the right. On a box without any farm: when
 * nobody else has an account there.
 */
export function operatesEveryFarmQuery(db: Db): (userId: string) => Promise<boolean> {
  return async (userId) => {
    const farms = await farmsSeenBy(db, userId).execute();
    if (farms.length > 0) return operatesAll(userId, farms);
    const users = await db.selectFrom('users').select('id').where('hidden', '=', 0).limit(2).execute();
    return users.length === 1 && users[0]?.id === userId;
  };
}

/** True when there are control points and the user operates the farm of each: owns it, or works there with the right. */
export function operatesAllControlQuery(db: Db): (userId: string) => Promise<boolean> {
  return async (userId) => {
    const farms = await farmsSeenBy(db, userId)
      .where('farms.id', 'in', (points) =>
        points.selectFrom('control_points').select('farm_id').where('hidden', '=', 0),
      )
      .execute();
    return operatesAll(userId, farms);
  };
}

const operatesAll = (userId: string, farms: readonly { owner_id: string; role: string | null }[]): boolean =>
  farms.length > 0 &&
  farms.every(({ owner_id, role }) => owner_id === userId || role === 'MANAGER' || role === 'TECHNICIAN');

import { schedule } from '#contract/resources/schedules.ts';
import type { Schedule } from '#features/control/control-view.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';

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

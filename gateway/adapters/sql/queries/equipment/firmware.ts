import {
  firmwareImage,
  firmwareRollout,
  firmwareTarget,
  OPEN_TARGET_STATES,
} from '#contract/resources/firmware.ts';
import type { FirmwareQueries, Image, Rollout, Target } from '#features/equipment/firmware/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { isOfWhatStands } from '../alarms/standing-alerts.ts';

export function firmwareQueries(
  db: Db,
  airedByAerators: FirmwareQueries['airedByAerators'],
): FirmwareQueries {
  return {
    airedByAerators,
    async images() {
      const rows = await db.selectFrom('firmware_images').selectAll().orderBy('uploaded_at').execute();
      return rows.map((row) => local<Image>(decodeRow(firmwareImage, row)));
    },
    async rolloutsOf(farmId, limit) {
      const rows = await db
        .selectFrom('firmware_rollouts')
        .selectAll()
        .where('farm_id', '=', farmId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => local<Rollout>(decodeRow(firmwareRollout, row)));
    },
    async rolloutById(id) {
      const row = await db
        .selectFrom('firmware_rollouts')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined ? null : local<Rollout>(decodeRow(firmwareRollout, row));
    },
    async targetsOf(rolloutIds) {
      if (rolloutIds.length === 0) return [];
      const rows = await db
        .selectFrom('firmware_targets')
        .selectAll()
        .where('rollout_id', 'in', [...rolloutIds])
        .orderBy('rollout_id')
        .orderBy('place')
        .execute();
      return rows.map((row) => local<Target>(decodeRow(firmwareTarget, row)));
    },
    async targetById(id) {
      const row = await db.selectFrom('firmware_targets').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : local<Target>(decodeRow(firmwareTarget, row));
    },
    async openRollouts() {
      const rows = await db
        .selectFrom('firmware_rollouts')
        .selectAll()
        .where((row) =>
          row.or([
            row('state', 'in', ['running', 'paused']),
            row.exists(
              row
                .selectFrom('firmware_targets')
                .select('firmware_targets.id')
                .whereRef('firmware_targets.rollout_id', '=', 'firmware_rollouts.id')
                .where('firmware_targets.state', 'in', [...OPEN_TARGET_STATES]),
            ),
          ]),
        )
        .execute();
      return rows.map((row) => local<Rollout>(decodeRow(firmwareRollout, row)));
    },
    async oxygenAlarms(farmId) {
      const rows = await db
        .selectFrom('alerts')
        .leftJoin('ponds', 'ponds.id', 'alerts.pond_id')
        .leftJoin('control_points', 'control_points.id', 'alerts.control_point_id')
        .select(['alerts.type', 'ponds.cod as pond', 'control_points.cod as point'])
        .where('alerts.farm_id', '=', farmId)
        .where('alerts.status', '=', 'ACTIVE')
        .where('alerts.hidden', '=', 0)
        .where((row) =>
          row.or([
            row('alerts.type', 'in', ['LOW_OXYGEN', 'POWER_FAILURE']),
            row.and([row('alerts.type', '=', 'LOW_OXYGEN_FORECAST'), row('alerts.severity', '=', 'HIGH')]),
          ]),
        )
        .where(isOfWhatStands)
        .distinct()
        .limit(20)
        .execute();
      return rows.map(({ type, pond, point }) => ({ type, where: pond ?? point }));
    },
  };
}

/** Rows of local tables have no version. */
function local<Row>(decoded: Row & { rev: number }): Row {
  const { rev: _rev, ...row } = decoded;
  // what is left is the row itself
  return row as unknown as Row;
}

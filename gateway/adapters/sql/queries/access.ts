import type { SelectQueryBuilder } from 'kysely';
import type { GuardSeen } from '#core/changes.ts';
import type { FarmFound, Owned } from '#core/route.ts';
import { type Db, prepared } from '../database.ts';
import { isOfWhatStands } from './alarms/standing-alerts.ts';
import { farmIdsOf } from './farm/farms.ts';
import { isNumber, uuidOf } from './paging.ts';
import { isPhotoSeen } from './production/photos.ts';
import { isRecordSeen } from './production/records.ts';

/** How a user stands to the farm a thing lies on; null: there is no such thing, or it is deleted. */
export function accessQuery(db: Db): (of: Owned, id: string, userId: string) => Promise<FarmFound | null> {
  // asked for with nearly every request
  const preparedOf = (of: Owned) =>
    prepared(db, ['id', 'user'], ({ id, user }) => standing(db, of, id, user));
  const byKind = new Map<Owned, ReturnType<typeof preparedOf>>();
  return async (of, id, userId) => {
    const known = byKind.get(of) ?? preparedOf(of);
    byKind.set(of, known);
    const [found] = isNumber(id)
      ? await standing(db, of, id, userId).execute()
      : await known({ id, user: userId });
    if (!found) return null;
    const role = found.owner_id === userId ? 'OWNER' : found.role;
    return { farmId: found.farm_id, ownerId: found.owner_id, role };
  };
}

function standing(db: Db, of: Owned, id: string, userId: string) {
  return farmsWith(db, of, id)
    .leftJoin('farm_members', (join) =>
      join
        .onRef('farm_members.farm_id', '=', 'farms.id')
        .on('farm_members.user_id', '=', userId)
        .on('farm_members.hidden', '=', 0),
    )
    .select(['farms.id as farm_id', 'farms.owner_id', 'farm_members.role'])
    .where('farms.hidden', '=', 0);
}

function farmsWith(db: Db, of: Owned, id: string) {
  const farms = db.selectFrom('farms');
  switch (of) {
    case 'farm':
      return farms.where('farms.id', '=', id);
    case 'pond':
      return farms.where(
        'farms.id',
        '=',
        db
          .selectFrom('ponds')
          .select('farm_id')
          .where('id', '=', uuidOf(db, 'pond', id))
          .where('hidden', '=', 0),
      );
    case 'control_point':
      return farms.where(
        'farms.id',
        '=',
        db.selectFrom('control_points').select('farm_id').where('id', '=', id).where('hidden', '=', 0),
      );
    case 'aerator':
      return farms.where(
        'farms.id',
        '=',
        db
          .selectFrom('aerators')
          .innerJoin('ponds', 'ponds.id', 'aerators.pond_id')
          .select('ponds.farm_id')
          .where('aerators.id', '=', id)
          .where('aerators.hidden', '=', 0),
      );
    case 'schedule':
      return farms.where(
        'farms.id',
        '=',
        db
          .selectFrom('schedules')
          .innerJoin('control_points', 'control_points.id', 'schedules.control_point_id')
          .select('control_points.farm_id')
          .where('schedules.id', '=', id)
          .where('schedules.hidden', '=', 0),
      );
    case 'alert':
      return farms.where(
        'farms.id',
        '=',
        db
          .selectFrom('alerts')
          .select('farm_id')
          .where('id', '=', id)
          .where('hidden', '=', 0)
          .where(isOfWhatStands),
      );
    case 'batch':
      return farms.where('farms.id', '=', farmOfBatch(db, uuidOf(db, 'batch', id)));
    case 'transfer':
      return farms.where(
        'farms.id',
        '=',
        farmOfBatch(
          db,
          db
            .selectFrom('transfers')
            .select('batch_id')
            .where('id', '=', uuidOf(db, 'transfer', id))
            .where('hidden', '=', 0),
        ),
      );
    case 'harvest':
      return farms.where(
        'farms.id',
        '=',
        farmOfBatch(
          db,
          db.selectFrom('harvests').select('batch_id').where('id', '=', id).where('hidden', '=', 0),
        ),
      );
    case 'loss':
      return farms.where(
        'farms.id',
        '=',
        farmOfBatch(
          db,
          db.selectFrom('survival_changes').select('batch_id').where('id', '=', id).where('hidden', '=', 0),
        ),
      );
    case 'biometry':
      return farms.where(
        'farms.id',
        '=',
        farmOfBatch(
          db,
          db.selectFrom('biometries').select('batch_id').where('id', '=', id).where('hidden', '=', 0),
        ),
      );
    case 'feeding_record':
      return farms.where(
        'farms.id',
        '=',
        farmOfBatch(
          db,
          db.selectFrom('feeding_records').select('batch_id').where('id', '=', id).where('hidden', '=', 0),
        ),
      );
    case 'expense':
      return farms.where(
        'farms.id',
        '=',
        farmOfBatch(
          db,
          db.selectFrom('expenses').select('batch_id').where('id', '=', id).where('hidden', '=', 0),
        ),
      );
    case 'measurement':
      return farms.where(
        'farms.id',
        '=',
        db
          .selectFrom('measurements')
          .innerJoin('ponds', 'ponds.id', 'measurements.pond_id')
          .select('ponds.farm_id')
          .where('measurements.id', '=', id)
          .where('measurements.hidden', '=', 0)
          .where('ponds.hidden', '=', 0),
      );
    case 'farm_record':
      return farms.where(
        'farms.id',
        '=',
        db.selectFrom('farm_records').select('farm_id').where('id', '=', id).where(isRecordSeen),
      );
    case 'feed_stock':
      return farms.where(
        'farms.id',
        '=',
        db.selectFrom('feed_stock').select('farm_id').where('id', '=', id).where('hidden', '=', 0),
      );
    case 'harvest_lot':
      return farms.where(
        'farms.id',
        '=',
        db.selectFrom('harvest_lots').select('farm_id').where('id', '=', id).where('hidden', '=', 0),
      );
    case 'task':
      return farms.where(
        'farms.id',
        '=',
        db.selectFrom('tasks').select('farm_id').where('id', '=', id).where('hidden', '=', 0),
      );
    case 'photo':
      return farms.where(
        'farms.id',
        '=',
        db.selectFrom('photos').select('farm_id').where('id', '=', id).where(isPhotoSeen),
      );
    case 'probe':
      return farms.where('farms.id', '=', db.selectFrom('probes').select('farm_id').where('id', '=', id));
    case 'probe_bus':
      return farms.where(
        'farms.id',
        '=',
        db.selectFrom('probe_buses').select('farm_id').where('id', '=', id),
      );
    case 'probe_profile':
      return farms.where(
        'farms.id',
        '=',
        db.selectFrom('probe_profiles').select('farm_id').where('id', '=', id),
      );
    case 'import':
      return farms.where('farms.id', '=', db.selectFrom('imports').select('farm_id').where('id', '=', id));
  }
}

const RECORDS = {
  measurement: 'measurements',
  feeding_record: 'feeding_records',
  biometry: 'biometries',
  loss: 'survival_changes',
  farm_record: 'farm_records',
  feed_stock: 'feed_stock',
  harvest_lot: 'harvest_lots',
  photo: 'photos',
} as const satisfies Partial<Record<Owned, string>>;

/** Who recorded a thing; null: nobody did, or it is unknown. */
export function recorderQuery(db: Db): (of: Owned, id: string) => Promise<string | null> {
  return async (of, id) => {
    const table = (RECORDS as Partial<Record<Owned, (typeof RECORDS)[keyof typeof RECORDS]>>)[of];
    if (table === undefined) return null;
    const row = await db.selectFrom(table).select('created_by').where('id', '=', id).executeTakeFirst();
    return row?.created_by ?? null;
  };
}

/** Reads a guard's number; 0 for one that was never bumped. */
export function guardQuery(db: Db): (entity: string, id: string) => Promise<GuardSeen> {
  return async (entity, id) => {
    const row = await db
      .selectFrom('guards')
      .select('n')
      .where('entity', '=', entity)
      .where('id', '=', id)
      .executeTakeFirst();
    return { entity, id, n: row?.n ?? 0 };
  };
}

/** Whether somebody owns a farm or is a member of one. */
export function hasFarmQuery(db: Db): (userId: string) => Promise<boolean> {
  return async (userId) => (await farmIdsOf(db, userId).limit(1).executeTakeFirst()) !== undefined;
}

/** Farm of the batch that a query names. */
function farmOfBatch(
  db: Db,
  batchId: string | SelectQueryBuilder<never, never, { batch_id: string } | { uuid: string }>,
) {
  return db.selectFrom('batches').select('farm_id').where('id', '=', batchId).where('hidden', '=', 0);
}

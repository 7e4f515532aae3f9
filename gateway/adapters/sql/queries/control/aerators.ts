import { sql } from 'kysely';
import { aerator } from '#contract/resources/aerators.ts';
import type { AeratorQueries } from '#features/control/aerators/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { farmIdsOf } from '../farm/farms.ts';
import { createdAfter, inChunks } from '../paging.ts';
import { inSamePlace, type Role } from '../same-place.ts';

/** @param role whose names of devices stand once: see inSamePlace */
export function aeratorQueries(db: Db, role: Role): AeratorQueries {
  const farmOf = (pondId: string) => sql<string>`(select p.farm_id from ponds as p where p.id = ${pondId})`;
  return {
    async aeratorById(id) {
      const row = await db
        .selectFrom('aerators')
        .selectAll()
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ? decodeRow(aerator, row) : null;
    },
    async aeratorIdTaken(id) {
      const row = await db.selectFrom('aerators').select('id').where('id', '=', id).executeTakeFirst();
      return row !== undefined;
    },
    async aeratorIdOfDevice(deviceId, pondId) {
      const row = await db
        .selectFrom('aerators')
        .innerJoin('ponds', 'ponds.id', 'aerators.pond_id')
        .select('aerators.id')
        .where('aerators.device_id', '=', deviceId)
        .where('aerators.hidden', '=', 0)
        .where(inSamePlace(role, 'ponds.farm_id', farmOf(pondId)))
        .executeTakeFirst();
      return row?.id ?? null;
    },
    async isSirenDevice(deviceId, pondId) {
      const row = await db
        .selectFrom('control_points')
        .select('id')
        .where('device_id', '=', deviceId)
        .where(inSamePlace(role, 'farm_id', farmOf(pondId)))
        .where('is_siren', '=', 1)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row !== undefined;
    },
    async pondExists(pondId) {
      const row = await db
        .selectFrom('ponds')
        .select('id')
        .where('id', '=', pondId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row !== undefined;
    },
    aeratorsOf: (where, page) => aeratorsOf(db, where, page),
    async controlPointOfDevice({ deviceId, ownerId, pondId, userId }) {
      const row = await db
        .selectFrom('control_points')
        .leftJoin('farm_members', (join) =>
          join
            .onRef('farm_members.farm_id', '=', 'control_points.farm_id')
            .on('farm_members.user_id', '=', userId)
            .on('farm_members.hidden', '=', 0),
        )
        .select(['control_points.id', 'farm_members.role'])
        .where('control_points.device_id', '=', deviceId)
        .where('control_points.owner_id', '=', ownerId)
        .where(inSamePlace(role, 'control_points.farm_id', farmOf(pondId)))
        .where('control_points.hidden', '=', 0)
        .executeTakeFirst();
      if (row === undefined) return null;
      return { id: row.id, role: ownerId === userId ? 'OWNER' : row.role };
    },
  };
}

const aeratorsOf = (
  db: Db,
  { userId, pondId }: Parameters<AeratorQueries['aeratorsOf']>[0],
  page: Parameters<AeratorQueries['aeratorsOf']>[1],
): ReturnType<AeratorQueries['aeratorsOf']> =>
  inChunks(page, async (after, { limit, offset }) => {
    const rows = await db
      .selectFrom('aerators')
      .selectAll()
      .where('hidden', '=', 0)
      .$if(pondId !== null, (query) => query.where('pond_id', '=', pondId ?? ''))
      .$if(pondId === null, (query) =>
        query.where(
          'pond_id',
          'in',
          db.selectFrom('ponds').select('ponds.id').where('ponds.farm_id', 'in', farmIdsOf(db, userId)),
        ),
      )
      .where(createdAfter(after))
      .orderBy('created_at')
      .orderBy('id')
      .limit(limit)
      .offset(offset)
      .execute();
    return rows.map((row) => decodeRow(aerator, row));
  });

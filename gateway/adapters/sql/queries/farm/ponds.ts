import { pond } from '#contract/resources/ponds.ts';
import type { PondQueries } from '#features/farm/ponds/ports.ts';
import { type Db, prepared } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { placeInEpisode } from '../alarms/standing-alerts.ts';
import { createdAfter, inChunks, numericIdQueries } from '../paging.ts';
import { farmIdsOf } from './farms.ts';

export function pondQueries(db: Db): PondQueries {
  const byId = prepared(db, ['id'], ({ id }) =>
    db.selectFrom('ponds').selectAll().where('id', '=', id).where('hidden', '=', 0),
  );
  return {
    ...numericIdQueries(db),
    async pondById(id) {
      const [row] = await byId({ id });
      return row ? decodeRow(pond, row) : null;
    },
    async pondIdTaken(id) {
      const row = await db.selectFrom('ponds').select('id').where('id', '=', id).executeTakeFirst();
      return row !== undefined;
    },
    async farmExists(farmId) {
      const row = await db
        .selectFrom('farms')
        .select('id')
        .where('id', '=', farmId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row !== undefined;
    },
    async farmOfControlPoint(controlPointId) {
      const row = await db
        .selectFrom('control_points')
        .select('farm_id')
        .where('id', '=', controlPointId)
        .where('hidden', '=', 0)
        .where('is_siren', '=', 0)
        .executeTakeFirst();
      return row?.farm_id ?? null;
    },
    async isCodUsed(farmId, cod, exceptPondId) {
      const row = await db
        .selectFrom('ponds')
        .select('id')
        .where('farm_id', '=', farmId)
        .where('cod', '=', cod)
        .where('id', '!=', exceptPondId)
        .where('hidden', '=', 0)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
    pondsOf: (where, page) => pondsOf(db, where, page),
    async aeratorsOfPond(pondId) {
      return db
        .selectFrom('aerators')
        .select(['id', 'name', 'power_kw'])
        .where('pond_id', '=', pondId)
        .where('hidden', '=', 0)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
    },
    async controlPointCod(controlPointId) {
      const row = await db
        .selectFrom('control_points')
        .select('cod')
        .where('id', '=', controlPointId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row?.cod ?? null;
    },
    activeAlerts: (of) => activeAlerts(db, of),
  };
}

const pondsOf = (
  db: Db,
  { userId, farmId }: Parameters<PondQueries['pondsOf']>[0],
  page: Parameters<PondQueries['pondsOf']>[1],
): ReturnType<PondQueries['pondsOf']> =>
  inChunks(page, async (after, { limit, offset }) => {
    const rows = await db
      .selectFrom('ponds')
      .selectAll()
      .where('hidden', '=', 0)
      .$if(farmId !== null, (query) => query.where('farm_id', '=', farmId ?? ''))
      .$if(farmId === null, (query) => query.where('farm_id', 'in', farmIdsOf(db, userId)))
      .where(createdAfter(after))
      .orderBy('created_at')
      .orderBy('id')
      .limit(limit)
      .offset(offset)
      .execute();
    return rows.map((row) => decodeRow(pond, row));
  });

const activeAlerts: (
  db: Db,
  of: Parameters<PondQueries['activeAlerts']>[0],
) => ReturnType<PondQueries['activeAlerts']> = (db, of) => {
  const fields = ['id', 'type', 'severity', 'parameter', 'value', 'threshold', 'message'] as const;
  const placed = db
    .selectFrom('alerts')
    .select([...fields, 'triggered_at'])
    .select(placeInEpisode)
    .where('hidden', '=', 0)
    .where('status', '=', 'ACTIVE')
    .where('folded_into', 'is', null)
    .where((either) =>
      either.or([
        either('pond_id', '=', of.id),
        // a control point airs several ponds: what names another pond is not this one's
        either.and([either('control_point_id', '=', of.control_point_id), either('pond_id', 'is', null)]),
      ]),
    );
  return db
    .selectFrom(placed.as('placed'))
    .select([...fields, 'triggered_at'])
    .where('place', '=', 1)
    .orderBy('triggered_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
};

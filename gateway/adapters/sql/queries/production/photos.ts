import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { PHOTO_SUBJECTS, photo } from '#contract/resources/photos.ts';
import type { PhotoQueries, SeenPhoto, Subject } from '#features/production/photos/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { inChunks, uuidOf } from '../paging.ts';

/** A loss that was not taken back: see `standing` of batches. */
const isLossStanding = (id: string) => sql<SqlBool>`exists (select 1 from survival_changes as own
  where own.id = ${sql.ref(id)} and own.hidden = 0 and own.kind = 'FACTOR' and own.corrects is null
    and not exists (select 1 from survival_changes as later where later.batch_id = own.batch_id
      and later.corrects = own.id and later.kind = 'FACTOR' and later.animals = 0 and later.hidden = 0))`;

/** Not deleted, and of a thing that still stands: what goes by its parent is not marked itself. */
export const isPhotoSeen = sql<SqlBool>`photos.hidden = 0
  and (photos.pond_id is null
    or exists (select 1 from ponds as own where own.id = photos.pond_id and own.hidden = 0))
  and (photos.batch_id is null
    or exists (select 1 from batches as own where own.id = photos.batch_id and own.hidden = 0))
  and (photos.control_point_id is null
    or exists (select 1 from control_points as own where own.id = photos.control_point_id and own.hidden = 0))
  and (photos.loss_id is null or ${isLossStanding('photos.loss_id')})`;

/** See imageName. */
export const imageNameSql = sql<string>`photos.sha256 || '.' || photos.farm_id`;
/** A photo that is not deleted names it, wherever it hangs: what was deleted with its pond may come back with it. By an index. */
export const isNamedByPhoto = (
  name: RawBuilder<unknown>,
): RawBuilder<SqlBool> => sql<SqlBool>`exists (select 1 from photos
  where photos.sha256 = substr(${name}, 1, 64) and photos.farm_id = substr(${name}, 66) and photos.hidden = 0)`;

/** `long`: lists of years, read beside the main thread. */
export function photoQueries(db: Db, long: Db): PhotoQueries {
  return {
    subject: (kind, ref) => subjectOf(db, kind, ref),
    async photoById(id) {
      const row = await seen(db).where('photos.id', '=', id).executeTakeFirst();
      return row === undefined ? null : seenPhoto(row);
    },
    async photoIdTaken(id) {
      const row = await db.selectFrom('photos').select('id').where('id', '=', id).executeTakeFirst();
      return row !== undefined;
    },
    photosOf: (of, page) =>
      inChunks(page, async (after: SeenPhoto | null, { limit, offset }) => {
        const rows = await seen(long)
          .where(`photos.${PHOTO_SUBJECTS[of.kind].column}`, '=', of.id)
          .$if(after !== null, (query) =>
            query.where((key) =>
              key(
                key.refTuple('photos.taken_at', 'photos.id'),
                '<',
                key.tuple(after?.taken_at ?? '', after?.id ?? ''),
              ),
            ),
          )
          .orderBy('photos.taken_at', 'desc')
          .orderBy('photos.id', 'desc')
          .limit(limit)
          .offset(offset)
          .execute();
        return rows.map(seenPhoto);
      }),
    async countOf(of) {
      const row = await long
        .selectFrom('photos')
        .select((count) => count.fn.countAll<number>().as('n'))
        .where(PHOTO_SUBJECTS[of.kind].column, '=', of.id)
        .where(isPhotoSeen)
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
    async claimed(farmId, since) {
      const row = await db
        .selectFrom('photos')
        .select([
          sql<number | null>`sum(bytes)`.as('bytes'),
          sql<number | null>`sum(case when created_at >= ${since} then 1 else 0 end)`.as('lately'),
        ])
        .where('farm_id', '=', farmId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return { bytes: Number(row?.bytes ?? 0), lately: Number(row?.lately ?? 0) };
    },
  };
}

const seen = (db: Db) =>
  db
    .selectFrom('photos')
    .leftJoin('stored_images', (join) => join.on('stored_images.id', '=', imageNameSql))
    .selectAll('photos')
    .select('stored_images.stored_at')
    .where(isPhotoSeen);

type SeenRow = Awaited<ReturnType<ReturnType<typeof seen>['execute']>>[number];

const seenPhoto = ({ stored_at, ...row }: SeenRow): SeenPhoto => ({
  ...decodeRow(photo, row),
  is_here: stored_at !== null,
});

async function subjectOf(db: Db, kind: Subject['kind'], ref: string): Promise<Subject | null> {
  switch (kind) {
    case 'pond': {
      const row = await db
        .selectFrom('ponds')
        .innerJoin('farms', 'farms.id', 'ponds.farm_id')
        .select(['ponds.id', 'ponds.farm_id', 'farms.timezone'])
        .where('ponds.id', '=', uuidOf(db, 'pond', ref))
        .where('ponds.hidden', '=', 0)
        .executeTakeFirst();
      return row === undefined ? null : { kind, ...row, batch_id: null };
    }
    case 'batch': {
      const row = await db
        .selectFrom('batches')
        .innerJoin('farms', 'farms.id', 'batches.farm_id')
        .select(['batches.id', 'batches.farm_id', 'farms.timezone'])
        .where('batches.id', '=', uuidOf(db, 'batch', ref))
        .where('batches.hidden', '=', 0)
        .executeTakeFirst();
      return row === undefined ? null : { kind, ...row, batch_id: null };
    }
    case 'control_point': {
      const row = await db
        .selectFrom('control_points')
        .innerJoin('farms', 'farms.id', 'control_points.farm_id')
        .select(['control_points.id', 'control_points.farm_id', 'farms.timezone'])
        .where('control_points.id', '=', ref)
        .where('control_points.hidden', '=', 0)
        .executeTakeFirst();
      return row === undefined ? null : { kind, ...row, batch_id: null };
    }
    case 'loss': {
      const row = await db
        .selectFrom('survival_changes')
        .innerJoin('batches', 'batches.id', 'survival_changes.batch_id')
        .innerJoin('farms', 'farms.id', 'batches.farm_id')
        .select(['survival_changes.id', 'survival_changes.batch_id', 'batches.farm_id', 'farms.timezone'])
        .where('survival_changes.id', '=', ref)
        .where('batches.hidden', '=', 0)
        .where(isLossStanding('survival_changes.id'))
        .executeTakeFirst();
      return row === undefined ? null : { kind, ...row };
    }
  }
}

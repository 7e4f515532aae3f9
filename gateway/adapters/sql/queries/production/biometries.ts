import { biometry } from '#contract/resources/biometries.ts';
import type { Biometry, BiometryQueries } from '#features/production/biometries/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { inChunks, uuidOf } from '../paging.ts';

export function biometryQueries(db: Db): BiometryQueries {
  return {
    async batchToWeigh(ref) {
      const row = await db
        .selectFrom('batches')
        .innerJoin('farms', 'farms.id', 'batches.farm_id')
        .select([
          'batches.id',
          'batches.batch_code',
          'batches.status',
          'batches.start_date',
          'batches.initial_avg_weight',
          'batches.actual_harvest_date',
          'batches.farm_id',
          'farms.timezone',
        ])
        .where('batches.id', '=', uuidOf(db, 'batch', ref))
        .where('batches.hidden', '=', 0)
        .executeTakeFirst();
      return row ?? null;
    },
    async pondId(ref) {
      const row = await db
        .selectFrom('ponds')
        .select('id')
        .where('id', '=', uuidOf(db, 'pond', ref))
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row?.id ?? null;
    },
    async biometryById(id) {
      const row = await db
        .selectFrom('biometries')
        .selectAll()
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ? decodeRow(biometry, row) : null;
    },
    async biometryIdTaken(id) {
      const row = await db.selectFrom('biometries').select('id').where('id', '=', id).executeTakeFirst();
      return row !== undefined;
    },
    async weighedBefore(batchId, than) {
      const row = await db
        .selectFrom('biometries')
        .select(['sample_size', 'total_weight_g', 'measurement_date'])
        .where('batch_id', '=', batchId)
        .where('hidden', '=', 0)
        .where('measurement_date', '<', than.at)
        .where('id', '!=', than.id)
        .$if(than.pondId !== null, (query) =>
          query.where((where) =>
            where.or([where('pond_id', 'is', null), where('pond_id', '=', than.pondId)]),
          ),
        )
        .orderBy('measurement_date', 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row ?? null;
    },
    biometriesOf: (batchId, page) =>
      inChunks<Biometry>(page, async (after, { limit, offset }) => {
        const rows = await db
          .selectFrom('biometries')
          .selectAll()
          .where('batch_id', '=', batchId)
          .where('hidden', '=', 0)
          .$if(after !== null, (query) =>
            query.where((tuple) =>
              tuple(
                tuple.refTuple('measurement_date', 'id'),
                '<',
                tuple.tuple(after?.measurement_date ?? '', after?.id ?? ''),
              ),
            ),
          )
          .orderBy('measurement_date', 'desc')
          .orderBy('id', 'desc')
          .limit(limit)
          .offset(offset)
          .execute();
        return rows.map((row) => decodeRow(biometry, row));
      }),
  };
}

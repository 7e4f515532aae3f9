import { harvest } from '#contract/resources/batches.ts';
import { harvestLot } from '#contract/resources/harvest-lots.ts';
import type { HarvestLot, LotQueries } from '#features/production/harvest-lots/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { uuidOf } from '../paging.ts';
import { slicesOf } from './batch-facts.ts';

export function lotQueries(db: Db): LotQueries {
  return {
    async batchIdOf(ref) {
      const row = await db
        .selectFrom('batches')
        .select('id')
        .where('id', '=', uuidOf(db, 'batch', ref))
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row?.id ?? null;
    },
    async lotById(id) {
      const row = await db
        .selectFrom('harvest_lots')
        .selectAll()
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ? decodeRow(harvestLot, row) : null;
    },
    async lotIdTaken(id) {
      const row = await db.selectFrom('harvest_lots').select('id').where('id', '=', id).executeTakeFirst();
      return row !== undefined;
    },
    async lotsOf(batchIds) {
      const lots: HarvestLot[] = [];
      for (const ids of slicesOf(batchIds)) {
        const rows = await db
          .selectFrom('harvest_lots')
          .selectAll()
          .where('batch_id', 'in', ids)
          .where('hidden', '=', 0)
          .orderBy('harvested_at')
          .orderBy('id')
          .execute();
        lots.push(...rows.map((row) => decodeRow(harvestLot, row)));
      }
      return lots;
    },
    async lotsOfFarm(farmId) {
      const rows = await db
        .selectFrom('harvest_lots')
        .innerJoin('batches', 'batches.id', 'harvest_lots.batch_id')
        .leftJoin('ponds', 'ponds.id', 'harvest_lots.pond_id')
        .selectAll('harvest_lots')
        .select(['batches.batch_code', 'ponds.cod as pond'])
        .where('harvest_lots.farm_id', '=', farmId)
        .where('harvest_lots.hidden', '=', 0)
        .orderBy('harvested_at')
        .orderBy('harvest_lots.id')
        .execute();
      return rows.map(({ batch_code, pond, ...row }) => ({
        ...decodeRow(harvestLot, row),
        batch_code,
        pond,
      }));
    },
    async harvestById(id) {
      const row = await db
        .selectFrom('harvests')
        .selectAll()
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ? decodeRow(harvest, row) : null;
    },
    async pondOnFarm(farmId, ref) {
      const row = await db
        .selectFrom('ponds')
        .select(['id', 'cod'])
        .where('id', '=', uuidOf(db, 'pond', ref))
        .where('farm_id', '=', farmId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ?? null;
    },
    async codesLike(farmId, start) {
      const rows = await db
        .selectFrom('harvest_lots')
        .select('lot_code')
        .where('farm_id', '=', farmId)
        .where('hidden', '=', 0)
        // a number follows, whose digits all come before the colon
        .where('lot_code', '>=', start)
        .where('lot_code', '<', `${start}:`)
        .execute();
      return rows.map(({ lot_code }) => lot_code);
    },
    async isCodeUsed(farmId, code) {
      const row = await db
        .selectFrom('harvest_lots')
        .select('id')
        .where('farm_id', '=', farmId)
        .where('lot_code', '=', code)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

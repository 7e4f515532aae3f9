import { sql } from 'kysely';
import { batch } from '#contract/resources/batches.ts';
import type {
  BatchFactQueries,
  BatchFacts,
  FeedFact,
  LotFact,
  Stay,
  WeighingFact,
} from '#features/production/batches/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';

/** Ids in one statement: far below what either engine takes, and few enough shapes for its cache of statements. */
const IDS_AT_ONCE = 500;

/** What is known of batches, in one statement per table and 500 batches: cards of a large farm come from here. */
export function batchFactQueries(db: Db): BatchFactQueries {
  return {
    async factsOf(batchIds, weighings, countsUntil) {
      const facts: BatchFacts[] = [];
      for (const ids of slicesOf(batchIds)) facts.push(...(await factsOf(db, ids, weighings, countsUntil)));
      return facts;
    },
    async fedMinutes(batchId, countsUntil) {
      const minute = sql<string>`substr(feed_date, 1, 16)`;
      const rows = await db
        .selectFrom('feeding_records')
        .select(minute.as('minute'))
        .distinct()
        .where('batch_id', '=', batchId)
        .where('hidden', '=', 0)
        .where('feed_date', '<=', countsUntil)
        .execute();
      return rows.map((row) => row.minute);
    },
    async activeEverIn(pondIds) {
      const found = new Set<string>();
      for (const ids of slicesOf(pondIds)) {
        const rows = await everIn(db, ids, ['ACTIVE']).execute();
        for (const { id } of rows) found.add(id);
      }
      return [...found];
    },
    async staysIn(pondIds) {
      const stays: Stay[] = [];
      for (const ids of slicesOf(pondIds)) stays.push(...(await staysIn(db, ids)));
      return stays;
    },
    async idsOfFarms(farmIds, status) {
      const rows: { id: string; created_at: string }[] = [];
      for (const ids of slicesOf(farmIds)) {
        rows.push(
          ...(await db
            .selectFrom('batches')
            .select(['id', 'created_at'])
            .where('farm_id', 'in', ids)
            .where('hidden', '=', 0)
            .$if(status !== null, (query) => query.where('status', '=', status ?? 'ACTIVE'))
            .orderBy('created_at')
            .orderBy('id')
            .execute()),
        );
      }
      // each slice is in order already
      if (farmIds.length > IDS_AT_ONCE) rows.sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
      return rows.map(({ id }) => id);
    },
  };
}

async function factsOf(
  db: Db,
  ids: readonly string[],
  which: 'last two' | 'all',
  countsUntil: string,
): Promise<BatchFacts[]> {
  const batches = await batchesWithPlace(db, ids);
  if (batches.length === 0) return [];
  const survivalChanges = groupedByBatch(await survivalChangesOf(db, ids));
  const harvests = groupedByBatch(await harvestsOf(db, ids));
  const lots = groupedByBatch(await lotFactsOf(db, ids));
  const transfers = groupedByBatch(await transfersOf(db, ids));
  const weighed = groupedByBatch(await weighingsOf(db, ids, which, countsUntil));
  const counts = new Map((await biometryCountsOf(db, ids)).map(({ batch_id, n }) => [batch_id, Number(n)]));
  const feed = new Map((await feedOf(db, ids, countsUntil)).map(({ batch_id, ...sums }) => [batch_id, sums]));
  return batches.map(({ row, timezone, pondCod, pondSizeM2, isNursery }) => {
    return {
      batch: withItsLosses(row, survivalChanges.get(row.id) ?? []),
      timezone,
      pondCod,
      pondSizeM2,
      isNursery,
      survivalChanges: survivalChanges.get(row.id) ?? [],
      harvests: harvests.get(row.id) ?? [],
      lots: lots.get(row.id) ?? [],
      transfers: transfers.get(row.id) ?? [],
      weighings: (weighed.get(row.id) ?? []).map(decodeWeighing),
      biometryCount: counts.get(row.id) ?? 0,
      feed: decodeFeed(feed.get(row.id)),
    };
  });
}

async function batchesWithPlace(db: Db, ids: readonly string[]) {
  const rows = await db
    .selectFrom('batches')
    .innerJoin('farms', 'farms.id', 'batches.farm_id')
    .innerJoin('ponds', 'ponds.id', 'batches.pond_id')
    .selectAll('batches')
    .select(['farms.timezone', 'ponds.cod', 'ponds.size_m2', 'ponds.pond_type'])
    .where('batches.id', 'in', ids)
    .where('batches.hidden', '=', 0)
    .execute();
  return rows.map((stored) => ({
    row: decodeRow(batch, stored),
    timezone: stored.timezone,
    pondCod: stored.cod,
    pondSizeM2: stored.size_m2,
    isNursery: stored.pond_type === 'NURSERY',
  }));
}

/** A loss that was told is a change of its batch, on whichever instance it was told. */
export function withItsLosses<B extends { updated_at: string | null }>(
  row: B,
  losses: readonly { created_at: string }[],
): B {
  const told = [row.updated_at ?? '', ...losses.map(({ created_at }) => created_at)].toSorted().at(-1);
  return { ...row, updated_at: told === undefined || told === '' ? null : told };
}

export function survivalChangesOf(db: Db, ids: readonly string[]) {
  return db
    .selectFrom('survival_changes')
    .select(['batch_id', 'id', 'kind', 'value', 'pond_id', 'animals', 'pond_share', 'changed_at'])
    .select(['corrects', 'created_at'])
    .where('batch_id', 'in', ids)
    .where('hidden', '=', 0)
    .orderBy('batch_id')
    .orderBy('changed_at')
    .orderBy('id')
    .execute();
}

export function harvestsOf(db: Db, ids: readonly string[]) {
  return db
    .selectFrom('harvests')
    .select(['batch_id', 'id', 'pond_id', 'harvest_date', 'quantity', 'weight_kg', 'price_per_kg'])
    .where('batch_id', 'in', ids)
    .where('hidden', '=', 0)
    .orderBy('batch_id')
    .orderBy('harvest_date')
    .orderBy('id')
    .execute();
}

/** Lots that were graded; the others say nothing of money. */
export async function lotFactsOf(db: Db, ids: readonly string[]) {
  const rows = await db
    .selectFrom('harvest_lots')
    .select(['batch_id', 'harvest_id', 'classes'])
    .where('batch_id', 'in', ids)
    .where('hidden', '=', 0)
    .where('classes', '<>', '[]')
    .orderBy('batch_id')
    .orderBy('harvested_at')
    .orderBy('id')
    .execute();
  // written by the codec of lots
  return rows.map((row) => ({ ...row, classes: JSON.parse(row.classes) as LotFact['classes'] }));
}

export function transfersOf(db: Db, ids: readonly string[]) {
  return db
    .selectFrom('transfers')
    .select(['batch_id', 'id', 'source_pond_id', 'destination_pond_id', 'quantity', 'transfer_date'])
    .where('batch_id', 'in', ids)
    .where('hidden', '=', 0)
    .orderBy('batch_id')
    .orderBy('transfer_date')
    .orderBy('id')
    .execute();
}

async function weighingsOf(db: Db, ids: readonly string[], which: 'last two' | 'all', countsUntil: string) {
  const chosen = await weighings(db, ids)
    .$if(which === 'last two', (query) =>
      query.where('biometries.id', 'in', (last) =>
        last
          .selectFrom('biometries as newer')
          .select('newer.id')
          .whereRef('newer.batch_id', '=', 'batches.id')
          .where('newer.hidden', '=', 0)
          .where('newer.measurement_date', '<=', countsUntil)
          .where('newer.pond_id', 'is', null)
          .orderBy('newer.measurement_date', 'desc')
          .orderBy('newer.id', 'desc')
          .limit(2),
      ),
    )
    .execute();
  if (which === 'all') return chosen;
  const ofPonds = await weighings(db, ids)
    .where('biometries.pond_id', 'is not', null)
    .where('biometries.measurement_date', '<=', countsUntil)
    .execute();
  return [...chosen, ...ofPonds].toSorted(newestFirst);
}

type DatedRow = { measurement_date: string; id: string };
function newestFirst(a: DatedRow, b: DatedRow): number {
  if (a.measurement_date !== b.measurement_date) return a.measurement_date < b.measurement_date ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}

function weighings(db: Db, ids: readonly string[]) {
  return db
    .selectFrom('batches')
    .innerJoin('biometries', 'biometries.batch_id', 'batches.id')
    .select([
      'biometries.batch_id',
      'biometries.id',
      'biometries.pond_id',
      'biometries.measurement_date',
      'biometries.sample_size',
      'biometries.total_weight_g',
      'biometries.weight_sd_g',
      'biometries.individual_weights_g',
    ])
    .where('batches.id', 'in', ids)
    .where('biometries.hidden', '=', 0)
    .orderBy('biometries.batch_id')
    .orderBy('biometries.measurement_date', 'desc')
    .orderBy('biometries.id', 'desc');
}

/** Read from the index alone. */
function biometryCountsOf(db: Db, ids: readonly string[]) {
  return db
    .selectFrom('biometries')
    .select(['batch_id', sql<number>`count(*)`.as('n')])
    .where('batch_id', 'in', ids)
    .where('hidden', '=', 0)
    .groupBy('batch_id')
    .execute();
}

function decodeWeighing(stored: Awaited<ReturnType<typeof weighingsOf>>[number]): WeighingFact {
  const { id, pond_id, measurement_date, sample_size, total_weight_g, weight_sd_g } = stored;
  return {
    id,
    pond_id,
    measurement_date,
    sample_size,
    total_weight_g,
    weight_sd_g,
    // written by the codec of biometries: an array of numbers, or nothing
    individual_weights_g:
      stored.individual_weights_g === null ? null : (JSON.parse(stored.individual_weights_g) as number[]),
  };
}

/** The covering index answers this alone: batches are fed four times a day. */
function feedOf(db: Db, ids: readonly string[], countsUntil: string) {
  return db
    .selectFrom('feeding_records')
    .select([
      'batch_id',
      sql<number>`sum(quantity_kg)`.as('kg'),
      sql<number>`sum(quantity_kg * cost_per_kg)`.as('cost'),
      sql<number>`count(*)`.as('records'),
    ])
    .where('batch_id', 'in', ids)
    .where('hidden', '=', 0)
    .where('feed_date', '<=', countsUntil)
    .groupBy('batch_id')
    .execute();
}

function decodeFeed(sums: { kg: number; cost: number; records: number } | undefined): FeedFact | null {
  // PostgreSQL counts in bigint
  return sums === undefined ? null : { ...sums, records: Number(sums.records) };
}

/**
 * Batches were there, and none of those is alive; one that was moved on may still have animals there. A pond of which no
 * batch was ever entered may be full of shrimp.
 */
export function isPondEmpty(db: Db): (pondId: string) => Promise<boolean> {
  return async (pondId) => {
    const alive = await everIn(db, [pondId], ['ACTIVE']).execute();
    return alive.length === 0 && (await everIn(db, [pondId], ENDED).execute()).length > 0;
  };
}

const ENDED = ['FINISHED', 'ABORTED'] as const;

/** Batches that were stocked in ponds or moved there. */
function everIn(
  db: Db,
  pondIds: readonly string[],
  statuses: readonly ('ACTIVE' | (typeof ENDED)[number])[],
) {
  return db
    .selectFrom('batches')
    .select('id')
    .where('pond_id', 'in', pondIds)
    .where('status', 'in', statuses)
    .where('hidden', '=', 0)
    .unionAll(
      db
        .selectFrom('transfers')
        .innerJoin('batches', 'batches.id', 'transfers.batch_id')
        .select('batches.id')
        .where('transfers.destination_pond_id', 'in', pondIds)
        .where('transfers.hidden', '=', 0)
        .where('batches.status', 'in', statuses)
        .where('batches.hidden', '=', 0),
    );
}

export function slicesOf<Item>(items: readonly Item[]): Item[][] {
  const slices: Item[][] = [];
  for (let from = 0; from < items.length; from += IDS_AT_ONCE)
    slices.push(items.slice(from, from + IDS_AT_ONCE));
  return slices;
}

export function groupedByBatch<Row extends { batch_id: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const byBatch = new Map<string, Row[]>();
  for (const row of rows) {
    const known = byBatch.get(row.batch_id);
    if (known === undefined) byBatch.set(row.batch_id, [row]);
    else known.push(row);
  }
  return byBatch;
}

/** Which batches these ponds held, told by the indexes on the ponds of batches and transfers; as many ids as a statement takes. */
function staysIn(db: Db, pondIds: readonly string[]): Promise<Stay[]> {
  const stocked = db
    .selectFrom('batches')
    .select(['pond_id', 'id as batch_id', 'actual_harvest_date as ended_at'])
    .where('pond_id', 'in', pondIds)
    .where('hidden', '=', 0);
  const moved = db
    .selectFrom('transfers')
    .innerJoin('batches', 'batches.id', 'transfers.batch_id')
    .select([
      'transfers.destination_pond_id as pond_id',
      'batches.id as batch_id',
      'batches.actual_harvest_date as ended_at',
    ])
    .where('transfers.destination_pond_id', 'in', pondIds)
    .where('transfers.hidden', '=', 0)
    .where('batches.hidden', '=', 0);
  return db
    .selectFrom(stocked.union(moved).as('stay'))
    .select((stay) => [
      'pond_id',
      'batch_id',
      'ended_at',
      stay
        .selectFrom('transfers')
        .select((move) => move.fn.max('transfer_date').as('at'))
        .whereRef('transfers.source_pond_id', '=', 'stay.pond_id')
        .whereRef('transfers.batch_id', '=', 'stay.batch_id')
        .where('transfers.hidden', '=', 0)
        .as('moved_at'),
    ])
    .execute();
}

import { sql } from 'kysely';
import { allResources } from '#contract/resources/all.ts';
import type { RecordKind } from '#contract/resources/farm-records.ts';
import { WATER_FIELDS, type WaterField } from '#contract/resources/water-quality.ts';
import type {
  ExportQueries,
  FeedingLine,
  RecordLine,
  Span,
  WaterLine,
} from '#features/production/exports/ports.ts';
import type { Db, Lines, ReadLines } from '../../database.ts';
import { uuidOf } from '../paging.ts';
import { rowsBelow } from '../rows-below.ts';
import { isRecordSeen } from './records.ts';
import { averageOf, waterSums } from './water-sums.ts';

/** A short read for the thread, and still few enough statements for a year of probe readings. */
const CHUNK = 500;

/** `long` reads beside the main thread: a journal of years must not hold up control. */
export function exportQueries(db: Db, long: Db, readLines: ReadLines): ExportQueries {
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
    async pondOf(ref) {
      const row = await db
        .selectFrom('ponds')
        .innerJoin('farms', 'farms.id', 'ponds.farm_id')
        .select(['ponds.id', 'ponds.numeric_id', 'ponds.cod', 'farms.timezone', 'farms.name'])
        .select('farms.id as farmId')
        .where('ponds.id', '=', uuidOf(db, 'pond', ref))
        .where('ponds.hidden', '=', 0)
        .executeTakeFirst();
      if (!row) return null;
      const { name: farmName, numeric_id, ...pond } = row;
      return { ...pond, numeric_id: Number(numeric_id), farmName };
    },
    async pondCods(pondIds) {
      const rows =
        pondIds.length === 0
          ? []
          : await db.selectFrom('ponds').select(['id', 'cod']).where('id', 'in', pondIds).execute();
      return new Map(rows.map(({ id, cod }) => [id, cod]));
    },
    feedings: (batchId, span) => inArrays((after) => feedingsAfter(long, batchId, span, after)),
    measurements: (pondId, span) =>
      inArrays((after) => measurementsAfter(long, pondId, span, after).execute()),
    ammoniaLines: (pondId, span) =>
      inArrays((after) =>
        measurementsAfter(long, pondId, span, after)
          .where((either) =>
            either.or([either('ammonia', 'is not', null), either('salinity', 'is not', null)]),
          )
          .execute(),
      ),
    measurementLines: (pondId, span, layout) =>
      inTexts((after: WaterLine | null) =>
        readLines(measurementsAfter(long, pondId, span, after).compile(), layout),
      ),
    async farmOf(farmId) {
      const row = await db
        .selectFrom('farms')
        .select(['name', 'timezone'])
        .where('id', '=', farmId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ?? null;
    },
    records: (farm, span) => inArrays((after) => recordsAfter(long, farm, span, after)),
    waterTotals: (pondId, span) => waterTotals(long, pondId, span),
    async placesOf(farmId) {
      return {
        ponds: await placesIn(db, farmId, { table: 'ponds', name: 'cod' }),
        batches: await placesIn(db, farmId, { table: 'batches', name: 'batch_code' }),
        control_points: await placesIn(db, farmId, { table: 'control_points', name: 'cod' }),
      };
    },
    storedRows(table, below) {
      const resource = allResources.find(({ name }) => name === table);
      if (resource === undefined) throw new Error(`there is no table ${table}`);
      return rowsBelow(long, resource, below);
    },
  };
}

async function placesIn(
  db: Db,
  farmId: string,
  { table, name }: { table: 'ponds' | 'batches' | 'control_points'; name: string },
): Promise<{ id: string; name: string }[]> {
  const { rows } = await sql<{ id: string; name: string }>`select id, ${sql.ref(name)} as name
    from ${sql.table(table)} where farm_id = ${farmId} and hidden = 0 order by created_at, id`.execute(db);
  return rows;
}

/** Whole chunks by key: no statement stays open between them, and a chunk is written as one piece. */
async function* inArrays<Row>(fetch: (after: Row | null) => Promise<Row[]>): AsyncIterable<readonly Row[]> {
  let after: Row | null = null;
  for (;;) {
    const rows: Row[] = await fetch(after);
    if (rows.length > 0) yield rows;
    if (rows.length < CHUNK) return;
    after = rows.at(-1) ?? null;
  }
}

/** The same as lines of a file. */
async function* inTexts<Row>(fetch: (after: Row | null) => Promise<Lines<Row>>): AsyncIterable<string> {
  let after: Row | null = null;
  for (;;) {
    const { text, count, last }: Lines<Row> = await fetch(after);
    if (count > 0) yield text;
    if (count < CHUNK) return;
    after = last;
  }
}

const within = (column: string, { from, before }: Span) => {
  const at = sql.ref(column);
  return sql<boolean>`${from === null ? sql`true` : sql`${at} >= ${from}`} and ${before === null ? sql`true` : sql`${at} < ${before}`}`;
};

function feedingsAfter(
  db: Db,
  batchId: string,
  span: Span,
  after: FeedingLine | null,
): Promise<FeedingLine[]> {
  return db
    .selectFrom('feeding_records')
    .select(['id', 'feed_type', 'quantity_kg', 'feed_date', 'notes'])
    .where('batch_id', '=', batchId)
    .where('hidden', '=', 0)
    .where(within('feed_date', after === null ? span : { ...span, from: null }))
    .$if(after !== null, (query) =>
      query.where((key) =>
        key(key.refTuple('feed_date', 'id'), '>', key.tuple(after?.feed_date ?? '', after?.id ?? '')),
      ),
    )
    .orderBy('feed_date')
    .orderBy('id')
    .limit(CHUNK)
    .execute();
}

function measurementsAfter(db: Db, pondId: string, span: Span, after: WaterLine | null) {
  return (
    db
      .selectFrom('measurements')
      .select(['id', 'measurement_date', 'temperature', 'dissolved_oxygen', 'ph'])
      .select(['salinity', 'alkalinity', 'ammonia', 'nitrite', 'nitrate', 'transparency'])
      .where('pond_id', '=', pondId)
      .where('hidden', '=', 0)
      // one lower bound only: with two, the engine starts each chunk where the first one began
      .where(within('measurement_date', after === null ? span : { ...span, from: null }))
      .$if(after !== null, (query) =>
        query.where((key) =>
          key(
            key.refTuple('measurement_date', 'id'),
            '>',
            key.tuple(after?.measurement_date ?? '', after?.id ?? ''),
          ),
        ),
      )
      .orderBy('measurement_date')
      .orderBy('id')
      .limit(CHUNK)
  );
}

async function recordsAfter(
  db: Db,
  { id, kind }: { id: string; kind: RecordKind | null },
  span: Span,
  after: RecordLine | null,
): Promise<RecordLine[]> {
  const rows = await db
    .selectFrom('farm_records')
    .leftJoin('ponds', 'ponds.id', 'farm_records.pond_id')
    .leftJoin('batches', 'batches.id', 'farm_records.batch_id')
    .leftJoin('control_points', 'control_points.id', 'farm_records.control_point_id')
    .select(['farm_records.id', 'farm_records.kind', 'farm_records.pond_id', 'happened_at', 'text'])
    .select(['product', 'product_kind', 'product_lot', 'amount', 'unit', 'responsible'])
    .select(['withdrawal_days', 'source', 'signs', 'affected_percent', 'severity', 'disease', 'disease_name'])
    .select(['sample', 'method', 'result', 'result_on', 'report_number', 'trays', 'step', 'ended_on'])
    .select(['meter', 'meter_factor', 'meter_change'])
    .select(sql<string>`coalesce(ponds.cod, batches.batch_code, control_points.cod, '')`.as('place'))
    .where('farm_records.farm_id', '=', id)
    .where(isRecordSeen)
    .$if(kind !== null, (query) => query.where('kind', '=', kind ?? 'NOTE'))
    .where(within('happened_at', after === null ? span : { ...span, from: null }))
    .$if(after !== null, (query) =>
      query.where((key) =>
        key(
          key.refTuple('happened_at', 'farm_records.id'),
          '>',
          key.tuple(after?.happened_at ?? '', after?.id ?? ''),
        ),
      ),
    )
    .orderBy('happened_at')
    .orderBy('farm_records.id')
    .limit(CHUNK)
    .execute();
  return rows.map(({ signs, trays, ...row }) => ({
    ...row,
    signs: signs === null ? null : (JSON.parse(signs) as RecordLine['signs']),
    trays: trays === null ? null : (JSON.parse(trays) as RecordLine['trays']),
  }));
}

async function waterTotals(db: Db, pondId: string, span: Span) {
  const { count, of: sums } = await waterSums(db, pondId, span, { fields: WATER_FIELDS, extremes: true });
  const of = new Map<WaterField, { least: number; mean: number; most: number }>();
  for (const [name, sum] of sums) {
    if (sum.least === null || sum.most === null) continue;
    of.set(name, { least: sum.least, mean: averageOf(sum), most: sum.most });
  }
  return { count, of };
}

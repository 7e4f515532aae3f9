import { sql } from 'kysely';
import { measurement } from '#contract/resources/water-quality.ts';
import type {
  AlertScope,
  Measurement,
  PondName,
  Span,
  WaterAlertRow,
  WaterInSpan,
  WaterReadQueries,
} from '#features/production/water-quality/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { farmIdsOf } from '../farm/farms.ts';
import { inChunks, uuidOf } from '../paging.ts';
import { WATER_TYPES } from './measurements.ts';
import { hasMoreThan, ofWater, waterInSpan } from './water-in-span.ts';
import { isWhole } from './water-sums.ts';

/** What a thread would take longer to hear of than to read: a month of readings by hand. */
const SHORT_SPAN_ROWS = 1_000;

/** `long`: for what may read years of a probe. */
export function waterReadQueries(db: Db, long: Db = db): WaterReadQueries {
  return {
    async pondName(ref) {
      const row = await pondNames(db)
        .where('ponds.id', '=', uuidOf(db, 'pond', ref))
        .executeTakeFirst();
      return row ? named(row) : null;
    },
    async pondsOf(userId) {
      const rows = await pondNames(db)
        .where('ponds.farm_id', 'in', farmIdsOf(db, userId))
        .orderBy('ponds.created_at')
        .orderBy('ponds.id')
        .execute();
      return rows.map(named);
    },
    waterIn: (pondId, span) => waterIn(db, long, pondId, span),
    latestReadings: (pondIds) => latestReadings(db, pondIds),
    activeAlerts: (pondIds) => activeAlerts(db, pondIds),
    alertsOf: (scope, page) => alertsOf(long, scope, page),
    async countAlerts(scope) {
      const rows = await long
        .selectFrom('alerts')
        .select(({ fn }) => ['status', 'severity', fn.countAll<number>().as('count')])
        .where(ofWater(scope))
        .groupBy(['status', 'severity'])
        .execute();
      return rows.map((row) => ({ ...row, count: Number(row.count) }));
    },
  };
}

/** Sums and short pages cost the same however long the history is; the rest of a long one is read beside control. */
async function waterIn(db: Db, long: Db, pondId: string, span: Span): Promise<WaterInSpan> {
  const here = waterInSpan(db, pondId, span);
  if (long === db || !(await hasMoreThan(db, pondId, span, SHORT_SPAN_ROWS))) return here;
  const beside = waterInSpan(long, pondId, span);
  return {
    ...beside,
    statistics: (await isWhole(db, pondId)) ? here.statistics : beside.statistics,
    measurements: (page) =>
      page.skip + page.limit <= SHORT_SPAN_ROWS ? here.measurements(page) : beside.measurements(page),
  };
}

function pondNames(db: Db) {
  return db
    .selectFrom('ponds')
    .innerJoin('farms', 'farms.id', 'ponds.farm_id')
    .select(['ponds.id', 'ponds.cod', 'ponds.farm_id', 'ponds.size_m2', 'ponds.depth_m', 'farms.timezone'])
    .where('ponds.hidden', '=', 0)
    .where('farms.hidden', '=', 0);
}

function named(
  row: Omit<PondName, 'volumeM3'> & { size_m2: number | null; depth_m: number | null },
): PondName {
  const { size_m2, depth_m, ...pond } = row;
  return { ...pond, volumeM3: size_m2 === null || depth_m === null ? null : size_m2 * depth_m };
}

/** Many ponds at a time, each by one step through the index. */
const PONDS_A_QUERY = 500;

async function latestReadings(db: Db, pondIds: readonly string[]): Promise<Map<string, Measurement>> {
  const latest = new Map<string, Measurement>();
  for (let start = 0; start < pondIds.length; start += PONDS_A_QUERY) {
    const rows = await db
      .selectFrom('ponds')
      .innerJoin('measurements', (join) =>
        join.onRef(
          'measurements.id',
          '=',
          sql`(select newest.id from measurements as newest where newest.pond_id = ponds.id and newest.hidden = 0
            order by newest.measurement_date desc, newest.id desc limit 1)`,
        ),
      )
      .selectAll('measurements')
      .where('ponds.id', 'in', pondIds.slice(start, start + PONDS_A_QUERY))
      .execute();
    for (const row of rows) latest.set(row.pond_id, decodeRow(measurement, row));
  }
  return latest;
}

const ALERT_COLUMNS = [
  'id',
  'type',
  'parameter',
  'value',
  'threshold',
  'severity',
  'message',
  'triggered_at',
  'status',
  'resolved_at',
  'episode_id',
] as const;

async function activeAlerts(db: Db, pondIds: readonly string[]): Promise<Map<string, WaterAlertRow[]>> {
  const byPond = new Map<string, WaterAlertRow[]>();
  const types = sql.join(WATER_TYPES.map((type) => sql`(${sql.lit(type)})`));
  for (let start = 0; start < pondIds.length; start += PONDS_A_QUERY) {
    const rows = await db
      .with('types(type)', () => sql<{ type: string }>`(values ${types})`)
      .selectFrom('ponds')
      .innerJoin('types', (join) => join.onTrue())
      .innerJoin('alerts', (join) =>
        join.onRef(
          'alerts.id',
          '=',
          sql`(select newest.id from alerts as newest
            where newest.pond_id = ponds.id and newest.status = 'ACTIVE' and newest.type = types.type
              and newest.source = 'automatic' and newest.hidden = 0
            order by newest.triggered_at desc, newest.id desc limit 1)`,
        ),
      )
      .select(['alerts.pond_id', ...ALERT_COLUMNS.map((column) => `alerts.${column}` as const)])
      .where('ponds.id', 'in', pondIds.slice(start, start + PONDS_A_QUERY))
      .orderBy('alerts.triggered_at', 'desc')
      .orderBy('alerts.id', 'desc')
      .execute();
    for (const { pond_id, ...row } of rows) {
      if (pond_id !== null) byPond.set(pond_id, [...(byPond.get(pond_id) ?? []), row]);
    }
  }
  return byPond;
}

const alertsOf = (
  db: Db,
  scope: AlertScope,
  page: { skip: number; limit: number },
): AsyncIterable<WaterAlertRow> =>
  inChunks(page, (after, { limit, offset }) =>
    db
      .selectFrom('alerts')
      .select(ALERT_COLUMNS)
      .where(ofWater(after === null ? scope : { ...scope, span: { ...scope.span, before: null } }))
      .$if(after !== null, (query) =>
        query.where((tuple) =>
          tuple(
            tuple.refTuple('triggered_at', 'id'),
            '<',
            tuple.tuple(after?.triggered_at ?? '', after?.id ?? ''),
          ),
        ),
      )
      .orderBy('triggered_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .offset(offset)
      .execute(),
  );

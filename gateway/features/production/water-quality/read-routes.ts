import * as z from 'zod';
import { idOrNumber } from '#contract/fields.ts';
import {
  type LatestWater,
  latestWater,
  measurementJournal,
  trendQuery,
  WATER_FIELDS,
  type WaterAlert,
  type WaterAlerts,
  waterAlertQuery,
  waterAlerts,
  waterSpanQuery,
  waterTrend,
} from '#contract/resources/water-quality.ts';
import { JOURNAL_ROWS, journalAnswer } from '#core/audit.ts';
import { AppError, invalidField, notFound } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Answer, type Route, route } from '#core/route.ts';
import type { Language } from '#science/advice/language.ts';
import type { Water } from '#science/water-limits.ts';
import { waterStatus } from '#science/water-status.ts';
import { judged } from './judge-water.ts';
import type {
  AlertCounts,
  AlertScope,
  Page,
  PondName,
  RecordQueries,
  ScienceOf,
  WaterReadQueries,
} from './ports.ts';
import { type ReadTrendDeps, waterTrendOf } from './read-trend.ts';
import { salinityFor } from './record-measurement.ts';
import {
  answerMeasurement,
  dateRangeOf,
  isWaterField,
  spanOf,
  timeSince,
  waterAlertOf,
  waterFigure,
} from './water-answers.ts';

type ReadLatestDeps = Pick<Kernel, 'now'> & {
  queries: Pick<WaterReadQueries, 'latestReadings' | 'activeAlerts'> &
    Pick<RecordQueries, 'salinityBefore' | 'isPondEmpty'>;
  scienceOf: ScienceOf;
};

export type ReadWaterDeps = ReadLatestDeps & ReadTrendDeps & { queries: WaterReadQueries };

const tag = 'Water quality';
const params = z.object({ pond_id: idOrNumber });
const ofPond = { who: 'farm', right: 'read', of: 'pond', field: 'pond_id', others: 404 } as const;
const access = { ...ofPond, at: 'params' } as const;

export function readWaterRoutes(deps: ReadWaterDeps): Route[] {
  return [journalRoute(deps), latestRoute(deps), alertsRoute(deps), trendRoute(deps), ...aliasRoutes(deps)];
}

function journalRoute(deps: ReadWaterDeps): Route {
  return route({
    method: 'GET',
    path: '/water-quality/pond/{pond_id}',
    tag,
    summary: 'Measurements of a pond, newest first, with the averages of the whole period',
    access,
    params,
    query: waterSpanQuery,
    answers: { 200: { schema: measurementJournal } },
    async handle(request) {
      const pond = await visiblePond(deps, request.params.pond_id);
      const { query } = request;
      const span = spanOf(query, pond.timezone);
      const water = await deps.queries.waterIn(pond.id, span);
      const { count, first, last, ...averages } = await water.statistics();
      const statistics = {
        total_measurements: count,
        date_range: dateRangeOf(query, { first, last }, pond.timezone),
        averages: {
          temperature: waterFigure(averages.temperature),
          dissolved_oxygen: waterFigure(averages.dissolved_oxygen),
          ph: waterFigure(averages.ph),
          salinity: waterFigure(averages.salinity),
        },
      };
      // asked for once, however many rows hold ammonia
      let science: ReturnType<typeof deps.scienceOf> | null = null;
      const scienceOf = (farmId: string) => (science ??= deps.scienceOf(farmId));
      const answering = { queries: deps.queries, scienceOf };
      const rows = (page: Page) =>
        mapped(water.measurements(page), (row) => answerMeasurement(answering, pond.farm_id, row));
      const answer = await journalAnswer(query, { count: async () => count, rows });
      const rest = { pond_id: pond.id, pond_cod: pond.cod, statistics };
      return { answer: { ...answer, inside: { field: 'measurements', rest } } };
    },
  });
}

function latestRoute(deps: ReadWaterDeps): Route {
  return route({
    method: 'GET',
    path: '/water-quality/pond/{pond_id}/latest',
    tag,
    summary: 'The newest measurement of a pond and how its water stands',
    access,
    params,
    answers: { 200: { schema: latestWater } },
    handle: async ({ params: { pond_id }, language }) => ({
      answer: await latestAnswer(deps, pond_id, language),
    }),
  });
}

type AlertQuery = z.infer<typeof waterAlertQuery>;

function alertsRoute(deps: ReadWaterDeps): Route {
  return route({
    method: 'GET',
    path: '/water-quality/pond/{pond_id}/alerts',
    tag,
    summary: 'What the measurements of a pond raised, newest first',
    access,
    params,
    query: waterAlertQuery,
    answers: { 200: { schema: waterAlerts } },
    handle: async ({ params: { pond_id }, query, language }) => ({
      answer: await alertsAnswer(deps, pond_id, query, language),
    }),
  });
}

function trendRoute(deps: ReadWaterDeps): Route {
  return route({
    method: 'GET',
    path: '/water-quality/trend/{pond_id}/{parameter}',
    tag,
    summary: 'Where a parameter is going, per day of the farm’s zone, and what to do about it',
    access,
    params: params.extend({
      parameter: z
        .string()
        .trim()
        .toLowerCase()
        .meta({ override: { type: 'string', enum: [...WATER_FIELDS] } }),
    }),
    query: trendQuery,
    answers: { 200: { schema: waterTrend } },
    async handle(request) {
      const { parameter } = request.params;
      if (!isWaterField(parameter))
        throw invalidField(422, 'parameter', `must be one of ${WATER_FIELDS.join(', ')}`);
      const pond = await visiblePond(deps, request.params.pond_id);
      const asked = { parameter, ...request.query };
      return { answer: { status: 200, body: await waterTrendOf(deps, pond, asked, request.language) } };
    },
  });
}

/** Paths of the release notes: of one pond, or of every pond of the caller. */
function aliasRoutes(deps: ReadWaterDeps): Route[] {
  const common = {
    method: 'GET',
    tag,
    access: { ...ofPond, at: 'query', optional: true },
    deprecated: true,
  } as const;
  const pond_id = idOrNumber.optional().describe('Without it: every pond of the caller');
  return [
    route({
      ...common,
      path: '/water-quality/latest',
      summary: 'The newest measurement of a pond, or of every pond of the caller',
      query: z.object({ pond_id }),
      answers: { 200: { schema: z.union([latestWater, z.array(latestWater)]) } },
      async handle(request) {
        const { pond_id: pondId } = request.query;
        if (pondId !== undefined) return { answer: await latestAnswer(deps, pondId, request.language) };
        const ponds = await deps.queries.pondsOf(signedIn(request).userId);
        return { answer: { status: 200, body: await latestWaterOf(deps, ponds, request.language) } };
      },
    }),
    route({
      ...common,
      path: '/water-quality/alerts',
      summary: 'Alerts of the water of a pond, or of every pond of the caller',
      query: waterAlertQuery.extend({ pond_id }),
      answers: { 200: { schema: z.union([waterAlerts, z.array(waterAlerts)]) } },
      async handle(request) {
        const { pond_id: pondId, ...query } = request.query;
        if (pondId !== undefined)
          return { answer: await alertsAnswer(deps, pondId, query, request.language) };
        const ponds = await deps.queries.pondsOf(signedIn(request).userId);
        return { answer: { status: 200, rows: alertsOfPonds(deps, ponds, query, request.language) } };
      },
    }),
  ];
}

async function visiblePond(deps: ReadWaterDeps, ref: string): Promise<PondName> {
  const pond = await deps.queries.pondName(ref);
  if (pond === null) throw notFound('Pond');
  return pond;
}

async function latestAnswer(deps: ReadWaterDeps, ref: string, language: Language): Promise<Answer> {
  const [body] = await latestWaterOf(deps, [await visiblePond(deps, ref)], language);
  if (body === undefined) {
    throw new AppError(404, 'This pond has no measurement yet; record one first', { code: 'NO_MEASUREMENT' });
  }
  return { status: 200, body };
}

async function alertsAnswer(
  deps: ReadWaterDeps,
  ref: string,
  query: AlertQuery,
  language: Language,
): Promise<Answer> {
  const pond = await visiblePond(deps, ref);
  const water = await waterToTell(deps, pond);
  const scope = scopeOf(pond, query);
  const summary = summaryOf(await deps.queries.countAlerts(scope));
  const answer = await journalAnswer(query, {
    count: async () => summary.total_alerts,
    rows: (page) =>
      mapped(deps.queries.alertsOf(scope, page), (row) => waterAlertOf(row, { water, language })),
  });
  return { ...answer, inside: { field: 'alerts', rest: { pond_id: pond.id, pond_cod: pond.cod, summary } } };
}

async function* alertsOfPonds(
  deps: ReadWaterDeps,
  ponds: readonly PondName[],
  query: AlertQuery,
  language: Language,
): AsyncIterable<WaterAlerts> {
  const { skip, limit = JOURNAL_ROWS } = query;
  for (const pond of ponds) {
    const scope = scopeOf(pond, query);
    const summary = summaryOf(await deps.queries.countAlerts(scope));
    const page = { skip, limit: Math.min(limit, JOURNAL_ROWS) };
    const water = await waterToTell(deps, pond);
    const alerts: WaterAlert[] = [];
    for await (const row of deps.queries.alertsOf(scope, page))
      alerts.push(waterAlertOf(row, { water, language }));
    yield { pond_id: pond.id, pond_cod: pond.cod, alerts, summary };
  }
}

/** The farm's figures, with whether anything lives in the pond that they are told of. */
async function waterToTell(
  deps: Pick<ReadLatestDeps, 'scienceOf' | 'queries'>,
  pond: PondName,
): Promise<Water & { isPondEmpty: boolean }> {
  const { water } = await deps.scienceOf(pond.farm_id);
  return { ...water, isPondEmpty: await deps.queries.isPondEmpty(pond.id) };
}

function scopeOf(pond: PondName, query: AlertQuery): AlertScope {
  const status = query.resolved === undefined ? null : query.resolved ? 'RESOLVED' : 'ACTIVE';
  return { pondId: pond.id, span: spanOf(query, pond.timezone), status };
}

function summaryOf(counts: AlertCounts): WaterAlerts['summary'] {
  const total = (fits: (row: AlertCounts[number]) => boolean) =>
    counts.filter(fits).reduce((sum, { count }) => sum + count, 0);
  return {
    total_alerts: total(() => true),
    unresolved: total(({ status }) => status === 'ACTIVE'),
    high_severity: total(({ severity }) => severity === 'HIGH'),
    medium_severity: total(({ severity }) => severity === 'MEDIUM'),
    low_severity: total(({ severity }) => severity === 'LOW'),
  };
}

async function* mapped<From, To>(
  rows: AsyncIterable<From>,
  to: (row: From) => To | Promise<To>,
): AsyncIterable<To> {
  for await (const row of rows) yield await to(row);
}

/**
 * Per pond its newest measurement; ponds that were never measured are left out. The status is that of the values and of
 * what is still open: a reading of pH alone does not make low oxygen normal.
 */
async function latestWaterOf(
  deps: ReadLatestDeps,
  ponds: readonly PondName[],
  language: Language,
): Promise<LatestWater[]> {
  const ids = ponds.map(({ id }) => id);
  const [latest, alerts] = await Promise.all([
    deps.queries.latestReadings(ids),
    deps.queries.activeAlerts(ids),
  ]);
  const answers: LatestWater[] = [];
  for (const pond of ponds) {
    const row = latest.get(pond.id);
    if (row === undefined) continue;
    const open = alerts.get(pond.id) ?? [];
    const water =
      open.length === 0 ? (await deps.scienceOf(pond.farm_id)).water : await waterToTell(deps, pond);
    const own = judged(water, row, await salinityFor(deps.queries, row)).violations;
    answers.push({
      ...(await answerMeasurement(deps, pond.farm_id, row)),
      pond_cod: pond.cod,
      time_since_measurement: timeSince(row.measurement_date, deps.now(), language),
      status: waterStatus([...own, ...open]),
      alerts: open.map((alert) => waterAlertOf(alert, { water, language })),
    });
  }
  return answers;
}

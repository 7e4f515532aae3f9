import * as z from 'zod';
import { MOST_CRITICAL_SHELF_MINUTES, priorityOf } from '#contract/alert-priority.ts';
import { idInput } from '#contract/fields.ts';
import {
  type AlertAnswer,
  alertAcknowledge,
  alertAnswer,
  alertCreate,
  alertQuery,
  alertShelve,
  alertSilence,
} from '#contract/resources/alerts.ts';
import { REFERENCE_ALERT_TYPES } from '#contract/words.ts';
import { journalAnswer } from '#core/audit.ts';
import { invalidField, notFound } from '#core/errors.ts';
import { onFarm, requireMatch, signedIn } from '#core/request-checks.ts';
import { type Request, type Route, type RouteDecision, route } from '#core/route.ts';
import { alertAdvice } from '#science/advice/alert-advice.ts';
import type { Language } from '#science/advice/language.ts';
import type { AlertRow } from './alerting.ts';
import {
  acknowledged,
  type ChangeAlertDeps,
  createAlert,
  markAlert,
  resolveAlert,
  shelved,
  silenced,
  UNDONE,
} from './change-alert.ts';
import type { Alert, AlertFilter, FarmWater } from './ports.ts';

const tag = 'Alerts';
const params = z.object({ alert_id: idInput });
const access = {
  who: 'farm',
  right: 'operate',
  of: 'alert',
  at: 'params',
  field: 'alert_id',
  others: 403,
} as const;
/** Who is on it says so at the pond; who keeps an alarm from others, or ends it, looks after the farm's alarms. */
const rightTo = (mark: 'acknowledge' | 'silence' | 'shelve') =>
  mark === 'acknowledge' ? ({ ...access, right: 'attend' } as const) : access;

export type AlertRouteDeps = ChangeAlertDeps & {
  scienceOf: (farmId: string) => Promise<{ water: FarmWater }>;
};

export function alertRoutes(deps: AlertRouteDeps): Route[] {
  return [listRoute(deps), createRoute(deps), resolveRoute(deps), ...markRoutes(deps), ...undoRoutes(deps)];
}

function listRoute(deps: AlertRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/alerts/',
    tag,
    summary: 'Active alerts of the caller’s control points, one per episode, newest first',
    access: { who: 'account' },
    query: alertQuery,
    answers: { 200: { schema: alertAnswer, list: true } },
    async handle(request) {
      const { userId } = signedIn(request);
      const filter = filterOf(request.query);
      return {
        answer: await journalAnswer(request.query, {
          count: () => deps.queries.countAlerts(userId, filter),
          rows: (page) => answersOf(deps, deps.queries.alertsOf(userId, filter, page), request.language),
        }),
      };
    },
  });
}

function filterOf({
  status,
  type,
  include,
  farm_id,
  pond_id,
  control_point_id,
}: z.infer<typeof alertQuery>): AlertFilter {
  const isReference = REFERENCE_ALERT_TYPES.some((word) => word === type);
  const isAll = include === 'all';
  return {
    status,
    types: type !== undefined ? [type] : isAll ? null : REFERENCE_ALERT_TYPES,
    farmId: farm_id ?? null,
    pondId: pond_id ?? null,
    controlPointId: control_point_id ?? null,
    // who names a type beyond the reference wants it, wherever it hangs
    isOfControlPoint: !isAll && (type === undefined || isReference),
  };
}

function createRoute(deps: AlertRouteDeps): Route {
  return route({
    method: 'POST',
    path: '/alerts/{control_point_id}/alerts',
    tag,
    summary: 'Raise an alert on a control point',
    access: { ...access, of: 'control_point', field: 'control_point_id' },
    params: z.object({ control_point_id: idInput }),
    body: alertCreate,
    answers: { 201: { schema: alertAnswer } },
    idempotent: true,
    async handle(request) {
      const place = { controlPointId: request.params.control_point_id, farm: onFarm(request) };
      const { water } = await deps.scienceOf(onFarm(request).farmId);
      const made = await createAlert(deps, signedIn(request), place, request.body);
      return {
        ...made,
        answer: {
          status: 201,
          body: toAnswer(made.answer, NOBODY, { language: request.language, water }),
          rev: 1,
        },
      };
    },
  });
}

function resolveRoute(deps: AlertRouteDeps): Route {
  return route({
    method: 'PUT',
    path: '/alerts/{alert_id}/resolve',
    tag,
    summary: 'Resolve an alert and its episode',
    access,
    params,
    answers: { 200: { schema: alertAnswer } },
    async handle(request) {
      const current = await visibleAlert(deps, request);
      const done = await resolveAlert(deps, signedIn(request), current);
      return answered(deps, done, request.language);
    },
  });
}

function markRoutes(deps: AlertRouteDeps): Route[] {
  const common = { method: 'POST', tag, access, params, answers: { 200: { schema: alertAnswer } } } as const;
  return [
    route({
      ...common,
      access: rightTo('acknowledge'),
      path: '/alerts/{alert_id}/acknowledge',
      summary: 'Say that somebody is on it, for all alerts of its episode; they stay what they are',
      body: alertAcknowledge,
      async handle(request) {
        const current = await visibleAlert(deps, request);
        const caller = signedIn(request);
        return answered(
          deps,
          await markAlert(deps, caller, current, acknowledged(deps, caller, request.body)),
          request.language,
        );
      },
    }),
    route({
      ...common,
      path: '/alerts/{alert_id}/silence',
      summary: 'No notifications of this episode for up to a day',
      body: alertSilence,
      async handle(request) {
        const current = await visibleAlert(deps, request);
        const caller = signedIn(request);
        return answered(
          deps,
          await markAlert(deps, caller, current, silenced(deps, caller, request.body)),
          request.language,
        );
      },
    }),
    route({
      ...common,
      path: '/alerts/{alert_id}/shelve',
      summary:
        'No notifications of this alarm, in this and later episodes, until it gets worse: for up to a week, a critical one for 30 minutes',
      body: alertShelve,
      async handle(request) {
        const current = await visibleAlert(deps, request);
        const caller = signedIn(request);
        requireShort(current, request.body.minutes);
        return answered(
          deps,
          await markAlert(deps, caller, current, shelved(deps, caller, request.body)),
          request.language,
        );
      },
    }),
  ];
}

function requireShort(current: Alert, minutes: number): void {
  if (priorityOf(current) !== 1 || minutes <= MOST_CRITICAL_SHELF_MINUTES) return;
  throw invalidField(
    422,
    'minutes',
    `a critical alarm can be put off for at most ${MOST_CRITICAL_SHELF_MINUTES}`,
    'TOO_LONG',
  );
}

function undoRoutes(deps: AlertRouteDeps): Route[] {
  const summaries = {
    acknowledge: 'Take an acknowledgement back',
    silence: 'End a silence',
    shelve: 'Take an alarm off the shelf',
  } as const;
  return (['acknowledge', 'silence', 'shelve'] as const).map((mark) =>
    route({
      method: 'DELETE',
      path: `/alerts/{alert_id}/${mark}`,
      tag,
      summary: summaries[mark],
      access: rightTo(mark),
      params,
      answers: { 204: null },
      async handle(request) {
        const current = await visibleAlert(deps, request);
        const done = await markAlert(deps, signedIn(request), current, UNDONE[mark]);
        return { ...done, answer: { status: 204 } };
      },
    }),
  );
}

async function visibleAlert(
  deps: AlertRouteDeps,
  request: Request<{ alert_id: string }, unknown, unknown>,
): Promise<Alert> {
  const current = await deps.queries.alertById(request.params.alert_id);
  if (current === null) throw notFound('Alert');
  requireMatch(request, current);
  return current;
}

async function answered(
  deps: Pick<AlertRouteDeps, 'queries' | 'scienceOf'>,
  decision: Awaited<ReturnType<typeof markAlert>>,
  language: Language,
): Promise<RouteDecision> {
  const { answer } = decision;
  const names = await deps.queries.peopleNames(answer.farm_id, actorsOf(answer));
  const water = await waterOf(deps, answer, (await deps.scienceOf(answer.farm_id)).water);
  const body = toAnswer(answer, names, { language, water });
  return { ...decision, answer: { status: 200, body, rev: answer.rev } };
}

/** People by their id. */
type Names = ReadonlyMap<string, string>;
const NOBODY: Names = new Map();

const actorsOf = ({ acknowledged_by, silenced_by, shelved_by }: AlertRow): string[] =>
  [acknowledged_by, silenced_by, shelved_by].flatMap((id) => (id === null ? [] : [id]));

/** By the limits of the farm it is on. */
type Told = { language: Language; water: FarmWater };

function toAnswer(row: AlertRow, names: Names, { language, water }: Told): AlertAnswer {
  return {
    id: row.id,
    control_point_id: row.control_point_id,
    type: row.type,
    message: row.message,
    status: row.status,
    triggered_at: row.triggered_at,
    resolved_at: row.resolved_at,
    resolved_by: row.resolved_by,
    farm_id: row.farm_id,
    pond_id: row.pond_id,
    severity: row.severity,
    parameter: row.parameter,
    value: row.value,
    threshold: row.threshold,
    episode_id: row.episode_id,
    acknowledged_at: row.acknowledged_at,
    acknowledged_by: row.acknowledged_by,
    acknowledged_by_name: names.get(row.acknowledged_by ?? '') ?? null,
    acknowledge_note: row.acknowledge_note,
    silenced_until: row.silenced_until,
    silenced_by: row.silenced_by,
    silenced_by_name: names.get(row.silenced_by ?? '') ?? null,
    silence_reason: row.silence_reason,
    shelved_until: row.shelved_until,
    shelved_by: row.shelved_by,
    shelved_by_name: names.get(row.shelved_by ?? '') ?? null,
    shelve_reason: row.shelve_reason,
    source: row.source,
    clock_quality: row.clock_quality,
    created_at: row.created_at,
    updated_at: row.updated_at,
    advice: alertAdvice(row, language, water),
  };
}

/** The figures of the farm, and whether anything lives in the pond of the alert. */
async function waterOf(
  deps: Pick<AlertRouteDeps, 'queries'>,
  { pond_id }: Pick<AlertRow, 'pond_id'>,
  water: FarmWater,
): Promise<FarmWater> {
  return pond_id === null ? water : { ...water, isPondEmpty: await deps.queries.isPondEmpty(pond_id) };
}

async function* answersOf(
  deps: Pick<AlertRouteDeps, 'queries' | 'scienceOf'>,
  alerts: AsyncIterable<Alert>,
  language: Language,
): AsyncIterable<AlertAnswer> {
  // a long list names few people on few farms, each asked for once on each farm
  const farms = new Map<string, { names: Map<string, string>; asked: Set<string>; water: FarmWater }>();
  const ponds = new Map<string | null, FarmWater>();
  for await (const row of alerts) {
    const known = farms.get(row.farm_id) ?? {
      names: new Map<string, string>(),
      asked: new Set<string>(),
      water: (await deps.scienceOf(row.farm_id)).water,
    };
    farms.set(row.farm_id, known);
    const { names, asked, water } = known;
    const unknown = actorsOf(row).filter((id) => !asked.has(id));
    for (const id of unknown) asked.add(id);
    for (const [id, name] of await deps.queries.peopleNames(row.farm_id, unknown)) names.set(id, name);
    const there = ponds.get(row.pond_id) ?? (await waterOf(deps, row, water));
    if (row.pond_id !== null) ponds.set(row.pond_id, there);
    yield toAnswer(row, names, { language, water: there });
  }
}

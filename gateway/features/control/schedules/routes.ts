import * as z from 'zod';
import { idInput, pageQuery } from '#contract/fields.ts';
import {
  type ScheduleAnswer,
  savedScheduleAnswer,
  scheduleAnswer,
  scheduleChange,
  scheduleCreate,
} from '#contract/resources/schedules.ts';
import { registerAnswer } from '#core/audit.ts';
import { notFound } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { onFarm, requireMatch, signedIn } from '#core/request-checks.ts';
import { type Request, type Route, type RouteDecision, route } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { ControlView, Schedule } from '../control-view.ts';
import { ruleOf } from './control-facts.ts';
import {
  changeSchedule,
  createSchedule,
  deleteSchedule,
  type SavedSchedule,
  type ScheduleDeps,
} from './save-schedule.ts';
import { nextEventAfter } from './schedule-events.ts';

export type ScheduleRouteDeps = ScheduleDeps & {
  scheduleById: (id: string) => Promise<Schedule | null>;
  schedulesOfFarm: (
    farmId: string,
    page: { skip: number; limit: number },
  ) => Promise<{ rows: readonly Schedule[]; total: number; zone: string }>;
};

/** More than the calendar of any farm; who has more asks page by page. */
const MOST_OF_FARM = 10_000;

const pointParams = z.object({ control_point_id: idInput });
const scheduleParams = z.object({ schedule_id: idInput });
const atPoint = {
  who: 'farm',
  of: 'control_point',
  at: 'params',
  field: 'control_point_id',
  others: 404,
} as const;
const atSchedule = { who: 'farm', of: 'schedule', at: 'params', field: 'schedule_id', others: 404 } as const;
const tag = 'Schedules';

export function scheduleRoutes(deps: ScheduleRouteDeps): Route[] {
  async function viewOf(controlPointId: string): Promise<ControlView> {
    const view = await deps.freshView(controlPointId);
    if (view === null) throw notFound('Control point');
    return view;
  }
  async function known(id: string): Promise<Schedule> {
    const row = await deps.scheduleById(id);
    if (row === null) throw notFound('Schedule');
    return row;
  }
  async function asAnswer(decision: Decision<SavedSchedule>, status: number): Promise<RouteDecision> {
    const { row, ...effect } = decision.answer;
    const { zone } = await viewOf(row.control_point_id);
    return {
      ...decision,
      answer: { status, body: { ...toAnswer(deps, row, zone), ...effect }, rev: row.rev },
    };
  }
  return [
    route({
      method: 'POST',
      path: '/control-points/{control_point_id}/schedules',
      tag,
      summary: 'Create a schedule, or change the one with the same action, pattern and start',
      access: { ...atPoint, right: 'operate' },
      params: pointParams,
      body: scheduleCreate,
      answers: { 201: { schema: savedScheduleAnswer } },
      idempotent: true,
      async handle(request) {
        const where = { controlPointId: request.params.control_point_id, ...byOf(request) };
        return asAnswer(await createSchedule(deps, where, request.body, request.rawBody), 201);
      },
    }),
    route({
      method: 'GET',
      path: '/control-points/{control_point_id}/schedules',
      tag,
      summary: 'Schedules of a control point',
      access: { ...atPoint, right: 'read' },
      params: pointParams,
      query: pageQuery,
      answers: { 200: { schema: scheduleAnswer, list: true } },
      async handle(request) {
        const view = await viewOf(request.params.control_point_id);
        const sorted = [...view.schedules].sort((a, b) =>
          `${a.created_at} ${a.id}`.localeCompare(`${b.created_at} ${b.id}`, 'en'),
        );
        const rows = sorted.map((row) => toAnswer(deps, row, view.zone));
        return { answer: registerAnswer(request.query, rows) };
      },
    }),
    route({
      method: 'GET',
      path: '/schedules/',
      tag,
      summary: 'Schedules of all control points of a farm, one control point after the other',
      access: { who: 'farm', right: 'read', of: 'farm', at: 'query', field: 'farm_id', others: 404 },
      query: pageQuery.extend({ farm_id: idInput }),
      answers: { 200: { schema: scheduleAnswer, list: true } },
      async handle(request) {
        const { skip, limit = MOST_OF_FARM } = request.query;
        const found = await deps.schedulesOfFarm(onFarm(request).farmId, { skip, limit });
        const rows = found.rows.map((row) => toAnswer(deps, row, found.zone));
        return { answer: { status: 200, rows, total: found.total } };
      },
    }),
    route({
      method: 'PATCH',
      path: '/schedules/{schedule_id}',
      tag,
      summary: 'Change a schedule; what it turns ON goes ON at once, OFF waits for the next event',
      access: { ...atSchedule, right: 'operate' },
      params: scheduleParams,
      body: scheduleChange,
      answers: { 200: { schema: savedScheduleAnswer } },
      async handle(request) {
        const schedule = await known(request.params.schedule_id);
        requireMatch(request, schedule);
        const which = { schedule, ...byOf(request) };
        return asAnswer(await changeSchedule(deps, which, request.body, request.rawBody), 200);
      },
    }),
    route({
      method: 'DELETE',
      path: '/schedules/{schedule_id}',
      tag,
      summary:
        'Delete a schedule; what the others turn ON goes ON at once, what runs goes on until the next event',
      access: { ...atSchedule, right: 'operate' },
      params: scheduleParams,
      answers: { 204: null },
      async handle(request) {
        const schedule = await known(request.params.schedule_id);
        const gone = await deleteSchedule(deps, { schedule, ...byOf(request) });
        return { ...gone, answer: { status: 204 } };
      },
    }),
  ];
}

const byOf = (request: Pick<Request<unknown, unknown, unknown>, 'caller' | 'language'>) => ({
  userId: signedIn(request).userId,
  language: request.language,
});

function toAnswer(deps: { now: () => number }, row: Schedule, zone: string): ScheduleAnswer {
  const next = row.is_active ? nextEventAfter(ruleOf(row), zone, deps.now()) : null;
  return scheduleAnswer.parse({ ...row, next_event_at: next === null ? null : isoOf(next.at) });
}

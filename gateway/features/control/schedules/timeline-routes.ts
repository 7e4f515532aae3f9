import * as z from 'zod';
import { flagInQuery, idInput, numberInQuery, wordOf } from '#contract/fields.ts';
import {
  farmTimelineSegment,
  MOST_HOLD_S,
  type TimelineSegment,
  timelineSegment,
} from '#contract/resources/control-points.ts';
import { SWITCH_STATES } from '#contract/words.ts';
import { notFound } from '#core/errors.ts';
import { onFarm } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import type { ControlView, ControlViews } from '../control-view.ts';
import type { ControlPlans } from './control-plan.ts';

export type TimelineRouteDeps = Pick<ControlPlans, 'timelineOf'> & {
  freshView: (controlPointId: string) => Promise<ControlView | null>;
  views: Pick<ControlViews, 'ofFarm'>;
};

const MOST_HOURS = 192;
/** Segments of one answer; those of a farm share them evenly. */
const MOST_SEGMENTS = 2_000;

const timelineQuery = z.object({
  hours: numberInQuery(z.number().int().min(1).max(MOST_HOURS))
    .default(48)
    .describe('How far ahead, from now on'),
});
/** One who is about to order asks what would come of it. */
const pointQuery = timelineQuery.extend({
  order: wordOf(SWITCH_STATES).optional().describe('As if a person ordered this now'),
  for_s: numberInQuery(z.number().int().min(1).max(MOST_HOLD_S)).optional().describe('… for so many seconds'),
  force: flagInQuery.optional().describe('… from afar, before what was ordered on the farm'),
});
const tag = 'Schedules';

/** What control points will do if nothing new comes, for calendars that people look at. */
export function timelineRoutes(deps: TimelineRouteDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/control-points/{control_point_id}/timeline',
      tag,
      summary: 'What the control point will do, by schedules, orders, lock-out and oxygen as known now',
      access: {
        who: 'farm',
        of: 'control_point',
        at: 'params',
        field: 'control_point_id',
        right: 'read',
        others: 404,
      },
      params: z.object({ control_point_id: idInput }),
      query: pointQuery,
      answers: { 200: { schema: timelineSegment, list: true } },
      async handle(request) {
        const { hours, order: target, for_s: forS = null, force: isForced = false } = request.query;
        const view = await deps.freshView(request.params.control_point_id);
        if (view === null) throw notFound('Control point');
        const asked = target === undefined ? null : { target, forS, isForced };
        return {
          answer: { status: 200, rows: deps.timelineOf(view, { hours, most: MOST_SEGMENTS }, asked) },
        };
      },
    }),
    route({
      method: 'GET',
      path: '/farms/{farm_id}/timeline',
      tag,
      summary: 'What all control points of a farm will do, one after the other',
      access: { who: 'farm', of: 'farm', at: 'params', field: 'farm_id', right: 'read', others: 404 },
      params: z.object({ farm_id: idInput }),
      query: timelineQuery,
      answers: { 200: { schema: farmTimelineSegment, list: true } },
      async handle(request) {
        const { farmId } = onFarm(request);
        const views = deps.views.ofFarm(farmId);
        const most = Math.max(1, Math.floor(MOST_SEGMENTS / views.length));
        const span = { hours: request.query.hours, most };
        return { answer: { status: 200, rows: ofFarm(deps, views, span) } };
      },
    }),
  ];
}

function* ofFarm(
  deps: Pick<ControlPlans, 'timelineOf'>,
  views: readonly ControlView[],
  span: { hours: number; most: number },
): Iterable<TimelineSegment & { control_point_id: string }> {
  for (const view of views) {
    for (const segment of deps.timelineOf(view, span)) yield { control_point_id: view.row.id, ...segment };
  }
}

import * as z from 'zod';
import { idInput, pageQuery } from '#contract/fields.ts';
import {
  type LogAnswer,
  logAnswer,
  type RecordLogAnswer,
  recordLogAnswer,
} from '#contract/resources/logs.ts';
import { mayOnFarm } from '#contract/rights.ts';
import { journalAnswer } from '#core/audit.ts';
import { withoutAmounts } from '#core/correct-record.ts';
import { onFarm } from '#core/request-checks.ts';
import { type FarmAccess, type Route, route } from '#core/route.ts';
import type { LogEntry, LogQueries, LogScope } from './ports.ts';

const tag = 'Logs';
type Page = { skip: number; limit: number };

export function logRoutes(deps: { queries: LogQueries }): Route[] {
  const journalOf = (scope: LogScope, { role }: FarmAccess) => ({
    count: () => deps.queries.countLogs(scope),
    rows: (page: Page) =>
      answersOf(deps.queries.logsOf(scope, page), mayOnFarm(role, 'read_finance') ? 'all' : 'no amounts'),
  });
  const namedOf = (scope: LogScope, access: FarmAccess) => {
    const journal = journalOf(scope, access);
    const nameOf = (id: string) => deps.queries.userName(access.farmId, id);
    return { ...journal, rows: (page: Page) => withNames(nameOf, journal.rows(page)) };
  };
  return [
    route({
      method: 'GET',
      path: '/logs/farm/{farm_id}/control-points',
      tag,
      summary: 'What happened to the control points of a farm, newest first',
      access: { who: 'farm', right: 'read', of: 'farm', at: 'params', field: 'farm_id', others: 403 },
      params: z.object({ farm_id: idInput }),
      query: pageQuery.extend({
        include: z.literal('all').optional().describe('all: also aerators, probes and the system'),
      }),
      answers: { 200: { schema: logAnswer, list: true } },
      async handle(request) {
        const of = request.query.include === 'all' ? 'farm' : 'control points';
        const scope: LogScope = { of, farmId: onFarm(request).farmId };
        return { answer: await journalAnswer(request.query, journalOf(scope, onFarm(request))) };
      },
    }),
    route({
      method: 'GET',
      path: '/logs/control-points/{control_point_id}',
      tag,
      summary: 'What happened to a control point, newest first',
      access: {
        who: 'farm',
        right: 'read',
        of: 'control_point',
        at: 'params',
        field: 'control_point_id',
        others: 403,
      },
      params: z.object({ control_point_id: idInput }),
      query: pageQuery,
      answers: { 200: { schema: logAnswer, list: true } },
      async handle(request) {
        const scope: LogScope = {
          of: 'entity',
          farmId: onFarm(request).farmId,
          entityId: request.params.control_point_id,
        };
        return { answer: await journalAnswer(request.query, journalOf(scope, onFarm(request))) };
      },
    }),
    route({
      method: 'GET',
      path: '/logs/ponds/{pond_id}',
      tag,
      summary:
        'What happened to a pond, newest first: its aerators and control point, alerts, batches and their records; a corrected measurement tells of that itself',
      access: { who: 'farm', right: 'read', of: 'pond', at: 'params', field: 'pond_id', others: 404 },
      params: z.object({ pond_id: idInput }),
      query: pageQuery,
      answers: { 200: { schema: recordLogAnswer, list: true } },
      async handle(request) {
        const scope: LogScope = {
          of: 'pond',
          farmId: onFarm(request).farmId,
          pondId: request.params.pond_id,
        };
        return { answer: await journalAnswer(request.query, namedOf(scope, onFarm(request))) };
      },
    }),
    route({
      method: 'GET',
      path: '/logs/farms/{farm_id}',
      tag,
      summary: 'What was changed of a farm itself, newest first: its settings, roles of people, its owner',
      access: { who: 'farm', right: 'read', of: 'farm', at: 'params', field: 'farm_id', others: 404 },
      params: z.object({ farm_id: idInput }),
      query: pageQuery,
      answers: { 200: { schema: recordLogAnswer, list: true } },
      async handle(request) {
        const { farmId } = onFarm(request);
        const scope: LogScope = { of: 'entity', farmId, entityId: farmId };
        return { answer: await journalAnswer(request.query, namedOf(scope, onFarm(request))) };
      },
    }),
    route({
      method: 'GET',
      path: '/logs/measurements/{measurement_id}',
      tag,
      summary: 'Who corrected a measurement and when, with what it said before and after; newest first',
      access: {
        who: 'farm',
        right: 'read',
        of: 'measurement',
        at: 'params',
        field: 'measurement_id',
        others: 404,
      },
      params: z.object({ measurement_id: idInput }),
      query: pageQuery,
      answers: { 200: { schema: recordLogAnswer, list: true } },
      async handle(request) {
        const scope: LogScope = {
          of: 'entity',
          farmId: onFarm(request).farmId,
          entityId: request.params.measurement_id,
        };
        return { answer: await journalAnswer(request.query, namedOf(scope, onFarm(request))) };
      },
    }),
  ];
}

async function* withNames(
  nameOf: (userId: string) => Promise<string | null>,
  entries: AsyncIterable<LogAnswer>,
): AsyncIterable<RecordLogAnswer> {
  const names = new Map<string, string | null>();
  for await (const entry of entries) {
    const id = entry.user_id;
    if (id !== null && !names.has(id)) names.set(id, await nameOf(id));
    yield { ...entry, user_name: id === null ? null : (names.get(id) ?? null) };
  }
}

/** Who may not read the farm's finance reads that an expense was corrected, but not its amounts. */
async function* answersOf(
  entries: AsyncIterable<LogEntry>,
  details: 'all' | 'no amounts',
): AsyncIterable<LogAnswer> {
  for await (const entry of entries) {
    yield {
      id: entry.id,
      entity_type: entry.entity_type,
      entity_id: entry.entity_id,
      entity_name: entry.entity_name,
      action: entry.action,
      user_id: entry.user_id,
      timestamp: entry.timestamp,
      origin: entry.origin,
      details: details === 'no amounts' ? withoutAmounts(entry.details) : entry.details,
      clock_quality: entry.clock_quality,
    };
  }
}

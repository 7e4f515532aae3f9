import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import { lotTrace, recallAnswer, recallQuery } from '#contract/resources/lot-trace.ts';
import { onFarm } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import { recall } from './recall.ts';
import { atLot, lotParams, requireLot, tag } from './routes.ts';
import { traceLot } from './trace-lot.ts';
import type { TraceDeps } from './trace-ports.ts';

/** From the hatchery to a lot, and from a lot of feed or a product to the lots that had it. */
export function traceRoutes(deps: TraceDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/harvest-lots/{lot_id}/trace',
      tag,
      summary: 'All that is on record of a lot, from the hatchery on',
      access: { ...atLot, right: 'read' },
      params: lotParams,
      answers: { 200: { schema: lotTrace } },
      async handle(request) {
        const lot = await requireLot(deps, request.params.lot_id);
        return { answer: { status: 200, body: await traceLot(deps, lot, onFarm(request)) } };
      },
    }),
    route({
      method: 'GET',
      path: '/farms/{farm_id}/trace',
      tag,
      summary: 'Batches and harvest lots that had a lot of feed, or a product',
      access: { who: 'farm', at: 'params', of: 'farm', field: 'farm_id', right: 'read', others: 404 },
      params: z.object({ farm_id: idInput }),
      query: recallQuery,
      answers: { 200: { schema: recallAnswer } },
      handle: async ({ params, query }) => ({
        answer: { status: 200, body: await recall(deps, params.farm_id, query) },
      }),
    }),
  ];
}

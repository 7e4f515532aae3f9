import type { Request, RequestHandler, Response } from 'express';
import * as z from 'zod';
import { invalidField } from '#core/errors.ts';
import { notAuthenticated } from '#core/request-checks.ts';
import { markProved } from '#core/unproved-connections.ts';
import type { EventHub } from './event-hub.ts';
import type { EventTickets } from './event-tickets.ts';
import type { EventSink } from './viewer-stream.ts';

export type EventStreamDeps = { hub: Pick<EventHub, 'open'>; tickets: Pick<EventTickets, 'redeem'> };

export const eventStreamQuery = z.object({
  farm_id: z.uuid().optional().describe('Only this farm; default: every farm of the caller'),
  ticket: z.string().max(4_000).optional().describe('Instead of a token, from POST /events/ticket'),
});

/**
 * GET /events: server-sent events. Whatever Last-Event-ID says, a stream begins with a snapshot: it replaces what the
 * client knew, so nothing that happened while it was away can be missed.
 */
export function eventStream(deps: EventStreamDeps): RequestHandler {
  return async (request, response) => {
    const query = eventStreamQuery.safeParse(request.query);
    if (!query.success) {
      const [issue] = query.error.issues;
      throw invalidField(422, issue?.path.join('.') ?? 'query', issue?.message ?? 'is not valid');
    }
    const bearer = bearerOf(request) ?? (await redeemed(deps, query.data.ticket));
    const sink = sinkOf(response);
    const stream = await deps.hub.open({ bearer, onlyFarm: query.data.farm_id ?? null }, sink);
    markProved(request.socket);
    if (response.destroyed) stream.abandon();
    else response.once('close', stream.abandon);
  };
}

function bearerOf(request: Request): string | null {
  return /^Bearer +([^\s]+)\s*$/i.exec(request.headers.authorization ?? '')?.[1] ?? null;
}

async function redeemed(deps: EventStreamDeps, ticket: string | undefined): Promise<string> {
  if (ticket === undefined) throw notAuthenticated();
  return deps.tickets.redeem(ticket);
}

function sinkOf(response: Response): EventSink {
  return {
    write(text) {
      if (response.destroyed || response.writableEnded) return;
      if (!response.headersSent) {
        response.writeHead(200, {
          'Content-Type': 'text/event-stream; charset=utf-8',
          // proxies may neither hold events back nor change them
          'Cache-Control': 'no-store, no-transform',
          'X-Accel-Buffering': 'no',
        });
        response.write('retry: 3000\n\n');
      }
      response.write(text);
    },
    behindBytes: () => response.writableLength,
    end(how) {
      if (how === 'now') response.destroy();
      else response.end();
    },
  };
}

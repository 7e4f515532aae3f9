import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import * as z from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { eventTicket, STREAM_EVENTS } from '#contract/events/stream.ts';
import { errorBody } from '#contract/fields.ts';
import { revokedToken } from '#contract/resources/local-tables.ts';
import { markProved } from '#core/bounded-connections.ts';
import { insertIfAbsent } from '#core/changes.ts';
import { AppError, invalidField } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { notAuthenticated } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import type { EventHub } from './event-hub.ts';
import type { EventSink } from './viewer-stream.ts';

type EventTicketDeps = Pick<Kernel, 'now' | 'newId' | 'commit'> & {
  /** The same on every process of the instance. */
  secret: string;
  /** The age of a ticket of this process is measured on it: a step of the clock moves no ticket. */
  monotonic: () => number;
};

type EventTickets = {
  issue: (bearer: string) => { ticket: string; expires_at: string };
  /** The token a ticket was given for; throws 401 for one that is false, too old or used. */
  redeem: (ticket: string) => Promise<string>;
};

const LIFETIME_MS = 30_000;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const sealed = z.object({
  id: z.string(),
  bearer: z.string(),
  expires: z.number(),
  /** The run of a process that gave it, and until when on its monotonic clock. */
  run: z.string(),
  until: z.number(),
});
type Sealed = z.infer<typeof sealed>;

/**
 * A browser's EventSource cannot send a token in a header, and a token in an address ends up in logs. A ticket may:
 * it carries the token encrypted, lives 30 seconds and opens one stream. Any process of the instance can redeem it;
 * that it was used stands beside the logged-out tokens.
 */
export function createEventTickets(deps: EventTicketDeps): EventTickets {
  const key = createHash('sha256').update(`event tickets ${deps.secret}`).digest();
  const run = randomBytes(8).toString('hex');
  const isOver = (ticket: Sealed): boolean =>
    ticket.run === run ? deps.monotonic() >= ticket.until : deps.now() >= ticket.expires;
  return {
    issue(bearer) {
      const expires = deps.now() + LIFETIME_MS;
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const until = deps.monotonic() + LIFETIME_MS;
      const text = JSON.stringify({ id: deps.newId(), bearer, expires, run, until } satisfies Sealed);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      const ticket = Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
      return { ticket, expires_at: isoOf(expires) };
    },
    async redeem(ticket) {
      const opened = unseal(key, ticket);
      if (opened === null || isOver(opened)) throw uselessTicket();
      const used = { id: `ticket:${opened.id}`, expires_at: isoOf(opened.expires) };
      const { rows } = await deps.commit({ changes: [insertIfAbsent(revokedToken, used)], actor: null });
      if (rows.length === 0) throw uselessTicket();
      return opened.bearer;
    },
  };
}

function unseal(key: Buffer, ticket: string): Sealed | null {
  const bytes = Buffer.from(ticket, 'base64url');
  if (bytes.length <= IV_BYTES + TAG_BYTES) return null;
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    return sealed.parse(JSON.parse(text.toString('utf8')));
  } catch {
    // whatever is wrong with it, it is not a ticket of ours
    return null;
  }
}

function uselessTicket(): AppError {
  return new AppError(401, 'This ticket is unknown, used or older than 30 seconds; get a new one', {
    code: 'INVALID_TICKET',
  });
}

export function eventTicketRoutes(tickets: EventTickets): Route[] {
  return [
    route({
      method: 'POST',
      path: '/events/ticket',
      answersSecret: true,
      tag: 'Events',
      summary:
        'Get a ticket that opens one event stream within 30 seconds, for clients that cannot send headers',
      access: { who: 'account' },
      token: 'read',
      answers: { 201: { schema: eventTicket } },
      async handle({ bearer }) {
        if (bearer === null) throw new Error('a signed-in caller has a token');
        return { answer: { status: 201, body: tickets.issue(bearer) } };
      },
    }),
  ];
}

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
    markProved(request.socket, stream.caller.userId);
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

const ABOUT = `Server-sent events of the caller's farms (own ones and those the caller is a member of); who joins or leaves a farm sees so on the open stream.

The first event is always \`snapshot\`; it replaces whatever the client knew, and comes again when the caller's farms change. \`Last-Event-ID\` is accepted and not needed: a stream that is opened again starts with a fresh snapshot, so nothing is missed. A comment line comes every five seconds: a client that hears nothing for twelve has lost the line.

Rows come whole, with \`rev\`: the higher one is newer. \`presence\` is gathered for a second. \`changed\` says which answers to ask anew where no row tells of it: nobody need poll. Before the server ends a stream it says \`closed\` with the reason; a client that falls 256 KiB behind is cut off without a word. One user may have 20 streams open (429), one instance 500 (503).

Clients that cannot send headers open the stream with \`?ticket=\` from \`POST /events/ticket\`.

Data of each event, by its name:`;

const refused = (description: string) => ({
  description,
  content: { 'application/json': { schema: errorBody } },
});

export const eventStreamOperation: ZodOpenApiOperationObject = {
  operationId: 'get_events',
  summary: 'What happens on the farms of the caller, as it happens',
  description: [
    ABOUT,
    ...Object.entries(STREAM_EVENTS).map(([name, schema]) => describeEvent(name, schema)),
  ].join('\n\n'),
  tags: ['Events'],
  'x-right': 'account',
  security: [{ bearer: [] }, {}],
  requestParams: { query: eventStreamQuery },
  responses: {
    200: {
      description: 'The stream',
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    },
    401: refused('No token and no ticket, or one that does not hold'),
    404: refused('No such farm, or none the caller can see'),
    422: refused('A query parameter is not valid'),
    429: refused('The caller has too many streams open'),
    503: refused('The instance has too many streams open'),
  },
};

function describeEvent(name: string, schema: z.ZodType): string {
  const { $schema: _, ...shape } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
  return `\`${name}\`\n\n\`\`\`json\n${JSON.stringify(shape)}\n\`\`\``;
}

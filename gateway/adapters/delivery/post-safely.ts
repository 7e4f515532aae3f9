import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import type { Outcome } from '#features/alarms/delivery/ports.ts';
import { type AddressPolicy, ForbiddenAddress } from './address-policy.ts';

export type Answer = { status: number; retryAfter: string | undefined };
export type PostResult =
  | { answer: Answer }
  | { failure: Exclude<Outcome, { is: 'sent' | 'gone' | 'later' }> };

/** Posts to an address somebody typed. */
export type PostSafely = (request: {
  url: string;
  headers: Readonly<Record<string, string | number>>;
  body: Buffer;
}) => Promise<PostResult>;

const WITHIN_MS = 10_000;
/** Answers are thrown away: of one no more than this is read, and for no longer once its status has come. */
const MOST_READ = 64 * 1024;
const REST_WITHIN_MS = 1_000;
/** Connections that wait for the next message, all hosts together. A host at rest must not hold up another one. */
const MOST_IDLE = 64;

type Bounds = { withinMs: number; restWithinMs: number };

/**
 * A client for addresses that are not ours: they are checked after they were resolved and again at each connection,
 * redirects are not followed, answers are not kept, and ten seconds are enough. How many post at once is for the caller
 * to bound; here nobody waits for another.
 */
export function safePoster({
  policy,
  withinMs = WITHIN_MS,
  restWithinMs = REST_WITHIN_MS,
}: { policy: AddressPolicy } & Partial<Bounds>): { post: PostSafely; close: () => void } {
  const clients = { 'http:': clientFor(http, policy, 'http:'), 'https:': clientFor(https, policy, 'https:') };
  const state = { isClosed: false };
  return {
    async post({ url, headers, body }) {
      const refused = policy.refusalOf(url);
      if (refused !== null) return { failure: { is: 'refused', why: `the address ${refused}` } };
      const { request, kept, fresh } = clients[url.toLowerCase().startsWith('https:') ? 'https:' : 'http:'];
      const send = (agent: http.Agent) => {
        const options = { method: 'POST', agent, headers: { ...headers, 'Content-Length': body.length } };
        return exchange(request(new URL(url), options), body, { withinMs, restWithinMs });
      };
      try {
        const answer = await send(kept).catch((error: unknown) => {
          if (error instanceof ClosedMeanwhile && !state.isClosed) return send(fresh);
          throw error;
        });
        return { answer };
      } catch (error) {
        return { failure: failureOf(error) };
      }
    },
    close() {
      state.isClosed = true;
      for (const { kept, fresh } of Object.values(clients)) {
        kept.destroy();
        fresh.destroy();
      }
    },
  };
}

function clientFor(
  { Agent, request }: typeof http | typeof https,
  policy: AddressPolicy,
  protocol: 'http:' | 'https:',
) {
  const options = { timeout: WITHIN_MS, lookup: policy.lookupFor(protocol) };
  return {
    request,
    // one that is closed after each message costs more than the message
    kept: withFewIdle(new Agent({ ...options, keepAlive: true, maxFreeSockets: MOST_IDLE })),
    fresh: new Agent({ ...options, keepAlive: false }),
  };
}

/** Node counts a connection at rest against `maxTotalSockets` and closes none for another host: so they are bounded here. */
function withFewIdle(agent: http.Agent): http.Agent {
  // its types leave out what it answers
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => unknown;
  agent.keepSocketAlive = (socket) => idleOf(agent) < MOST_IDLE && keep(socket) === true;
  return agent;
}

const idleOf = ({ freeSockets }: http.Agent): number =>
  Object.values(freeSockets).reduce((sum, sockets = []) => sum + sockets.length, 0);

/** The sentence is for the owner of the channel. */
class NoAnswer extends Error {}

/** The connection had been kept, and the other side closed it just then: the message may well not have been read. */
class ClosedMeanwhile extends Error {}

/** Resolves when the connection is free for another message, or closed. */
function exchange(request: ClientRequest, body: Buffer, { withinMs, restWithinMs }: Bounds): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const state = { answer: null as Answer | null };
    // a signal for each would cost as much as the rest
    const limit = setTimeout(() => {
      request.destroy();
      // one that has no connection yet would say so only when it gets one
      reject(new NoAnswer(`no answer within ${withinMs / 1000} seconds`));
    }, withinMs);
    request.on('response', (response) => {
      clearTimeout(limit);
      state.answer = { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] };
      const enough = throwAway(response, restWithinMs);
      request.on('close', () => clearTimeout(enough));
    });
    // for good: a connection may break again after it was given up, and nobody else listens
    request.on('error', (error) => {
      if (state.answer !== null) return;
      const isCut = ['ECONNRESET', 'EPIPE'].includes(codeOf(error));
      reject(request.reusedSocket && isCut ? new ClosedMeanwhile('', { cause: error }) : error);
    });
    request.on('close', () => {
      clearTimeout(limit);
      if (state.answer !== null) resolve(state.answer);
      // for example who wants to go on in another protocol
      else reject(new NoAnswer('the connection ended without an answer'));
    });
    request.end(body);
  });
}

function throwAway(response: IncomingMessage, restWithinMs: number): NodeJS.Timeout {
  let read = 0;
  response.on('data', (chunk: Buffer) => {
    read += chunk.length;
    if (read > MOST_READ) response.destroy();
  });
  // the status has come: what happens to the rest is nobody's trouble
  response.on('error', () => undefined);
  return setTimeout(() => response.destroy(), restWithinMs);
}

/** No way out of this machine, or nobody there who knows names: not the fault of the address. */
const NO_WAY_OUT: ReadonlySet<string> = new Set(['EAI_AGAIN', 'ENETUNREACH', 'ENETDOWN']);

export function isNoWayOut(error: unknown): boolean {
  return NO_WAY_OUT.has(codeOf(error));
}

function failureOf(error: unknown): Exclude<Outcome, { is: 'sent' | 'gone' | 'later' }> {
  if (error instanceof ForbiddenAddress) return { is: 'refused', why: `the address ${error.message}` };
  if (error instanceof NoAnswer) return { is: 'retry', why: error.message };
  if (isNoWayOut(error))
    return { is: 'unreachable', why: 'no internet connection now, or nobody answers for this name' };
  return { is: 'retry', why: `no connection (${codeOf(error)})` };
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code } = error as { code?: unknown };
  // several addresses of one name, each tried
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return typeof code === 'string' ? code : 'unknown';
}

/** Seconds, or a date. */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) && header.trim() !== '' ? seconds * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

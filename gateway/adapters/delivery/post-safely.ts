import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import type { Outcome } from '#features/delivery/ports.ts';
import { type AddressPolicy, ForbiddenAddress } from './address-policy.ts';

export type Answer = { status: number; retryAfter: string | undefined };
export type PostResult = { answer: Answer } | { failure: Exclude<Outcome, { is: 'sent' | 'gone' }> };

/** Posts to an address somebody typed. */
export type PostSafely = (request: {
  url: string;
  headers: Readonly<Record<string, string | number>>;
  body: Buffer;
}) => Promise<PostResult>;

const WITHIN_MS = 10_000;
/** Answers are thrown away; more than this of one is not even read. */
const MOST_READ = 64 * 1024;
const MOST_SOCKETS = 64;

/**
 * A client for addresses that are not ours: they are checked after they were resolved and again at each connection,
 * redirects are not followed, answers are not kept, and ten seconds are enough.
 */
export function safePoster({ policy, withinMs = WITHIN_MS }: { policy: AddressPolicy; withinMs?: number }): {
  post: PostSafely;
  close: () => void;
} {
  const agents = {
    'http:': new http.Agent(agentOptions(policy, 'http:')),
    'https:': new https.Agent(agentOptions(policy, 'https:')),
  };
  return {
    async post({ url, headers, body }) {
      const refused = policy.refusalOf(url);
      if (refused !== null) return { failure: { is: 'refused', why: `the address ${refused}` } };
      const protocol = url.toLowerCase().startsWith('https:') ? 'https:' : 'http:';
      const options: RequestOptions = {
        method: 'POST',
        agent: agents[protocol],
        headers: { ...headers, 'Content-Length': body.length },
      };
      try {
        const response = await exchange(protocol === 'https:' ? https : http, {
          url: new URL(url),
          options,
          body,
          withinMs,
        });
        return { answer: { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] } };
      } catch (error) {
        return { failure: failureOf(error) };
      }
    },
    close() {
      agents['http:'].destroy();
      agents['https:'].destroy();
    },
  };
}

function agentOptions(policy: AddressPolicy, protocol: 'http:' | 'https:') {
  return {
    keepAlive: true,
    maxSockets: MOST_SOCKETS,
    maxTotalSockets: MOST_SOCKETS,
    // one that is closed after each message costs more than the message
    maxFreeSockets: MOST_SOCKETS,
    timeout: WITHIN_MS,
    lookup: policy.lookupFor(protocol),
  };
}

class TooLate extends Error {
  constructor(withinMs: number) {
    super(`no answer within ${withinMs / 1000} seconds`);
  }
}

function exchange(
  client: typeof http | typeof https,
  { url, options, body, withinMs }: { url: URL; options: RequestOptions; body: Buffer; withinMs: number },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = client.request(url, options, (response) => {
      throwAway(response);
      resolve(response);
    });
    // until all is read, too: a signal for each would cost as much as the rest
    const limit = setTimeout(() => request.destroy(new TooLate(withinMs)), withinMs);
    request.on('close', () => clearTimeout(limit));
    // for good: a connection may break again after it was given up, and nobody else listens
    request.on('error', reject);
    request.end(body);
  });
}

function throwAway(response: IncomingMessage): void {
  let read = 0;
  response.on('data', (chunk: Buffer) => {
    read += chunk.length;
    if (read > MOST_READ) response.destroy();
  });
  // the status has come: what happens to the rest is nobody's trouble
  response.on('error', () => undefined);
}

/** No way out of this machine, or nobody there who knows names: not the fault of the address. */
const NO_WAY_OUT: ReadonlySet<string> = new Set(['EAI_AGAIN', 'ENETUNREACH', 'ENETDOWN']);

export function isNoWayOut(error: unknown): boolean {
  return NO_WAY_OUT.has(codeOf(error));
}

function failureOf(error: unknown): Exclude<Outcome, { is: 'sent' | 'gone' }> {
  if (error instanceof ForbiddenAddress) return { is: 'refused', why: `the address ${error.message}` };
  if (error instanceof TooLate) return { is: 'retry', why: error.message };
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

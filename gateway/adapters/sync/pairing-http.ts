import type { Express, Request, Response } from 'express';
import * as z from 'zod';
import {
  keysRequest,
  nonceRequest,
  pairPollRequest,
  pairStartRequest,
  sessionRequest,
  signInRequest,
} from '#contract/sync/wire.ts';
import { AppError } from '#core/errors.ts';

// What gateways ask of a hosted instance before they have a token, and about their keys. The data of the sync has its
// own routes.

export type PairingDesk = {
  start: (
    body: z.infer<typeof pairStartRequest>,
    from: { source: string; origin: string },
  ) => Promise<unknown>;
  poll: (body: z.infer<typeof pairPollRequest>) => Promise<unknown>;
  nonce: (body: z.infer<typeof nonceRequest>) => Promise<unknown>;
  session: (body: z.infer<typeof sessionRequest>) => Promise<unknown>;
  keys: (token: string, body: z.infer<typeof keysRequest>) => Promise<unknown>;
  signIn: (token: string, body: z.infer<typeof signInRequest>, source: string) => Promise<unknown>;
  time: (nonce: string) => unknown;
};

/** Reads a JSON body; the callback's error is one to answer. */
export type ReadBody = (request: Request, done: (error: Error | null, body?: unknown) => void) => void;

const nonceQuery = z.object({ nonce: z.string().min(8).max(200) });

export type PairingHttpDeps = {
  desk: PairingDesk;
  readBody: ReadBody;
  /** Where a request comes from. */
  sourceOf: (request: Request) => string;
};

export function mountPairing(app: Express, { desk, readBody, sourceOf }: PairingHttpDeps): void {
  const post = <Body>(
    path: string,
    schema: z.ZodType<Body>,
    answer: (body: Body, request: Request) => Promise<unknown>,
  ) =>
    app
      .route(`/sync/v1/${path}`)
      .post(async (request, response) => {
        const body = valid(schema, await bodyOf(readBody, request));
        send(response, await answer(body, request));
      })
      .all(wrongMethod('POST'));
  post('pair/start', pairStartRequest, (body, request) =>
    desk.start(body, { source: sourceOf(request), origin: originOf(request) }),
  );
  post('pair/poll', pairPollRequest, desk.poll);
  post('session/nonce', nonceRequest, desk.nonce);
  post('session', sessionRequest, desk.session);
  post('keys', keysRequest, (body, request) => desk.keys(bearerOf(request), body));
  post('sign-in', signInRequest, (body, request) => desk.signIn(bearerOf(request), body, sourceOf(request)));
  app
    .route('/sync/v1/time')
    .get((request, response) => {
      send(response, desk.time(valid(nonceQuery, request.query).nonce));
    })
    .all(wrongMethod('GET'));
}

function bodyOf(readBody: ReadBody, request: Request): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  readBody(request, (error, body) => (error === null ? resolve(body) : reject(error)));
  return promise;
}

function valid<Body>(schema: z.ZodType<Body>, body: unknown): Body {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  // only the place is told: what stands there may be a secret
  const detail = `${issue?.path.join('.') || 'body'}: is not what this instance understands`;
  throw new AppError(422, detail, { code: 'VALIDATION_ERROR' });
}

function send(response: Response, body: unknown): void {
  response.setHeader('Cache-Control', 'no-store');
  response.json(body);
}

const SANE_HOST = /^[\w.-]+(:\d{1,5})?$|^\[[\da-f:]+\](:\d{1,5})?$/i;

function originOf({ headers: { host = '' } }: Request): string {
  return `http://${SANE_HOST.test(host) ? host : 'localhost'}`;
}

function bearerOf({ headers }: Request): string {
  return /^Bearer +([^\s]+)\s*$/i.exec(headers.authorization ?? '')?.[1] ?? '';
}

function wrongMethod(allow: string) {
  return (request: Request) => {
    throw new AppError(405, `${request.method} is not possible here; use ${allow}`, {
      code: 'METHOD_NOT_ALLOWED',
      headers: { Allow: allow },
    });
  };
}

import { finished } from 'node:stream';
import express, {
  type ErrorRequestHandler,
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { AppError, busy, StaleError, StorageUnavailable } from '#core/errors.ts';
import type { Log } from '#core/kernel.ts';
import { oneATurn } from '#core/one-a-turn.ts';
import { BODY_BYTES, type Route } from '#core/route.ts';
import { oneHost, ownHosts } from './client-address.ts';
import { type HandleDeps, handleRoute, proveCaller } from './handle-route.ts';
import type { Refused } from './harden-server.ts';
import { isSmallBody, readJsonBody, UNPROVED_BYTES } from './read-json-body.ts';
import { noteRoute, requestFrame, requestIdOf, routeOf } from './request-frame.ts';
import { routeFinder } from './route-finder.ts';

export const API = '/api/v1';
const BELOW_API = `${API}/`;

export type AppDeps = HandleDeps & {
  log: Log;
  /** Requests that are not of the route table: health, metrics, event stream, documents, the console. */
  mountBeside?: (app: Express) => void;
  /** Makes what notes status and duration of every answer of a route. */
  timerOf?: (route: Route) => (status: number, durationMs: number) => void;
  refused?: Refused;
  /** Further names of this instance, where it answers for no other; without it any will do. */
  ownNames?: readonly string[];
  /** People reach this instance over https alone. */
  isHttpsOnly: boolean;
};

/** The whole HTTP interface from the route table. */
export function createApp(deps: AppDeps, routes: readonly Route[]): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', 'simple');
  app.use(requestFrame(deps));
  app.use(oneHost);
  if (deps.ownNames !== undefined) app.use(ownHosts(deps.ownNames));
  app.use(serveRoutes(deps, routes));
  deps.mountBeside?.(app);
  app.use((request) => {
    throw new AppError(404, `There is nothing at ${request.path}`, { code: 'NOT_FOUND' });
  });
  app.use(errorHandler(deps));
  return app;
}

type Serve = {
  serve: (request: Request, response: Response, next: NextFunction) => Promise<void>;
  takesFile: boolean;
  /** Only who proved who they are gets an answer. */
  isProved: boolean;
  /** The most of who has proved it. */
  bodyBytes: number;
};

/** The routes below /api/v1; what is none of them goes on. */
function serveRoutes(deps: AppDeps, routes: readonly Route[]): RequestHandler {
  const reads = new Map(
    routes.flatMap((route) => (route.method === 'GET' ? [[route.path, route] as const] : [])),
  );
  const find = routeFinder<Serve>(routes, (route) => serving(deps, route, reads.get(route.path) ?? null));
  const inTurn = oneATurn();
  return (request, response, next) => {
    const { url } = request;
    if (!url.startsWith(BELOW_API)) return next();
    const end = url.indexOf('?');
    const found = find(request.method, url.slice(API.length, end === -1 ? undefined : end));
    if (found === null) return next();
    const { served, params, allow } = found;
    if (served === null) throw wrongMethod(request.method, allow);
    request.params = params;
    // a file is read by the route, once it is known who sends it
    if (served.takesFile) return void served.serve(request, response, next);
    const take = (error: AppError | null, body?: unknown) => {
      if (error !== null) return next(error);
      request.body = body;
      void served.serve(request, response, next);
    };
    const read = (maxBytes: number) => readJsonBody(request, maxBytes, take, inTurn);
    if (!served.isProved || isSmallBody(request)) return read(UNPROVED_BYTES);
    // whoever sends much proves first who it is; nothing of it is kept before that
    proveCaller(deps, request).then(() => read(served.bodyBytes), next);
  };
}

/** Who takes no body needs none, however long what comes along is. */
export const bodyBytesOf = ({ body }: Pick<Route, 'body'>): number =>
  body === undefined ? UNPROVED_BYTES : BODY_BYTES;

function serving(deps: AppDeps, route: Route, read: Route | null): Serve {
  const note = deps.timerOf?.(route);
  const shown = `${API}${route.path}`;
  return {
    takesFile: route.takes !== undefined,
    bodyBytes: bodyBytesOf(route),
    isProved: route.access.who !== 'anyone' && route.access.who !== 'device',
    serve: async (request, response, next) => {
      const startedAt = performance.now();
      noteRoute(response, shown);
      try {
        await handleRoute(deps, { route, read }, request, response);
      } catch (error) {
        // answered at once, so that the status stands when the time is noted
        next(error);
      }
      note?.(response.statusCode, performance.now() - startedAt);
    },
  };
}

export function wrongMethod(method: string, allow: string): AppError {
  return new AppError(405, `${method} is not possible here; use ${allow}`, {
    code: 'METHOD_NOT_ALLOWED',
    headers: { Allow: allow },
  });
}

function errorHandler({
  log,
  sourceOf,
  refused = () => {},
}: Pick<AppDeps, 'log' | 'sourceOf' | 'refused'>): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) {
      // a stream broke in the middle: cutting the connection tells the client that it is not whole
      response.destroy();
      return;
    }
    const expected = asAppError(error);
    if (expected === null) {
      log.error({ err: error, ...whereOf(request, response) }, 'request failed by a fault of ours');
      sendError(
        response,
        new AppError(500, 'Something went wrong on our side; please try again', { code: 'INTERNAL' }),
      );
      return;
    }
    if (expected.status >= 500) {
      log.warn({ err: error, ...whereOf(request, response) }, 'request could not be served');
    }
    refused(`${expected.status} ${expected.extras.code ?? 'UNNAMED'}`, sourceOf(request));
    sendError(response, expected);
    void next;
  };
}

const whereOf = (request: Request, response: Response) => ({
  method: request.method,
  route: routeOf(request, response),
  requestId: requestIdOf(response),
});

function asAppError(error: unknown): AppError | null {
  if (error instanceof AppError) return error;
  if (error instanceof StaleError) return busy();
  if (error instanceof StorageUnavailable) {
    return error.reason === 'full'
      ? new AppError(507, 'The disk is full: nothing was saved. Free some space; aeration goes on.', {
          code: 'DISK_FULL',
        })
      : new AppError(503, 'The database does not answer now; nothing was saved, please try again', {
          code: 'STORAGE_UNAVAILABLE',
          headers: { 'Retry-After': '2' },
        });
  }
  // express puts an HTTP status on what the client did wrong
  const { status } = error instanceof Error ? (error as Error & { status?: number }) : {};
  if (status !== undefined && status >= 400 && status < 500) {
    return new AppError(status === 404 ? 404 : 400, 'The request could not be read', { code: 'BAD_REQUEST' });
  }
  return null;
}

export function sendError(response: Response, error: AppError): void {
  for (const [name, value] of Object.entries(error.extras.headers ?? {})) response.setHeader(name, value);
  const { code, errors, more } = error.extras;
  response.status(error.status);
  onceRead(response, () =>
    response.json({
      detail: error.message,
      ...(code === undefined ? {} : { code }),
      ...(errors === undefined ? {} : { errors }),
      ...more,
    }),
  );
}

/**
 * A connection that ends with the answer, as proxies open them, must not end while the body is still coming: whoever
 * sends it would see a broken line in place of the answer.
 */
function onceRead({ req, shouldKeepAlive }: Response, send: () => void): void {
  if (shouldKeepAlive || req.complete || req.destroyed) return send();
  finished(req, send);
  req.resume();
}

import express, { type ErrorRequestHandler, type Express, type Response } from 'express';
import { AppError, StorageUnavailable } from '#core/errors.ts';
import type { Log } from '#core/kernel.ts';
import type { Route } from '#core/route.ts';
import { type HandleDeps, handleRoute } from './handle-route.ts';

export const API = '/api/v1';
const MAX_BODY = '1mb';

export type AppDeps = HandleDeps & {
  log: Log;
  /** Requests that are not of the route table: health, metrics, event stream, documents, the console. */
  mountBefore?: (app: Express) => void;
};

/** The whole HTTP interface from the route table. */
export function createApp(deps: AppDeps, routes: readonly Route[]): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', 'simple');
  app.use((_request, response, next) => {
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cache-Control', 'no-store');
    next();
  });
  deps.mountBefore?.(app);
  app.use(API, requireJson, express.json({ limit: MAX_BODY, strict: true, type: 'application/json' }));
  mountRoutes(app, deps, routes);
  app.use((request, response) =>
    sendError(response, new AppError(404, `There is nothing at ${request.path}`, { code: 'NOT_FOUND' })),
  );
  app.use(errorHandler(deps.log));
  return app;
}

function mountRoutes(app: Express, deps: HandleDeps, routes: readonly Route[]): void {
  const routesByPath = new Map<string, Route[]>();
  for (const route of routes) {
    const path = expressPath(route.path);
    routesByPath.set(path, [...(routesByPath.get(path) ?? []), route]);
  }
  // fixed segments before parameters: /ponds/summary-cards is not a pond
  const paths = [...routesByPath.keys()].sort((a, b) => rank(a).localeCompare(rank(b)));
  for (const path of paths) {
    const chain = app.route(API + path);
    const known = routesByPath.get(path) ?? [];
    for (const route of known) {
      const method = route.method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
      chain[method](async (request, response) => handleRoute(deps, route, request, response));
    }
    const allow = known.map((route) => route.method).join(', ');
    chain.all((request, response) => {
      sendError(
        response,
        new AppError(405, `${request.method} is not possible here; use ${allow}`, {
          code: 'METHOD_NOT_ALLOWED',
          headers: { Allow: allow },
        }),
      );
    });
  }
}

/** `/farms/{farm_id}/` → `/farms/:farm_id`; express takes both with and without the trailing slash. */
function expressPath(path: string): string {
  return path.replace(/\/$/, '').replaceAll(/\{(\w+)\}/g, ':$1');
}

function rank(path: string): string {
  return path
    .split('/')
    .map((segment) => (segment.startsWith(':') ? `~${segment}` : segment))
    .join('/');
}

const requireJson: express.RequestHandler = (request, _response, next) => {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  if (hasBody && !request.is('application/json')) {
    throw new AppError(415, 'Send the body as JSON, with Content-Type: application/json', {
      code: 'UNSUPPORTED_MEDIA_TYPE',
    });
  }
  next();
};

function errorHandler(log: Log): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) {
      // a stream broke in the middle: cutting the connection tells the client that it is not whole
      response.destroy();
      return;
    }
    const expected = asAppError(error);
    if (expected === null) {
      log.error(
        { err: error, method: request.method, path: request.path },
        'request failed by a fault of ours',
      );
      sendError(
        response,
        new AppError(500, 'Something went wrong on our side; please try again', { code: 'INTERNAL' }),
      );
      return;
    }
    if (expected.status >= 500) log.warn({ err: error, path: request.path }, 'request could not be served');
    sendError(response, expected);
    void next;
  };
}

function asAppError(error: unknown): AppError | null {
  if (error instanceof AppError) return error;
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
  // express and its body parser put an HTTP status on what the client did wrong
  const { status, type } =
    error instanceof Error ? (error as Error & { status?: number; type?: string }) : {};
  if (type === 'entity.too.large')
    return new AppError(413, 'The body is larger than 1 MiB', { code: 'BODY_TOO_LARGE' });
  if (type === 'encoding.unsupported')
    return new AppError(415, 'Unknown Content-Encoding', { code: 'UNSUPPORTED_MEDIA_TYPE' });
  if (type === 'entity.parse.failed')
    return new AppError(400, 'The body is not valid JSON', { code: 'MALFORMED_JSON' });
  if (status !== undefined && status >= 400 && status < 500) {
    return new AppError(status === 404 ? 404 : 400, 'The request could not be read', { code: 'BAD_REQUEST' });
  }
  return null;
}

export function sendError(response: Response, error: AppError): void {
  for (const [name, value] of Object.entries(error.extras.headers ?? {})) response.setHeader(name, value);
  const { code, errors, more } = error.extras;
  response.status(error.status).json({
    detail: error.message,
    ...(code === undefined ? {} : { code }),
    ...(errors === undefined ? {} : { errors }),
    ...more,
  });
}

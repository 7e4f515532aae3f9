import { createHash, timingSafeEqual } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type Express, type RequestHandler, Router } from 'express';
import { AppError } from '#core/errors.ts';
import { oneATurn } from '#core/one-a-turn.ts';
import type { Route } from '#core/route.ts';
import { API, wrongMethod } from './app.ts';
import { consolePages } from './console.ts';
import { type EventStreamDeps, eventStream } from './event-stream.ts';
import { endInPieces } from './fair-turns.ts';
import { guidePages } from './guide-pages.ts';
import { type MetricsPageDeps, metricsPage } from './metrics.ts';
import { openApiBytes } from './openapi.ts';

type Readiness = {
  ready: boolean;
  checks: Readonly<Record<string, { ok: boolean; detail?: string; rung?: string; age_s?: number | null }>>;
};

type Check = Readiness['checks'][string];
export type Checks = ReturnType<typeof createChecks>;

/** Checks that parts of the program add when they stand. */
export function createChecks() {
  const asks = new Map<string, () => Check>();
  return {
    add: (name: string, ask: () => Check): void => void asks.set(name, ask),
    read: (): Record<string, Check> => Object.fromEntries([...asks].map(([name, ask]) => [name, ask()])),
  };
}

const PATIENCE_MS = 2_000;

/** GET /healthz: the process lives and its event loop turns. */
function healthPage(deps: { monotonic: () => number }): RequestHandler {
  const startedAt = deps.monotonic();
  return (_request, response) => {
    response.json({ status: 'ok', uptime_s: Math.round((deps.monotonic() - startedAt) / 1000) });
  };
}

/** GET /readyz: 200 when requests can be served, else 503 with what is wrong. */
function readyPage(deps: { readiness: () => Promise<Readiness> }): RequestHandler {
  return async (_request, response) => {
    const { ready, checks } = await inTime(deps.readiness());
    response.status(ready ? 200 : 503).json({ ready, checks });
  };
}

/** A check that hangs is an answer too. */
async function inTime(readiness: Promise<Readiness>): Promise<Readiness> {
  const { promise: patience, resolve } = Promise.withResolvers<Readiness>();
  const failed = (detail: string): Readiness => ({
    ready: false,
    checks: { readiness: { ok: false, detail } },
  });
  const timer = setTimeout(() => resolve(failed(`no answer within ${PATIENCE_MS} ms`)), PATIENCE_MS);
  try {
    return await Promise.race([
      readiness.catch((error: unknown) => failed(error instanceof Error ? error.message : 'failed')),
      patience,
    ]);
  } finally {
    clearTimeout(timer);
  }
}

/** One check by a question that throws when the answer is no. */
export async function checked(ask: () => Promise<void>): Promise<{ ok: boolean; detail?: string }> {
  try {
    await ask();
    return { ok: true };
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : 'failed' };
  }
}

/** For a person at the box itself: who can read its data folder has the key of this run. */
export type LocalPages = {
  /** null: there is no such key now. */
  key: () => string | null;
  report: () => Promise<unknown>;
  bundle: () => Promise<Uint8Array>;
  /** What lets this gateway in at its hosted instance. */
  hostedEntrance: () => Promise<unknown>;
};

/** GET /local/doctor: the report that the doctor's command prints. */
function localReport(pages: LocalPages): RequestHandler {
  return async (request, response) => {
    requireLocal(pages, request.headers.authorization);
    response.json(await pages.report());
  };
}

/** GET /local/support-bundle */
function localBundle(pages: LocalPages): RequestHandler {
  return async (request, response) => {
    requireLocal(pages, request.headers.authorization);
    response.type('application/gzip').end(await pages.bundle());
  };
}

/** GET /local/hosted-entrance: for the update, which fetches in a process of its own. */
function localEntrance(pages: LocalPages): RequestHandler {
  return async (request, response) => {
    requireLocal(pages, request.headers.authorization);
    response.setHeader('Cache-Control', 'no-store');
    response.json(await pages.hostedEntrance());
  };
}

/** To everybody else these pages are not there. */
function requireLocal({ key }: LocalPages, authorization: string | undefined): void {
  const given = /^Local +(\S+)$/.exec(authorization ?? '')?.[1];
  const wanted = key();
  if (given !== undefined && wanted !== null && isSame(given, wanted)) return;
  throw new AppError(404, 'There is nothing here', { code: 'NOT_FOUND' });
}

function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Shrimp-farm gateway: the interface</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/api/v1/docs/swagger-ui.css">
</head>
<body>
<main id="interface"><p><a href="/api/v1/openapi.json">The interface as an OpenAPI document</a></p></main>
<script src="/api/v1/docs/swagger-ui-bundle.js" defer></script>
<script src="/api/v1/docs/start.js" defer></script>
</body>
</html>
`;

const START = `window.ui = SwaggerUIBundle({
  url: '/api/v1/openapi.json',
  dom_id: '#interface',
  deepLinking: true,
  docExpansion: 'none',
  tryItOutEnabled: false,
  persistAuthorization: false,
  // its validator would be asked over the internet
  validatorUrl: null,
});
`;

// Everything comes from this very instance: the page works at a farm without internet.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Certificates as PEM, the one that signs first; null while there is none. */
type Authorities = () => readonly string[] | null;

const NONE = 'This instance has no certificate authority\n';

type PlatformDeps = MetricsPageDeps & {
  monotonic: () => number;
  readiness: () => Promise<Readiness>;
  events: EventStreamDeps;
  /** Where this instance takes payments itself. */
  paymentPages: Router | null;
  /** Certificates of the authorities in force; null: none. */
  authorities: Authorities;
  local: LocalPages;
  /** Where the built console lies. */
  consoleFolder: string;
  /** Where the documents lie as pages. */
  guideFolder: string;
};

/** What is served beside the route table: health, metrics, the interface's own description, the event stream. */
export function mountPlatform(app: Express, deps: PlatformDeps, routes: readonly Route[]): void {
  get(app, '/healthz', healthPage(deps));
  get(app, '/readyz', readyPage(deps));
  get(app, '/metrics', metricsPage(deps));
  get(app, '/local/doctor', localReport(deps.local));
  get(app, '/local/support-bundle', localBundle(deps.local));
  get(app, '/local/hosted-entrance', localEntrance(deps.local));
  get(app, '/ca.pem', authorityBundle(deps.authorities));
  get(app, '/ca.crt', authorityForPhones(deps.authorities));
  get(app, `${API}/openapi.json`, openApiPage(routes));
  get(app, `${API}/events`, eventStream(deps.events));
  app.use(`${API}/docs`, docsPage());
  app.use('/docs/guide', guidePages(deps.guideFolder));
  if (deps.paymentPages !== null) app.use(`${API}/payment/sandbox`, deps.paymentPages);
  app.use(consolePages(deps.consoleFolder));
}

function openApiPage(routes: readonly Route[]): RequestHandler {
  const made: { bytes: Promise<Buffer> | null } = { bytes: null };
  const inTurn = oneATurn();
  return async (request, response) => {
    // at the first request: a start that controllers wait for does not wait for it
    made.bytes ??= openApiBytes(routes);
    const bytes = await made.bytes;
    // the same bytes for all: they are large, and hundreds may wait for them
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', bytes.length);
    if (request.method === 'HEAD') response.end();
    else endInPieces(response, bytes, inTurn);
  };
}

function get(app: Express, path: string, handler: RequestHandler): void {
  app
    .route(path)
    .get(handler)
    .all((request) => {
      throw wrongMethod(request.method, 'GET');
    });
}

/** GET /ca.pem: all authorities in force, for programs and controllers. */
function authorityBundle(authorities: Authorities): RequestHandler {
  return (_request, response) => {
    const pems = authorities();
    if (pems === null) response.status(404).type('text/plain').send(NONE);
    else response.type('application/x-pem-file').send(pems.join(''));
  };
}

/** GET /ca.crt: the authority that signs, in the form in which phones and Windows take it by a tap. */
function authorityForPhones(authorities: Authorities): RequestHandler {
  return (_request, response) => {
    const [signing] = authorities() ?? [];
    if (signing === undefined) {
      response.status(404).type('text/plain').send(NONE);
      return;
    }
    const der = Buffer.from(signing.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
    response.setHeader('Content-Disposition', 'attachment; filename="farm-authority.crt"');
    response.type('application/x-x509-ca-cert').send(der);
  };
}

/** The interface to read and try in a browser; no file of it comes from elsewhere. */
function docsPage(): Router {
  const router = Router();
  router.use(((_request, response, next) => {
    response.setHeader('Content-Security-Policy', POLICY);
    next();
  }) satisfies RequestHandler);
  router.get('/', (_request, response) => void response.type('html').send(PAGE));
  router.get('/start.js', (_request, response) => void response.type('text/javascript').send(START));
  router.get('/swagger-ui.css', fileOf('swagger-ui-dist/swagger-ui.css'));
  router.get('/swagger-ui-bundle.js', fileOf('swagger-ui-dist/swagger-ui-bundle.js'));
  return router;
}

function fileOf(
  name: 'swagger-ui-dist/swagger-ui.css' | 'swagger-ui-dist/swagger-ui-bundle.js',
): RequestHandler {
  const path = fileURLToPath(import.meta.resolve(name));
  // the library's own files, the same for everybody until the next version
  const options = { headers: { 'Cache-Control': 'public, max-age=3600' }, dotfiles: 'allow' as const };
  return (_request, response, next) => response.sendFile(path, options, (error) => error && next(error));
}

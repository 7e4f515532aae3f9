import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Request, RequestHandler, Response } from 'express';

// The console's files, each read when it is first asked for and kept in memory (two megabytes, compressed): the card is
// not asked again. No path of a request ever reaches the file system: what is there is listed once.

/** `plain`: null where it is kept compressed; whoever takes nothing compressed is rare, and has it unpacked. */
type Kept = { type: string } & ({ plain: Buffer; gz: null } | { plain: null; gz: Buffer }) & {
    br: Buffer | null;
  };

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};

// No script and no style but ours, none written into the page either: styles of single elements are set through the DOM; pictures made in the page; requests to this instance only.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

// It runs while no page is open, and asks this instance to do what was pressed on a notification.
const WORKER = '/push-worker.js';
const WORKER_POLICY = "default-src 'none'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Serves the console at `/`: any address that is no file and no interface gets the page, which finds the screen itself. */
export function consolePages(folder: string): RequestHandler {
  let looked: ReturnType<typeof filesOf> | undefined;
  const fileAt = (place: string) => {
    looked ??= filesOf(folder);
    return looked(place);
  };
  return (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return next();
    if (isInterface(request.path)) return next();
    const file = fileAt(request.path);
    if (request.path === WORKER) response.setHeader('Content-Security-Policy', WORKER_POLICY);
    if (file !== null) return send(request, response, file, request.path.startsWith('/assets/'));
    if (request.path.startsWith('/assets/') || !request.accepts('html')) return next();
    const page = fileAt('/index.html');
    if (page === null) return next();
    send(request, response, page, false);
  };
}

const isInterface = (place: string): boolean =>
  ['/api/', '/sync/', '/healthz', '/readyz', '/metrics'].some(
    (known) => place === known || place.startsWith(known),
  );

/**
 * Nothing of them is looked at before somebody asks: after a power cut controllers would wait for a thousand files.
 * `null`: there is no such file, or it went away when the program was replaced, just before it starts anew.
 */
function filesOf(folder: string): (place: string) => Kept | null {
  const names = new Set(listed(folder));
  const kept = new Map<string, Kept | null>();
  const read = (name: string) => readFileSync(path.join(folder, name));
  const readKept = (name: string): Kept | null => {
    const type = TYPES[path.extname(name)];
    if (type === undefined || !names.has(name)) return null;
    const packed = names.has(`${name}.gz`)
      ? { plain: null, gz: read(`${name}.gz`) }
      : { plain: read(name), gz: null };
    return { type, ...packed, br: names.has(`${name}.br`) ? read(`${name}.br`) : null };
  };
  return (place) => {
    const name = place.slice(1);
    // what nobody built is not remembered either
    if (!names.has(name)) return null;
    const before = kept.get(name);
    if (before !== undefined) return before;
    const found = unlessGone(() => readKept(name));
    kept.set(name, found);
    return found;
  };
}

function unlessGone<Found>(look: () => Found): Found | null {
  try {
    return look();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Empty where the console was not built: the interface is served all the same. */
function listed(folder: string, under = ''): string[] {
  const entries = unlessGone(() => readdirSync(path.join(folder, under), { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const name = `${under}${entry.name}`;
    return entry.isDirectory() ? listed(folder, `${name}/`) : [name];
  });
}

function send(request: Request, response: Response, file: Kept, isForEver: boolean): void {
  const encoding = request.acceptsEncodings(['br', 'gzip', 'identity']);
  const [name, body] =
    encoding === 'br' && file.br !== null
      ? (['br', file.br] as const)
      : encoding === 'gzip' && file.gz !== null
        ? (['gzip', file.gz] as const)
        : ([null, file.plain ?? gunzipSync(file.gz)] as const);
  response.setHeader('Content-Type', file.type);
  response.setHeader('Vary', 'Accept-Encoding');
  // names of assets carry a hash of what is in them
  response.setHeader('Cache-Control', isForEver ? 'public, max-age=31536000, immutable' : 'no-cache');
  if (file.type.startsWith('text/html')) response.setHeader('Content-Security-Policy', POLICY);
  if (name !== null) response.setHeader('Content-Encoding', name);
  response.setHeader('Content-Length', String(body.length));
  response.end(request.method === 'HEAD' ? undefined : body);
}

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Request, RequestHandler, Response } from 'express';

// The console's files, read once and kept in memory (two megabytes, compressed): the card is not asked again,
// and no path of a request ever reaches the file system.

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

/** Serves the console at `/`: any address that is no file and no interface gets the page, which finds the screen itself. */
export function consolePages(folder: string): RequestHandler {
  const files = readFiles(folder);
  const page = files.get('/index.html');
  return (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return next();
    if (isInterface(request.path)) return next();
    const file = files.get(request.path);
    if (file !== undefined) return send(request, response, file, request.path.startsWith('/assets/'));
    if (page === undefined || request.path.startsWith('/assets/') || !request.accepts('html')) return next();
    send(request, response, page, false);
  };
}

const isInterface = (place: string): boolean =>
  ['/api/', '/sync/', '/healthz', '/readyz', '/metrics'].some(
    (known) => place === known || place.startsWith(known),
  );

function readFiles(folder: string): ReadonlyMap<string, Kept> {
  const names = listed(folder);
  const read = (name: string) => readFileSync(path.join(folder, name));
  const files = names
    .filter((name) => TYPES[path.extname(name)] !== undefined)
    .map((name): [string, Kept] => [
      `/${name.split(path.sep).join('/')}`,
      {
        type: TYPES[path.extname(name)] ?? 'application/octet-stream',
        ...(names.includes(`${name}.gz`)
          ? { plain: null, gz: read(`${name}.gz`) }
          : { plain: read(name), gz: null }),
        br: names.includes(`${name}.br`) ? read(`${name}.br`) : null,
      },
    ]);
  return new Map(files);
}

/** Empty where the console was not built: the interface is served all the same. */
function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    return [];
  }
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

import { randomBytes } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';

export const REQUEST_ID = 'X-Request-Id';
const SANE_ID = /^[\w.:-]{1,64}$/;

export const STRICT_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  // answers of the interface are data: nothing in them may run, wherever they are opened; pages set their own
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  // a page that opens one of ours, or is opened by it, has no hold on it
  'Cross-Origin-Opener-Policy': 'same-origin',
  // none of it is used here, so nothing that gets into a page can ask for it; what the console plays is left out
  'Permissions-Policy':
    'camera=(), display-capture=(), geolocation=(), hid=(), microphone=(), midi=(), payment=(), serial=(), usb=()',
};
const ONLY_HTTPS = 'max-age=31536000; includeSubDomains';

/**
 * What every answer carries: an id under which the log knows the request, and headers that keep browsers strict.
 *
 * `isHttpsOnly`: browsers never ask this host, or a name below it, without TLS again. A host counts with all its ports: at a farm, where the
 * plain port serves beside the secured one, they would be sent to TLS on the plain port and find nothing.
 */
export function requestFrame({ isHttpsOnly }: { isHttpsOnly: boolean }): RequestHandler {
  // unlike a UUID per request it costs nothing: the start of this process and a count
  const prefix = `${randomBytes(6).toString('hex')}-`;
  let count = 0;
  const headers = new Map(Object.entries(STRICT_HEADERS));
  if (isHttpsOnly) headers.set('Strict-Transport-Security', ONLY_HTTPS);
  return (request, response, next) => {
    const given = request.headers['x-request-id'];
    count += 1;
    response.setHeader(REQUEST_ID, typeof given === 'string' && SANE_ID.test(given) ? given : prefix + count);
    response.setHeaders(headers);
    next();
  };
}

const ROUTE = 'route';

/** Notes which route serves a request, as the table has it. */
export function noteRoute(response: Response, route: string): void {
  response.locals[ROUTE] = route;
}

/** What the log may say of where a request went; an address may hold a secret: a checkout's, a portal's. null: no route. */
export function routeOf(request: Request, response: Response): string | null {
  const noted: unknown = response.locals[ROUTE] ?? (request.route as { path?: unknown } | undefined)?.path;
  return typeof noted === 'string' ? noted : null;
}

export function requestIdOf(response: Response): string {
  return String(response.getHeader(REQUEST_ID) ?? '');
}

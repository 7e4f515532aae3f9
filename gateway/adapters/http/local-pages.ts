import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import { AppError } from '#core/errors.ts';

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
export function localReport(pages: LocalPages): RequestHandler {
  return async (request, response) => {
    requireLocal(pages, request.headers.authorization);
    response.json(await pages.report());
  };
}

/** GET /local/support-bundle */
export function localBundle(pages: LocalPages): RequestHandler {
  return async (request, response) => {
    requireLocal(pages, request.headers.authorization);
    response.type('application/gzip').end(await pages.bundle());
  };
}

/** GET /local/hosted-entrance: for the update, which fetches in a process of its own. */
export function localEntrance(pages: LocalPages): RequestHandler {
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

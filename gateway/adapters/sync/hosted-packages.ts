import type { Express, Response } from 'express';
import * as z from 'zod';
import { AppError } from '#core/errors.ts';
import { callerOf, type GatewayByToken } from './hosted-http.ts';

const ARCHS = ['amd64', 'arm64'] as const;
const query = z.object({
  arch: z.enum(ARCHS),
  version: z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}(-[0-9A-Za-z.]{1,40})?$/),
});
export type PackageWish = z.infer<typeof query>;

export type HostedPackagesDeps = {
  gatewayByToken: GatewayByToken;
  /** Where the operator lays packages; null: nowhere. */
  folder: string | null;
  /** Name of the newest one there that is newer; null: there is none. */
  newest: (folder: string, wish: PackageWish) => Promise<string | null>;
};

/** Handed out at a time: each is an open file and a slow line. */
const AT_ONCE = 16;
const COME_AGAIN_S = 60;

/** The route on which gateways fetch new versions of their program. */
export function mountPackages(app: Express, deps: HostedPackagesDeps): void {
  const open = { all: 0 };
  app
    .route('/sync/v1/update')
    .get(async (request, response) => {
      await callerOf(deps, request);
      const wish = query.safeParse(request.query);
      if (!wish.success)
        throw new AppError(422, 'say arch (amd64 or arm64) and the version that runs', {
          code: 'VALIDATION_ERROR',
        });
      const { folder } = deps;
      const name = folder === null ? null : await deps.newest(folder, wish.data);
      if (folder === null || name === null)
        throw new AppError(404, 'This instance offers no newer version', { code: 'UPDATE_NONE' });
      if (open.all >= AT_ONCE)
        throw new AppError(503, 'Others are fetching now; please come again', {
          code: 'UPDATE_BUSY',
          headers: { 'Retry-After': String(COME_AGAIN_S) },
        });
      open.all += 1;
      try {
        await sent(response, { folder, name });
      } finally {
        open.all -= 1;
      }
    })
    .all(({ method }) => {
      throw new AppError(405, `${method} is not possible here; use GET`, {
        code: 'METHOD_NOT_ALLOWED',
        headers: { Allow: 'GET' },
      });
    });
}

/** With what the platform of the web knows of parts: a line that broke goes on where it was. */
function sent(response: Response, { folder, name }: { folder: string; name: string }): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const headers = { 'Content-Type': 'application/octet-stream' };
  response.once('close', resolve);
  response.sendFile(name, { root: folder, cacheControl: false, headers }, (error) => {
    // who is gone needs no answer
    if (error == null || response.headersSent) resolve();
    else reject(error);
  });
  return promise;
}

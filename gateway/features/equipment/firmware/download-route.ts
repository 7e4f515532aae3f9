import * as z from 'zod';
import { MAX_FIRMWARE_BYTES } from '#contract/mqtt/ota.ts';
import { AppError, notFound } from '#core/errors.ts';
import { notAuthenticated } from '#core/request-checks.ts';
import { type Request, type Route, route } from '#core/route.ts';
import type { ControlView, ControlViews } from '#features/control/control-view.ts';
import type { ImageFiles } from './ports.ts';
import type { RolloutBook } from './rollout-book.ts';

export type DownloadDeps = {
  book: RolloutBook;
  views: ControlViews;
  files: ImageFiles;
  /** Who calls for a controller: itself by its key, or a user. Throws 401 and 404. */
  deviceCaller: (
    deviceId: string,
    request: Pick<Request<unknown, unknown, unknown>, 'bearer' | 'source'>,
  ) => Promise<{ kind: 'controller'; authenticated: boolean; view: ControlView } | { kind: 'user' }>;
};

/** What a controller fetches: the image of the update it is asked to take, piece by piece. */
export function downloadRoute(deps: DownloadDeps): Route {
  const noSuchJob = () => notFound('Update');
  return route({
    method: 'GET',
    path: '/devices/firmware/{job}',
    tag: 'Devices',
    summary: 'The image of the update a controller is asked to take; whole, or a piece of it',
    access: { who: 'device' },
    params: z.object({ job: z.string().min(1).max(64) }),
    query: z.object({
      offset: z.coerce.number().int().min(0).max(MAX_FIRMWARE_BYTES).default(0),
      length: z.coerce.number().int().min(1).max(MAX_FIRMWARE_BYTES).optional(),
    }),
    answers: {
      200: {
        schema: z.string().meta({ format: 'binary' }),
        media: 'application/octet-stream',
      },
    },
    async handle(request) {
      if (request.bearer === null) throw notAuthenticated();
      const offer = deps.book.offerOf(request.params.job);
      const view = offer === null ? null : deps.views.byId(offer.target.control_point_id);
      if (offer === null || view === null) throw noSuchJob();
      const who = await deps.deviceCaller(view.row.device_id, request);
      if (who.kind !== 'controller' || !who.authenticated || who.view.row.id !== view.row.id)
        throw noSuchJob();
      const { offset, length = offer.image.size } = request.query;
      const bytes = await deps.files.read(offer.image.sha256, { offset, length });
      if (bytes === null) {
        throw new AppError(503, 'The image cannot be read now; try again later', {
          code: 'STORAGE_UNAVAILABLE',
          headers: { 'Retry-After': '30' },
        });
      }
      deps.book.heard(offer.target.id, offset + bytes.length);
      return {
        answer: {
          status: 200,
          file: { type: 'application/octet-stream', bytes },
          headers: { 'Content-Length': String(bytes.length) },
        },
      };
    },
  });
}

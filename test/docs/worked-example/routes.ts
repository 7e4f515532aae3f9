import * as z from 'zod';
import { idOrNumber } from '#contract/fields.ts';
import { notFound } from '#core/errors.ts';
import { type Route, route } from '#core/route.ts';
import { volumeM3 } from './pond-volume.ts';

// in the repository this schema has its place in gateway/contract/resources
const pondVolumeAnswer = z.object({ pond_id: z.string(), volume_m3: z.number().nullable() });

export type PondVolumeDeps = {
  pondById: (id: string) => Promise<{ id: string; size_m2: number | null; depth_m: number | null } | null>;
};

export function pondVolumeRoutes(deps: PondVolumeDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/ponds/{pond_id}/volume',
      tag: 'Ponds',
      summary: 'Water in a pond, where area and depth are known',
      access: { who: 'farm', right: 'read', of: 'pond', at: 'params', field: 'pond_id', others: 404 },
      params: z.object({ pond_id: idOrNumber }),
      answers: { 200: { schema: pondVolumeAnswer } },
      async handle(request) {
        const pond = await deps.pondById(request.params.pond_id);
        if (pond === null) throw notFound('Pond');
        const volume = volumeM3({ sizeM2: pond.size_m2, depthM: pond.depth_m });
        return { answer: { status: 200, body: { pond_id: pond.id, volume_m3: volume } } };
      },
    }),
  ];
}

import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import { rotationAnswer } from '#contract/resources/adoption.ts';
import { notFound } from '#core/errors.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Access, type Route, route } from '#core/route.ts';
import type { ControlView } from '../control-view.ts';
import type { KeyRotation } from './rotate-key.ts';

export type RotationRouteDeps = {
  rotation: Pick<KeyRotation, 'start' | 'status'>;
  freshView: (controlPointId: string) => Promise<ControlView | null>;
};

export function rotationRoutes(deps: RotationRouteDeps): Route[] {
  const path = '/control-points/{control_point_id}/rotate-key';
  const params = z.object({ control_point_id: idInput });
  const access = {
    who: 'farm',
    of: 'control_point',
    at: 'params',
    field: 'control_point_id',
    right: 'operate',
    others: 404,
  } as const satisfies Access;
  async function fresh(id: string): Promise<ControlView> {
    const view = await deps.freshView(id);
    if (view === null) throw notFound('Control point');
    return view;
  }
  return [
    route({
      method: 'POST',
      path,
      tag: 'Devices',
      summary: 'Send the controller a new key over MQTT; the old one opens until the new one is used',
      access,
      params,
      answers: { 202: { schema: rotationAnswer } },
      async handle(request) {
        const view = await fresh(request.params.control_point_id);
        const { answer, ...decided } = deps.rotation.start(view, signedIn(request).userId);
        return { ...decided, answer: { status: 202, body: answer } };
      },
    }),
    route({
      method: 'GET',
      path,
      tag: 'Devices',
      summary: 'How far the rotation of the controller’s key is',
      access,
      params,
      answers: { 200: { schema: rotationAnswer } },
      async handle(request) {
        const view = await fresh(request.params.control_point_id);
        return { answer: { status: 200, body: deps.rotation.status(view) } };
      },
    }),
  ];
}

import * as z from 'zod';
import { errorBody } from '#contract/fields.ts';
import {
  authorityRotationInput,
  systemAuthorityAnswer,
  systemIdentityAnswer,
} from '#contract/resources/system.ts';
import { audit } from '#core/audit.ts';
import type { Change } from '#core/changes.ts';
import { AppError } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Route, type RouteDecision, route } from '#core/route.ts';
import {
  authorityAnswerOf,
  cancelRotation,
  type IdentityDeps,
  identityOf,
  type RotateDeps,
  rotateAuthority,
} from './identity.ts';

export type TrustRouteDeps = IdentityDeps &
  RotateDeps &
  Pick<Kernel, 'newId' | 'idOf'> & {
    /** True for addresses of the farm network. */
    isLocal: (source: string) => boolean;
    /** A QR code as an SVG picture. */
    qrSvg: (text: string) => Promise<string>;
  };

const tag = 'System';
const admin = { tag, access: { who: 'admin' }, token: 'never' } as const;
const answers = { 200: { schema: systemAuthorityAnswer } };
const rotation = '/system/authority/rotation';

export function trustRoutes(deps: TrustRouteDeps): Route[] {
  const answerNow = (changes: Change[] = []): RouteDecision => {
    const answer = { status: 200, body: authorityAnswerOf(deps) };
    // the files have it; who did it is in the log of the program
    return { answer, changes, whenStorageFails: () => answer };
  };
  const entry = (userId: string, action: string): Change => {
    const { next_authority: next } = authorityAnswerOf(deps);
    return audit(deps, {
      farm_id: null,
      entity_type: 'SYSTEM',
      entity_id: deps.idOf('system:authority'),
      entity_name: 'authority',
      action,
      user_id: userId,
      details: { next: next === null ? null : { ...next } },
    });
  };
  return [
    route({
      method: 'GET',
      path: '/system/identity',
      tag,
      summary: 'Who this gateway is on the farm network: what consoles and controllers pin, and its QR code',
      access: { who: 'anyone' },
      answers: { 200: { schema: systemIdentityAnswer } },
      async handle({ source }) {
        return { answer: { status: 200, body: identityOf(deps, { isLocal: deps.isLocal(source) }) } };
      },
    }),
    route({
      method: 'GET',
      path: '/system/identity/qr',
      tag,
      summary: 'The QR code of this gateway as a picture (SVG): address and pin, for a label on the box',
      access: { who: 'anyone' },
      answers: {
        200: { schema: z.string().describe('An SVG picture'), media: 'image/svg+xml' },
        404: { schema: errorBody },
      },
      async handle({ source }) {
        const { qr } = identityOf(deps, { isLocal: deps.isLocal(source) });
        if (qr === null)
          throw new AppError(404, 'This instance has no authority of its own, so there is nothing to pin', {
            code: 'NO_QR',
          });
        const bytes = new TextEncoder().encode(await deps.qrSvg(qr));
        return { answer: { status: 200, file: { type: 'image/svg+xml', bytes } } };
      },
    }),
    route({
      ...admin,
      method: 'GET',
      path: '/system/authority',
      summary: 'The authority of the farm network and its rotation',
      answers,
      async handle() {
        return answerNow();
      },
    }),
    route({
      ...admin,
      method: 'PUT',
      hasNoTag: true,
      path: rotation,
      summary: 'Announce the next authority, or give the announced one other dates',
      body: authorityRotationInput,
      answers,
      async handle(request) {
        await rotateAuthority(deps, request.body);
        return answerNow([entry(signedIn(request).userId, 'authority_rotation')]);
      },
    }),
    route({
      ...admin,
      method: 'DELETE',
      path: rotation,
      summary: 'Take the announcement back, before the cross-over',
      answers,
      async handle(request) {
        await cancelRotation(deps);
        return answerNow([entry(signedIn(request).userId, 'authority_rotation_cancelled')]);
      },
    }),
  ];
}

import * as z from 'zod';
import { doctorAnswer } from '#contract/resources/system-doctor.ts';
import { audit } from '#core/audit.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import { examine } from './examine.ts';
import type { Gather } from './ports.ts';

export type DoctorRouteDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'> & {
  gather: Gather;
  /** The support bundle as one file. */
  bundle: () => Promise<Uint8Array>;
};

const tag = 'System';

export function doctorRoutes(deps: DoctorRouteDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/system/doctor',
      tag,
      summary:
        'What is well and what is not with this instance, each with its next step; for ADMINs, and on a gateway for those who work on the box',
      access: { who: 'box', right: 'work' },
      answers: { 200: { schema: doctorAnswer } },
      async handle() {
        return { answer: { status: 200, body: examine(await deps.gather()) } };
      },
    }),
    route({
      method: 'GET',
      path: '/system/support-bundle',
      tag,
      summary: 'Everything support needs to know, as one .tar.gz without secrets',
      access: { who: 'admin' },
      token: 'never',
      answers: { 200: { schema: z.string().describe('A .tar.gz file'), media: 'application/gzip' } },
      async handle(request) {
        const { userId } = signedIn(request);
        const bytes = await deps.bundle();
        const name = `support-${isoOf(deps.now()).slice(0, 19).replaceAll(/[-:]/g, '')}Z.tar.gz`;
        const answer = {
          status: 200,
          headers: { 'Content-Disposition': `attachment; filename="${name}"` },
          file: { type: 'application/gzip', bytes },
        };
        const entry = audit(deps, {
          farm_id: null,
          entity_type: 'SYSTEM',
          entity_id: deps.idOf('system:support-bundle'),
          entity_name: 'support bundle',
          action: 'support_bundle',
          user_id: userId,
        });
        // a full disk is what it may be asked for
        return { answer, changes: [entry], whenStorageFails: () => answer };
      },
    }),
  ];
}

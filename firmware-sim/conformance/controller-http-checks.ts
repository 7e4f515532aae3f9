import { httpHeartbeat } from '#contract/mqtt/messages.ts';
import { fitsBackOff } from './back-off.ts';
import { aloneChecks } from './controller-alone-checks.ts';
import { endChecks } from './controller-end-checks.ts';
import type { ControllerCheck } from './controller-level-checks.ts';
import { levelChecks, rhythmChecks } from './controller-level-checks.ts';
import { restChecks } from './controller-rest-checks.ts';
import type { Observed } from './observed.ts';
import { demand } from './report.ts';

const FIRST_WITHIN_S = 90;

type RequestSeen = Extract<Observed, { kind: 'request' }>;

export const CONTROLLER_HTTP_CHECKS: readonly ControllerCheck[] = [
  {
    id: 'http.heartbeat',
    clause: '7.1',
    title: 'it posts heartbeats in the contract’s shape, with its device_id',
    run: async (side) => {
      const seen = await side.until('a heartbeat', 0, FIRST_WITHIN_S, heartbeatRequest);
      const body = httpHeartbeat.safeParse(seen.body);
      demand(body.success, body.success ? '' : (body.error.issues[0]?.message ?? 'not as described'));
      demand(body.data.device_id === side.identity.device_id, `device_id ${body.data.device_id}`);
    },
  },
  {
    id: 'http.key',
    clause: '7.5',
    title: 'every request carries its key',
    run: async (side) => {
      await side.until('a heartbeat', 0, FIRST_WITHIN_S, heartbeatRequest);
      const bare = side.observed.find((seen) => seen.kind === 'request' && !seen.hasKey);
      demand(bare === undefined, `${bare?.kind === 'request' ? bare.path : ''} came without it`);
    },
  },
  ...rhythmChecks,
  {
    id: 'http.revisions',
    clause: '7.7',
    title: 'it fetches config and schedule when their revisions change',
    run: async (side) => {
      const since = side.mark();
      side.setConfig({});
      side.setSchedule({});
      for (const what of ['config', 'schedule']) {
        await side.until(`GET ${what}`, since, 20, (seen) =>
          seen.kind === 'request' && seen.path.startsWith(`/api/v1/devices/${what}/`) ? seen : null,
        );
      }
    },
  },
  ...levelChecks,
  ...restChecks,
  ...aloneChecks,
  ...endChecks,
  {
    id: 'http.back-off',
    clause: '6.3',
    title: 'while the gateway answers 503 it waits 5, 10, 30, 60 s, each within a quarter',
    withinS: 300,
    run: async (side) => {
      const since = side.mark();
      side.failHttp(503);
      const tries: RequestSeen[] = [];
      while (tries.length < 3) {
        const from = tries.at(-1)?.place ?? since - 1;
        tries.push(await side.until('it tries again', from + 1, 90, heartbeatRequest));
      }
      side.failHttp(null);
      const gaps = tries.slice(1).map(({ atMs }, index) => (atMs - (tries[index]?.atMs ?? 0)) / 1000);
      demand(fitsBackOff(gaps), `it waited ${gaps.map((gapS) => `${gapS.toFixed(1)} s`).join(', then ')}`);
    },
  },
  {
    id: 'http.messages',
    clause: '7.1',
    title: 'every body was in the contract’s shape',
    run: async (side) => {
      for (const seen of side.observed) {
        if (seen.kind === 'invalid') demand(false, `${seen.where}: ${seen.reason}`);
      }
    },
  },
];

function heartbeatRequest(seen: Observed): RequestSeen | null {
  return seen.kind === 'request' && seen.method === 'POST' && seen.path === '/api/v1/devices/heartbeat'
    ? seen
    : null;
}

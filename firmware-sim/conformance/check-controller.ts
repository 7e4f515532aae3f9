import { httpHeartbeat } from '#contract/mqtt/messages.ts';
import type { TransportKind } from '../controller/state.ts';
import { fitsBackOff } from './back-off.ts';
import { aloneChecks } from './controller-alone-checks.ts';
import { endChecks } from './controller-end-checks.ts';
import { boardChecks } from './controller-key-checks.ts';
import { type ControllerCheck, levelChecks, rhythmChecks } from './controller-level-checks.ts';
import { CONTROLLER_MQTT_CHECKS } from './controller-mqtt-checks.ts';
import { restChecks } from './controller-rest-checks.ts';
import { listens } from './controller-seen.ts';
import type { GatewaySide } from './gateway-side.ts';
import {
  type CheckResult,
  demand,
  type Observed,
  type Report,
  type RunDeps,
  reportOf,
  runChecks,
} from './report.ts';

type RequestSeen = Extract<Observed, { kind: 'request' }>;

const FIRST_WITHIN_S = 90;

const CONTROLLER_HTTP_CHECKS: readonly ControllerCheck[] = [
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

export const CONTROLLER_CHECKS = {
  mqtt: afterArrival(CONTROLLER_MQTT_CHECKS),
  http: afterArrival(CONTROLLER_HTTP_CHECKS),
} as const;

/** A right controller needs a quarter of an hour, by how long its back-off waits. */
const LIMITS = { checkS: 240, runS: 2_700 };
/** The longest wait of its back-off and the way. */
const RETURNS_WITHIN_S = 100;
/** Heartbeats are asked for more often. */
const LATELY_S = 30;
const SETTLES_WITHIN_S = 10;

/**
 * Checks the controller that connects to this gateway side. It may come at any time within a minute and a half. With a
 * claim code it comes as a board without a key. It ends within the limits above, whatever the controller does.
 */
export async function checkController(
  deps: { tell: (result: CheckResult) => void },
  side: GatewaySide,
  transport: TransportKind,
  claim: string | null = null,
): Promise<Report> {
  const checks = [...(claim === null ? [] : boardChecks(claim)), ...CONTROLLER_CHECKS[transport]];
  const results = await runChecks({ ...controllerRun(side), ...deps }, checks, side);
  return reportOf(`${side.identity.device_id} over ${transport}`, results);
}

/** How checks of a controller are run: against a side in order, and not against one that is gone. */
export function controllerRun(side: GatewaySide): Omit<RunDeps, 'tell'> {
  return {
    clock: side.clock,
    limits: LIMITS,
    tidy: side.restore,
    whyGone: () => whyGone(side),
  };
}

/** Nothing is asked of a controller that never came: the first check says so, and all others need it. */
function afterArrival(checks: readonly ControllerCheck[]): readonly ControllerCheck[] {
  const [first, ...others] = checks;
  if (first === undefined) return [];
  return [first, ...others.map((check) => ({ ...check, needs: [first.id, ...(check.needs ?? [])] }))];
}

async function whyGone(side: GatewaySide): Promise<string | null> {
  const gone = await whyAbsent(side);
  if (gone === null && side.hasSession()) await settled(side);
  return gone;
}

/** Waits until a session that has just begun listens to commands; one that never does is judged by its own check. */
async function settled(side: GatewaySide): Promise<void> {
  const session = side.observed.findLast(({ kind }) => kind === 'session');
  if (session === undefined || side.clock.nowMs() - session.atMs > SETTLES_WITHIN_S * 1000) return;
  await listens(side, session.place).catch(() => undefined);
}

async function whyAbsent(side: GatewaySide): Promise<string | null> {
  if (side.hasSession()) return null;
  const last = side.observed.findLast(({ kind }) => kind === 'session' || kind === 'request');
  // before it came first, the check that waits for it tells more
  if (last === undefined) return null;
  if (last.kind === 'request' && side.clock.nowMs() - last.atMs < LATELY_S * 1000) return null;
  try {
    const isIt = ({ kind }: Observed) => (kind === last.kind ? true : null);
    await side.until('it is there', side.mark(), RETURNS_WITHIN_S, isIt);
    return null;
  } catch {
    return `the controller has not been there for ${RETURNS_WITHIN_S} s`;
  }
}

function heartbeatRequest(seen: Observed): RequestSeen | null {
  return seen.kind === 'request' && seen.method === 'POST' && seen.path === '/api/v1/devices/heartbeat'
    ? seen
    : null;
}

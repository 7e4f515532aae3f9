import type { TransportKind } from '../controller/state.ts';
import { CONTROLLER_HTTP_CHECKS } from './controller-http-checks.ts';
import { boardChecks } from './controller-key-checks.ts';
import type { ControllerCheck } from './controller-level-checks.ts';
import { CONTROLLER_MQTT_CHECKS } from './controller-mqtt-checks.ts';
import { listens } from './controller-seen.ts';
import type { GatewaySide } from './gateway-side.ts';
import type { Observed } from './observed.ts';
import type { CheckResult, Report, RunDeps } from './report.ts';
import { reportOf, runChecks } from './report.ts';

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

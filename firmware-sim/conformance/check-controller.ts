import type { TransportKind } from '../controller/state.ts';
import { CONTROLLER_HTTP_CHECKS } from './controller-http-checks.ts';
import { CONTROLLER_MQTT_CHECKS } from './controller-mqtt-checks.ts';
import type { GatewaySide } from './gateway-side.ts';
import type { CheckResult, Report } from './report.ts';
import { reportOf, runChecks } from './report.ts';

export const CONTROLLER_CHECKS = { mqtt: CONTROLLER_MQTT_CHECKS, http: CONTROLLER_HTTP_CHECKS } as const;

/** Checks the controller that connects to this gateway side. It may come at any time within a minute and a half. */
export async function checkController(
  deps: { tell: (result: CheckResult) => void },
  side: GatewaySide,
  transport: TransportKind,
): Promise<Report> {
  const checks = CONTROLLER_CHECKS[transport];
  const results = await runChecks({ nowMs: side.clock.nowMs, ...deps }, checks, side);
  return reportOf(`${side.identity.device_id} over ${transport}`, results);
}

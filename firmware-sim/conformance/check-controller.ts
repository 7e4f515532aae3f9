import type { TransportKind } from '../controller/state.ts';
import { CONTROLLER_HTTP_CHECKS } from './controller-http-checks.ts';
import { boardChecks } from './controller-key-checks.ts';
import { CONTROLLER_MQTT_CHECKS } from './controller-mqtt-checks.ts';
import type { GatewaySide } from './gateway-side.ts';
import type { CheckResult, Report } from './report.ts';
import { reportOf, runChecks } from './report.ts';

export const CONTROLLER_CHECKS = { mqtt: CONTROLLER_MQTT_CHECKS, http: CONTROLLER_HTTP_CHECKS } as const;

/**
 * Checks the controller that connects to this gateway side. It may come at any time within a minute and a half. With a
 * claim code it comes as a board without a key.
 */
export async function checkController(
  deps: { tell: (result: CheckResult) => void },
  side: GatewaySide,
  transport: TransportKind,
  claim: string | null = null,
): Promise<Report> {
  const checks = [...(claim === null ? [] : boardChecks(claim)), ...CONTROLLER_CHECKS[transport]];
  const results = await runChecks({ nowMs: side.clock.nowMs, ...deps }, checks, side);
  return reportOf(`${side.identity.device_id} over ${transport}`, results);
}

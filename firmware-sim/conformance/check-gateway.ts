import { GATEWAY_HTTP_CHECKS } from './gateway-http-checks.ts';
import { GATEWAY_KEY_CHECKS } from './gateway-key-checks.ts';
import { GATEWAY_MQTT_CHECKS } from './gateway-mqtt-checks.ts';
import { GATEWAY_ORDER_CHECKS } from './gateway-order-checks.ts';
import type { GatewayUnderTest } from './gateway-under-test.ts';
import type { CheckResult, Report } from './report.ts';
import { reportOf, runChecks } from './report.ts';

export const GATEWAY_CHECKS = [
  ...GATEWAY_MQTT_CHECKS,
  ...GATEWAY_HTTP_CHECKS,
  ...GATEWAY_ORDER_CHECKS,
  ...GATEWAY_KEY_CHECKS,
];

/** Checks a gateway against the published protocol, one named check after another. */
export async function checkGateway(
  deps: { tell: (result: CheckResult) => void },
  gateway: GatewayUnderTest,
): Promise<Report> {
  const results = await runChecks({ nowMs: () => performance.now(), ...deps }, GATEWAY_CHECKS, gateway);
  return reportOf(gateway.httpBase, results);
}

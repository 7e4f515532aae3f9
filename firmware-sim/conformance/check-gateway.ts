import { createRealClock } from '../sim-clock.ts';
import { GATEWAY_END_CHECKS } from './gateway-end-checks.ts';
import { GATEWAY_HTTP_CHECKS } from './gateway-http-checks.ts';
import { GATEWAY_KEY_CHECKS } from './gateway-key-checks.ts';
import { GATEWAY_MQTT_CHECKS } from './gateway-mqtt-checks.ts';
import { GATEWAY_ORDER_CHECKS } from './gateway-order-checks.ts';
import { GATEWAY_SCHEDULE_CHECKS } from './gateway-schedule-checks.ts';
import { GATEWAY_TIME_CHECKS } from './gateway-time-checks.ts';
import { GATEWAY_TRUST_CHECKS } from './gateway-trust-checks.ts';
import type { GatewayTarget, GatewayUnderTest } from './gateway-under-test.ts';
import { reachGateway } from './gateway-under-test.ts';
import type { Check, CheckResult, Report } from './report.ts';
import { reportOf, runChecks } from './report.ts';

export const GATEWAY_CHECKS: readonly Check<GatewayUnderTest>[] = [
  ...GATEWAY_MQTT_CHECKS,
  ...GATEWAY_HTTP_CHECKS,
  ...GATEWAY_TIME_CHECKS,
  ...GATEWAY_TRUST_CHECKS,
  ...GATEWAY_ORDER_CHECKS,
  ...GATEWAY_END_CHECKS,
  ...GATEWAY_SCHEDULE_CHECKS,
  ...GATEWAY_KEY_CHECKS,
];

/** A right gateway needs half a minute, and three when it is checked thoroughly. */
const RUN_S = { quick: 600, thorough: 900 };
const CHECK_S = 60;

export type CheckGatewayDeps = {
  tell: (result: CheckResult) => void;
  /** What the checking machine's clock says; absent: that of the operating system. */
  unixMs?: () => number;
};

/**
 * Checks a gateway against the published protocol, one named check after another. It ends within the limits above,
 * whatever the gateway does or leaves undone.
 */
export async function checkGateway(
  deps: CheckGatewayDeps,
  target: GatewayTarget,
  checks: readonly Check<GatewayUnderTest>[] = GATEWAY_CHECKS,
): Promise<Report> {
  const clock = createRealClock();
  const { gateway, closeAll } = reachGateway({ clock, unixMs: deps.unixMs ?? clock.unixMs }, target);
  const limits = { checkS: CHECK_S, runS: target.isThorough ? RUN_S.thorough : RUN_S.quick };
  try {
    const results = await runChecks({ clock, tell: deps.tell, limits, tidy: closeAll }, checks, gateway);
    return reportOf(target.httpBase, results);
  } finally {
    clock.stop();
  }
}

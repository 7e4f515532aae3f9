import { randomBytes } from 'node:crypto';
import { checkController } from '../conformance/check-controller.ts';
import { checkGateway } from '../conformance/check-gateway.ts';
import { startGatewaySide } from '../conformance/gateway-side.ts';
import type { GatewayTarget } from '../conformance/gateway-under-test.ts';
import { type CheckResult, type Report, tapLines } from '../conformance/report.ts';
import { createRealClock } from '../sim-clock.ts';
import { GatewayRefused, openGatewayApi, type Terminal } from './gateway-api.ts';
import { type Options, UsageError } from './options.ts';
import { readMqttUrl } from './run-fleet.ts';

const PORTS = { min: 0, max: 65_535, whole: true } as const;

/** Checks the gateway named by --conformance; answers 0 when every check passed, else 1. */
export async function runGatewayConformance(terminal: Terminal, options: Options): Promise<number> {
  const url = options.url('conformance', ['http:', 'https:']);
  if (url === undefined) throw new UsageError('--conformance needs the HTTP address of the gateway.');
  const deviceId = options.need('device-id');
  const device = {
    device_id: deviceId,
    mqtt_id: options.text('mqtt-id') ?? deviceId,
    key: options.need('key'),
  };
  const ntpPort = options.number('ntp-port', PORTS);
  const gateway: GatewayTarget = {
    httpBase: url.origin,
    mqttUrl: readMqttUrl(options, url),
    ntpPort: ntpPort === 0 ? null : ntpPort,
    device,
    user: await readUser(options, url.origin, deviceId),
    isThorough: options.is('thorough'),
  };
  return finish(terminal, options, await checkGateway({ tell: narrate(terminal, options) }, gateway));
}

/** Waits for one controller and checks it; answers 0 when every check passed, else 1. */
export async function runControllerConformance(terminal: Terminal, options: Options): Promise<number> {
  const transport = options.need('transport');
  if (transport !== 'mqtt' && transport !== 'http') {
    throw new UsageError(`--transport must be mqtt or http, not "${transport}".`);
  }
  const claim = options.text('claim') ?? null;
  if (claim !== null && transport === 'http')
    throw new UsageError('--claim needs --transport mqtt: a board without a key comes over MQTT.');
  const clock = createRealClock();
  const deviceId = options.text('device-id') ?? 'device-under-test';
  const identity = {
    device_id: deviceId,
    mqtt_id: options.text('mqtt-id') ?? deviceId,
    key: options.text('key') ?? randomBytes(32).toString('base64url'),
  };
  const side = await startGatewaySide({
    clock,
    identity,
    host: options.need('host'),
    mqttPort: options.number('port', PORTS),
    httpPort: options.number('http-port', PORTS),
  }).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`the gateway side cannot listen (${reason}): choose --port and --http-port.`, {
      cause,
    });
  });
  // On stderr: the report on stdout stays readable for programs.
  terminal.complain(
    JSON.stringify({ ready: { mqtt: side.mqttUrl, http: side.httpBase, ...identity, transport } }),
  );
  terminal.complain(
    claim === null
      ? 'Start the controller with this identity within 90 s.'
      : 'Start the board without a key, with this MQTT address, within 90 s.',
  );
  try {
    const report = await checkController({ tell: narrate(terminal, options) }, side, transport, claim);
    return finish(terminal, options, report);
  } finally {
    await side.stop();
    clock.stop();
  }
}

async function readUser(options: Options, base: string, deviceId: string): Promise<GatewayTarget['user']> {
  const email = options.text('email');
  if (email === undefined) return null;
  const api = await openGatewayApi(base, { email, password: options.need('password') });
  const point = (await api.controlPoints()).find((each) => each.device_id === deviceId);
  if (point === undefined)
    throw new GatewayRefused(`this user has no control point with device_id ${deviceId}.`);
  return { token: api.token, controlPointId: point.id };
}

/** TAP as it happens; JSON only at the end. */
function narrate(terminal: Terminal, options: Options): (result: CheckResult) => void {
  if (options.is('json')) return () => undefined;
  terminal.print('TAP version 13');
  let number = 0;
  return (result) => {
    number += 1;
    for (const line of tapLines(result, number)) terminal.print(line);
  };
}

function finish(terminal: Terminal, options: Options, report: Report): number {
  if (options.is('json')) terminal.print(JSON.stringify(report, null, 2));
  else {
    terminal.print(`1..${report.checks.length}`);
    const { passed, failed, skipped } = report;
    terminal.print(`# ${report.subject}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
  }
  return report.failed === 0 ? 0 : 1;
}

import { readFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { CONTROLLER_CHECKS } from '#sim/conformance/check-controller.ts';
import { checkGateway, GATEWAY_CHECKS } from '#sim/conformance/check-gateway.ts';
import { boardChecks } from '#sim/conformance/controller-key-checks.ts';
import { startGatewaySide } from '#sim/conformance/gateway-side.ts';
import { createRealClock } from '#sim/sim-clock.ts';

const IDENTITY = { device_id: 'pond-7', mqtt_id: 'pond-7', key: 'the-right-key' };

async function aGateway() {
  const clock = createRealClock();
  const side = await startGatewaySide({ clock, identity: IDENTITY });
  onTestFinished(async () => {
    await side.stop();
    clock.stop();
  });
  return side;
}

test('a gateway that knows only one controller fails exactly what it does not do', async () => {
  const side = await aGateway();
  const report = await checkGateway(
    { tell: () => undefined },
    { httpBase: side.httpBase, mqttUrl: side.mqttUrl, device: IDENTITY, user: null, isThorough: false },
  );
  const idsOf = (result: string) =>
    report.checks.filter((check) => check.result === result).map(({ id }) => id);
  // It has no limit on packets, calls broken JSON 422, and shows no status.
  expect(idsOf('fail')).toEqual([
    'mqtt.packet.oversize',
    'http.heartbeat.malformed',
    'report.believed',
    'will.believed',
  ]);
  expect(idsOf('skip')).toEqual([
    'mqtt.time',
    'order.delivered',
    'order.repeated',
    'order.waits',
    'order.ends',
    'key.overlap',
    'key.rotated',
    'boot.topics',
    'boot.claim.other',
    'boot.claim.own',
  ]);
  expect(report.passed).toBe(GATEWAY_CHECKS.length - 14);
});

test('a gateway with another key fails every check that needs to be let in', async () => {
  const side = await aGateway();
  const report = await checkGateway(
    { tell: () => undefined },
    {
      httpBase: side.httpBase,
      mqttUrl: side.mqttUrl,
      device: { ...IDENTITY, key: 'another-key' },
      user: null,
      isThorough: false,
    },
  );
  const failed = report.checks.filter((check) => check.result === 'fail').map(({ id }) => id);
  expect(failed).toContain('mqtt.key.right');
  expect(failed).toContain('http.heartbeat.answer');
  expect(report.checks.find((check) => check.id === 'mqtt.key.wrong')?.result).toBe('pass');
});

test('every check names a clause of the published protocol, and no two share a name', async () => {
  const text = await readFile(new URL('../../docs/device-protocol.md', import.meta.url), 'utf8');
  const clauses = new Set([...text.matchAll(/^\*\*(\d+\.\d+)\*\* /gm)].map((match) => match[1]));
  const boards = boardChecks('K7QX9M2P4RTW');
  const checks = [...GATEWAY_CHECKS, ...boards, ...CONTROLLER_CHECKS.mqtt, ...CONTROLLER_CHECKS.http];
  expect(
    checks.filter((check) => !clauses.has(check.clause)).map(({ id, clause }) => ({ id, clause })),
  ).toEqual([]);
  for (const list of [GATEWAY_CHECKS, [...boards, ...CONTROLLER_CHECKS.mqtt], CONTROLLER_CHECKS.http]) {
    expect(new Set(list.map(({ id }) => id)).size).toBe(list.length);
  }
});

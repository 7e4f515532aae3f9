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
    {
      httpBase: side.httpBase,
      mqttUrl: side.mqttUrl,
      ntpPort: null,
      device: IDENTITY,
      user: null,
      isThorough: false,
    },
  );
  const idsOf = (result: string) =>
    report.checks.filter((check) => check.result === result).map(({ id }) => id);
  // It has no limit on packets, calls broken JSON 422, and shows no status.
  expect(idsOf('fail')).toEqual(['mqtt.packet.oversize', 'http.heartbeat.malformed', 'report.believed']);
  const notJudged = report.checks.filter(({ reason }) => reason?.startsWith('not judged'));
  expect(notJudged.map(({ id }) => id)).toEqual([
    'order.qos',
    'order.repeated',
    'order.waits',
    'report.fields',
    'will.believed',
    'will.late',
    'event.once',
    'online.ends',
    'order.ends',
    'order.endless',
  ]);
  expect(idsOf('skip').filter((id) => !notJudged.some((check) => check.id === id))).toEqual([
    'mqtt.time',
    'ntp.time',
    'tls.chain',
    'order.delivered',
    'schedule.told',
    'key.mqtt-id',
    'key.bits',
    'key.overlap',
    'key.rotated',
    'boot.topics',
    'boot.claim.other',
    'boot.claim.own',
    'boot.window.ends',
  ]);
  expect(report.passed).toBe(GATEWAY_CHECKS.length - 26);
});

test('a gateway with another key fails every check that needs to be let in', async () => {
  const side = await aGateway();
  const report = await checkGateway(
    { tell: () => undefined },
    {
      httpBase: side.httpBase,
      mqttUrl: side.mqttUrl,
      ntpPort: null,
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

const BOARDS = boardChecks('K7QX9M2P4RTW');
const OF_CONTROLLERS = [...BOARDS, ...CONTROLLER_CHECKS.mqtt, ...CONTROLLER_CHECKS.http];

async function readProtocol(): Promise<{ text: string; clauses: string[] }> {
  const text = await readFile(new URL('../../docs/device-protocol.md', import.meta.url), 'utf8');
  const clauses = [...text.matchAll(/^\*\*(\d+(?:\.\d+)+)\*\* /gm)].map((match) => match[1] ?? '');
  return { text, clauses };
}

test('every check names a clause of the published protocol, and no two share a name', async () => {
  const { clauses } = await readProtocol();
  const checks = [...GATEWAY_CHECKS, ...OF_CONTROLLERS];
  expect(
    checks.filter((check) => !clauses.includes(check.clause)).map(({ id, clause }) => ({ id, clause })),
  ).toEqual([]);
  for (const list of [GATEWAY_CHECKS, [...BOARDS, ...CONTROLLER_CHECKS.mqtt], CONTROLLER_CHECKS.http]) {
    expect(new Set(list.map(({ id }) => id)).size).toBe(list.length);
  }
});

test('what a check needs is checked before it', () => {
  for (const list of [GATEWAY_CHECKS, CONTROLLER_CHECKS.mqtt, CONTROLLER_CHECKS.http]) {
    for (const [index, { id, needs = [] }] of list.entries()) {
      const before = list.slice(0, index).map((check) => check.id);
      expect({ id, missing: needs.filter((name) => !before.includes(name)) }).toEqual({ id, missing: [] });
    }
  }
});

test('the table of the protocol tells of every clause which checks there are, or why there is none', async () => {
  const { text, clauses } = await readProtocol();
  const rows = [...text.slice(text.indexOf('## 13.')).matchAll(/^\| (\d[\d.]*) +\|(.*)\|(.*)\|(.*)\|$/gm)];
  const named = (cell: string | undefined) =>
    [...(cell ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1]);
  expect(rows.map((row) => row[1])).toEqual(clauses);
  for (const [, clause, ofGateway, ofController, whyNot] of rows) {
    const idsOf = (checks: readonly { id: string; clause: string }[]) => [
      ...new Set(checks.filter((check) => check.clause === clause).map(({ id }) => id)),
    ];
    expect({ clause, gateway: named(ofGateway), controller: named(ofController) }).toEqual({
      clause,
      gateway: idsOf(GATEWAY_CHECKS),
      controller: idsOf(OF_CONTROLLERS),
    });
    const isChecked = named(ofGateway).length + named(ofController).length > 0;
    if (!isChecked) expect(`${clause}: ${whyNot?.trim()}`).toMatch(/: \S/);
  }
});

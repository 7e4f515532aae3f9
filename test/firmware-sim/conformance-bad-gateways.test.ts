import { createSocket } from 'node:dgram';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkGateway, GATEWAY_CHECKS } from '#sim/conformance/check-gateway.ts';
import type { GatewayTarget, GatewayUnderTest } from '#sim/conformance/gateway-under-test.ts';
import type { Check, CheckResult } from '#sim/conformance/report.ts';
import { lastingPort } from '#test/lasting-port.ts';
import { type RealFarm, startFarm } from '../real/a-farm.ts';
import { BAD_FOR_BOARDS, BAD_GATEWAYS, type BadGateway } from './bad-gateways.ts';
import { standBetweenHttp, standBetweenMqtt } from './between.ts';

// The built program behind somebody who makes it do one thing wrong: the run must find that, nothing else, and end.

/** The slowest needs half a minute on a quiet machine; the run's own limit is ten. */
const ENDS_WITHIN_MS = 240_000;
/** What is checked of each: the provisioning window is one for the whole program. */
const FOR_ALL_AT_ONCE = GATEWAY_CHECKS.filter(({ id }) => !id.startsWith('boot.') || id === 'boot.closed');
const FOR_BOARDS = GATEWAY_CHECKS.filter(({ id }) => /^(boot\.|mqtt\.answers$|http\.answers$)/.test(id));

type Found = { failed: readonly CheckResult[]; skipped: readonly string[]; tookMs: number };

describe('a gateway that does one thing wrong fails the checks of that, and no other', () => {
  const farms: OwnGateway[] = [];
  let right: Found;
  /** All at the same time: they wait most of it. */
  const found = new Map<string, Promise<Found>>();
  beforeAll(async () => {
    const [farm, boards] = await Promise.all([aGateway(farms), aGateway(farms)]);
    // before the others: it opens the window
    right = await check(farm, {}, GATEWAY_CHECKS);
    for (const bad of BAD_GATEWAYS) found.set(bad.name, check(farm, bad, FOR_ALL_AT_ONCE));
    let before: Promise<unknown> = Promise.resolve();
    for (const bad of BAD_FOR_BOARDS) {
      const turn = before.then(() => check(boards, bad, FOR_BOARDS));
      before = turn.catch(() => undefined);
      found.set(bad.name, turn);
    }
  }, ENDS_WITHIN_MS);
  afterAll(async () => {
    for (const { farm } of farms) await farm.close();
  });

  it('the right one passes everything, TLS, SNTP and boards without a key among it', () => {
    expect(right.failed).toEqual([]);
    expect(right.skipped).toEqual(['mqtt.time', 'online.ends']);
  });

  it.for([...BAD_GATEWAYS, ...BAD_FOR_BOARDS])(
    '$name',
    { timeout: ENDS_WITHIN_MS },
    async ({ name, fails }) => {
      const ended = await found.get(name);
      expect(ended?.failed.map(({ id }) => id)).toEqual(fails);
      // each says what was seen
      for (const { reason } of ended?.failed ?? []) expect(reason).toMatch(/\S/);
      expect(ended?.tookMs).toBeLessThan(ENDS_WITHIN_MS);
    },
  );
});

type OwnGateway = { farm: RealFarm; ntpPort: number; made: number };

/** The program with everything that it offers to a controller. */
async function aGateway(started: OwnGateway[]): Promise<OwnGateway> {
  const ports = [await lastingPort(), await lastingPort(), await lastingPort()];
  const named = ['https', 'mqtts', 'ntp'].flatMap((name, index) => [`--${name}-port`, `${ports[index]}`]);
  // SNTP is served to a network alone
  const farm = await startFarm({ args: ['--host', '0.0.0.0', '--local-plan', 'ENTERPRISE', ...named] });
  const own = { farm, ntpPort: ports[2] ?? 0, made: 0 };
  started.push(own);
  return own;
}

async function check(
  own: OwnGateway,
  bad: Partial<BadGateway>,
  checks: readonly Check<GatewayUnderTest>[],
): Promise<Found> {
  const { farm } = own;
  own.made += 1;
  const closing: (() => void)[] = [];
  // many addresses, as many boards have: from one alone only so many come in a minute
  const mqtt = await standBetweenMqtt({ port: farm.ports.mqtt, from: `127.0.1.${own.made}` }, bad.mqtt?.());
  const http = await standBetweenHttp({ port: farm.ports.http }, bad.http?.());
  closing.push(mqtt.close, http.close);
  const point = await farm.point();
  const target: GatewayTarget = {
    httpBase: `http://127.0.0.1:${http.port}`,
    mqttUrl: `mqtt://127.0.0.1:${mqtt.port}`,
    ntpPort: bad.ntpAheadS === undefined ? own.ntpPort : await anNtpServer(bad.ntpAheadS, closing),
    device: { device_id: point.device_id, mqtt_id: point.mqtt_id, key: await farm.key(point) },
    user: { token: farm.token, controlPointId: point.id },
    isThorough: false,
  };
  const startedMs = performance.now();
  const { checks: results } = await checkGateway({ tell: () => undefined }, target, checks);
  const tookMs = performance.now() - startedMs;
  for (const close of closing) close();
  return {
    failed: results.filter(({ result }) => result === 'fail'),
    skipped: results.filter(({ result }) => result === 'skip').map(({ id }) => id),
    tookMs,
  };
}

/** A server of SNTP whose clock is ahead. */
async function anNtpServer(aheadS: number, closing: (() => void)[]): Promise<number> {
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) => {
    const answer = Buffer.alloc(48);
    answer[0] = 0b00_100_100;
    answer[1] = 2;
    question.copy(answer, 24, 40, 48);
    const at = Date.now() / 1000 + 2_208_988_800 + aheadS;
    answer.writeUInt32BE(Math.floor(at), 40);
    socket.send(answer, port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  closing.push(() => socket.close());
  return socket.address().port;
}

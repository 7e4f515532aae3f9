import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBroker } from '#app/control/broker.ts';
import { checkGateway } from '#sim/conformance/check-gateway.ts';
import type { Report } from '#sim/conformance/report.ts';
import { aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';

describe('our gateway keeps the published protocol', () => {
  let app: Awaited<ReturnType<typeof startApp>>;
  let broker: Awaited<ReturnType<typeof openBroker>>;
  let owner: { token: string; farmId: string };
  let report: Report;

  beforeAll(async () => {
    app = await startApp('sqlite', [
      '--trust-clock',
      'yes',
      ...['--https-port', '--mqtts-port'].flatMap((port) => [port, 'off']),
    ]);
    broker = await openBroker(app.config, app, createServer());
    const { port } = await broker.listenTcp(0, '127.0.0.1');
    app.control.attach(broker.link);
    app.control.attachTalk(broker.talk);
    owner = await aFarmWith(app);
    const point = await aControlPoint(app, owner);
    const issued = await app.call('POST', `/control-points/${point.id}/device-key`, { token: owner.token });
    // what is left of a level passes by the gateway's own clock
    const clock = setInterval(() => app.clock.advance(100), 100);
    report = await checkGateway(
      { tell: () => undefined, unixMs: app.clock.now },
      {
        httpBase: app.base,
        mqttUrl: `mqtt://127.0.0.1:${port}`,
        ntpPort: null,
        device: {
          device_id: point.device_id,
          mqtt_id: point.mqtt_id,
          key: String(body(issued)['key']),
        },
        user: { token: owner.token, controlPointId: point.id },
        isThorough: false,
      },
    ).finally(() => clearInterval(clock));
  });
  afterAll(async () => {
    await broker.stop();
    await app.close();
  });

  test('every quick check passes, those of keys and of boards without one among them', () => {
    const others = report.checks.filter(({ result }) => result !== 'pass');
    // what takes a minute is left to a thorough run; this program serves neither SNTP nor TLS
    expect(others.map(({ id, result, reason }) => ({ id, result, reason }))).toEqual([
      { id: 'mqtt.time', result: 'skip', reason: expect.stringContaining('--thorough') },
      { id: 'ntp.time', result: 'skip', reason: expect.stringContaining('--ntp-port') },
      { id: 'tls.chain', result: 'skip', reason: expect.stringContaining('no TLS') },
      { id: 'online.ends', result: 'skip', reason: expect.stringContaining('--thorough') },
    ]);
    expect(report.checks.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['key.overlap', 'key.rotated', 'boot.claim.other', 'boot.claim.own']),
    );
  });

  test('and leaves nothing behind on the farm: no control point, no open window', async () => {
    const points = await app.call('GET', '/control-points/', { token: owner.token });
    expect(points.body).toHaveLength(1);
    expect((await app.call('GET', '/adoption/window', { token: owner.token })).body).toMatchObject({
      is_open: false,
    });
  });
});

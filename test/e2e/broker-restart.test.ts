import { createServer } from 'node:http';
import net from 'node:net';
import { Aedes } from 'aedes';
import { generate, parser } from 'mqtt-packet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hardenServer } from '#adapters/http/harden-server.ts';
import { openBroker } from '#app/control/broker.ts';
import { type App, aControlPoint, aFarmWith, body, type MadeControlPoint, startApp } from '#test/app.ts';
import { heldUpFromNow } from '#test/held-up.ts';

const CONTROLLERS = 200;

type Controller = { point: MadeControlPoint; key: string };
type Line = { closed: Promise<void>; targets: string[]; end: () => void };

/** Connects as a controller does: level asked for, motor reported. Resolves when both were answered. */
async function connect(port: number, { point, key }: Controller): Promise<Line> {
  const socket = net.connect(port, '127.0.0.1');
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const { promise: served, resolve, reject } = Promise.withResolvers<void>();
  void closed.then(() => reject(new Error(`${point.mqtt_id} was disconnected`)));
  const own = `sf/v1/d/${point.mqtt_id}`;
  const missing = new Set(['publish', 'puback']);
  const targets: string[] = [];
  const read = parser();
  read.on('packet', (packet) => {
    if (packet.cmd === 'publish') {
      targets.push((JSON.parse(packet.payload.toString()) as { target_status: string }).target_status);
    }
    missing.delete(packet.cmd);
    if (missing.size === 0) resolve();
  });
  socket.on('data', (chunk: Buffer) => read.parse(chunk));
  socket.write(
    Buffer.concat([
      generate({
        cmd: 'connect',
        protocolId: 'MQTT',
        protocolVersion: 4,
        clean: true,
        keepalive: 60,
        clientId: point.mqtt_id,
        username: point.mqtt_id,
        password: Buffer.from(key),
      }),
      generate({
        cmd: 'subscribe',
        messageId: 1,
        subscriptions: [{ topic: `${own}/shadow/desired`, qos: 1 }],
      }),
      generate({
        cmd: 'publish',
        topic: `${own}/hb`,
        payload: JSON.stringify({ current_status: 'OFF' }),
        qos: 1,
        messageId: 2,
        dup: false,
        retain: false,
      }),
    ]),
  );
  await served;
  return { closed, targets, end: () => socket.destroy() };
}

describe('a broker that falls silent under a whole farm', () => {
  let app: App;
  let broker: Awaited<ReturnType<typeof openBroker>>;
  let token: string;
  let port: number;
  let lines: Line[] = [];
  const controllers: Controller[] = [];
  const server = createServer();

  beforeAll(async () => {
    app = await startApp('sqlite');
    const farm = await aFarmWith(app);
    token = farm.token;
    for (let n = 0; n < CONTROLLERS; n++) {
      const point = await aControlPoint(app, farm);
      const issued = await app.call('POST', `/control-points/${point.id}/device-key`, { token });
      controllers.push({ point, key: String(body(issued)['key']) });
    }
    broker = await openBroker(app.config, app, hardenServer(server));
    ({ port } = await broker.listenTcp(0, '127.0.0.1'));
    app.control.attach(broker.link);
    lines = await Promise.all(controllers.map((controller) => connect(port, controller)));
  });

  afterAll(async () => {
    for (const line of lines) line.end();
    await broker.stop();
    server.close();
    await app.close();
  });

  const ready = async () => (await (await fetch(`${app.base}/readyz`)).json()) as { checks: object };
  const metrics = async () => (await fetch(`${app.base}/metrics`)).text();
  const count = async (path: string) => ((await app.call('GET', path, { token })).body as unknown[]).length;

  it('is seen in /readyz, started anew, and everybody is served again within 5 s', async () => {
    expect((await ready()).checks).toMatchObject({ broker: { ok: true } });
    const { publish } = Aedes.prototype;
    Aedes.prototype.publish = () => {};
    try {
      await broker.look();
      expect((await ready()).checks).toMatchObject({
        broker: { ok: false, detail: 'messages do not get through the broker' },
      });
      await broker.look();
    } finally {
      Aedes.prototype.publish = publish;
    }
    await Promise.all(lines.map(({ closed }) => closed));
    const [startedAt, heldUp] = [performance.now(), heldUpFromNow()];
    lines = await Promise.all(controllers.map((controller) => connect(port, controller)));
    expect(performance.now() - startedAt - heldUp()).toBeLessThan(5_000);
    expect(broker.clientCount()).toBe(CONTROLLERS);
    expect((await ready()).checks).toMatchObject({ broker: { ok: true } });
  });

  it('moved no motor, wrote no order and raised no alert', async () => {
    app.clock.advance(5_000);
    await app.control.executor.tick();
    await app.watches.tick();
    expect(new Set(lines.flatMap(({ targets }) => targets))).toEqual(new Set(['OFF']));
    expect(await count('/alerts/')).toBe(0);
    for (const { point } of controllers.slice(0, 10)) {
      expect(await count(`/control-points/${point.id}/orders`)).toBe(0);
    }
  });

  it('is told: in the log, in the figures and once to the people of the farm', async () => {
    expect(app.sentences.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        fields: { connected: CONTROLLERS },
        sentence: 'the broker fell silent and is started anew; controllers come back by themselves',
      },
    ]);
    expect(await metrics()).toContain('mqtt_broker_restarts_total 1');
    expect(await metrics()).toContain(`mqtt_events_total{event="connects"} ${2 * CONTROLLERS}`);
    const { notifications } = body(await app.call('GET', '/notifications/', { token }));
    expect(notifications).toMatchObject([
      { type: 'SYSTEM', title: 'Conexão com os controladores reiniciada' },
    ]);
  });

  it('an order given afterwards reaches its controller', async () => {
    const [first] = controllers;
    const ordered = await app.call('POST', `/control-points/${first?.point.id}/turn-on`, { token });
    expect(ordered.status).toBe(200);
    await expect.poll(() => lines[0]?.targets.at(-1)).toBe('ON');
  });

  it('what is refused is counted by reason and said in one line', async () => {
    const before = app.sentences.length;
    for (let n = 0; n < 30; n++) {
      await app.call('GET', '/farms/', { token: 'no token' });
      await app.call('POST', '/farms/', { token, body: { name: '' } });
      await app.call('GET', '/nothing-here');
    }
    const stranger = net.connect(port, '127.0.0.1');
    stranger.end('GET / HTTP/1.1\r\n\r\n');
    await new Promise((resolve) => stranger.once('close', resolve).resume());
    expect(app.sentences).toHaveLength(before);
    app.refusals.tell();
    app.refusals.tell();
    expect(app.sentences.slice(before)).toEqual([
      {
        level: 'warn',
        fields: {
          mqtt: { connection_errors: 1 },
          http: { '401 NOT_AUTHENTICATED': 30, '422 VALIDATION_ERROR': 30, '404 NOT_FOUND': 30 },
          sources: { '127.0.0.1': 91 },
        },
        sentence: 'refused since the last such line',
      },
    ]);
    const text = await metrics();
    expect(text).toContain('http_refused_total{status="422",code="VALIDATION_ERROR"} 30');
    expect(text).toContain('mqtt_refused_total{reason="connection_errors"} 1');
  });
});

import { createServer } from 'node:http';
import { connectAsync } from 'mqtt';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openBroker } from '#app/control/broker.ts';
import { type App, aControlPoint, aFarmWith, body, type MadeControlPoint, startApp } from '#test/app.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

describe('a level that ends by itself', () => {
  let app: App;
  let token: string;
  let point: MadeControlPoint;
  let path: string;
  let key: string;
  beforeEach(async () => {
    app = await startApp('sqlite');
    const farm = await aFarmWith(app);
    ({ token } = farm);
    point = await aControlPoint(app, { ...farm, target_status: 'ON' });
    path = `/control-points/${point.id}`;
    key = String(body(await app.call('POST', `${path}/device-key`, { token }))['key']);
  });
  afterEach(() => app.close());

  const order = (what: 'turn-on' | 'turn-off', for_s?: number) =>
    app.call('POST', `${path}/${what}`, { token, body: for_s === undefined ? {} : { for_s } });
  const heartbeat = async (fields: object = {}, bearer: string | null = key) =>
    body(
      await app.call('POST', '/devices/heartbeat', {
        ...(bearer === null ? {} : { token: bearer }),
        body: { device_id: point.device_id, current_status: 'OFF', ...fields },
      }),
    );
  const status = async () =>
    body(await app.call('GET', `/devices/status/${point.device_id}`, { token: key }));
  const target = async () => body(await app.call('GET', path, { token }))['target_status'];
  async function pass(seconds: number): Promise<void> {
    for (let n = 0; n < seconds; n += 1) {
      app.clock.advance(SECOND);
      app.lookAtClock();
      await app.control.executor.tick();
    }
  }
  const endOf = ({ until, then }: Record<string, unknown>) => ({ until, then });

  it('says in every answer what is left of it then, and what follows', async () => {
    await order('turn-off', 600);
    expect(endOf(await heartbeat())).toEqual({ until: 600, then: 'ON' });
    app.clock.advance(90_500);
    expect(endOf(await heartbeat())).toEqual({ until: 510, then: 'ON' });
    expect(endOf(await status())).toEqual({ until: 510, then: 'ON' });
    app.stepWallClock(HOUR);
    app.lookAtClock();
    expect(endOf(await heartbeat())).toEqual({ until: 510, then: 'ON' });
    app.stepWallClock(-90 * 24 * HOUR);
    app.lookAtClock();
    expect(endOf(await heartbeat())).toEqual({ until: 510, then: 'ON' });
    const reported = await app.call('PUT', `/iot/shadow/${point.device_id}`, {
      token: key,
      body: { current_status: 'OFF' },
    });
    expect(endOf(body(reported))).toEqual({ until: 510, then: 'ON' });
  });

  it('is the only one that says so: none without end, none that stays as it is, none under a stronger reason', async () => {
    expect(endOf(await heartbeat())).toEqual({});
    await order('turn-off');
    expect(endOf(await heartbeat())).toEqual({});
    await order('turn-off', 600);
    // the order without end holds again
    expect(endOf(await heartbeat())).toEqual({});
    await order('turn-on', 600);
    expect(endOf(await heartbeat())).toEqual({ until: 600, then: 'OFF' });
    await app.call('POST', `${path}/lock-out`, { token, body: { reason: 'work' } });
    await pass(2);
    expect(endOf(await heartbeat())).toEqual({});
  });

  it('in the moment in which it is over and nothing has taken its place, has nothing left', async () => {
    await order('turn-off', 60);
    app.clock.advance(61_000);
    expect(await heartbeat()).toMatchObject({ target_status: 'OFF', until: 0, then: 'ON' });
    await pass(1);
    const next = await heartbeat();
    expect(next).toMatchObject({ target_status: 'ON' });
    expect(endOf(next)).toEqual({});
  });

  it('is over here, too, when its controller says that it came to its end, by its key alone', async () => {
    const { version } = body(await order('turn-off', 600)) as { version: number };
    const { epoch } = await heartbeat();
    const ended = { ended: true, current_status: 'ON', version, epoch };
    await heartbeat({ ...ended, version: version - 1 });
    await heartbeat({ ...ended, epoch: 'another' });
    await pass(2);
    expect(await target()).toBe('OFF');
    await heartbeat(ended, null);
    await pass(2);
    expect(await target()).toBe('OFF');
    await heartbeat(ended);
    await pass(2);
    expect(await target()).toBe('ON');
  });

  it('that held again after a shorter one is over as a whole when its controller says so', async () => {
    await order('turn-off', 600);
    await order('turn-on', 10);
    await pass(12);
    const level = await heartbeat();
    expect(level).toMatchObject({ target_status: 'OFF', until: 588, then: 'ON' });
    const { version, epoch } = level;
    await heartbeat({ ended: true, current_status: 'ON', version, epoch });
    await pass(2);
    expect(await target()).toBe('ON');
  });

  it('is told as it is then to a controller that connected long before it subscribes', async () => {
    const broker = await openBroker(app.config, app, createServer());
    try {
      app.control.attach(broker.link);
      const { port } = await broker.listenTcp(0, '127.0.0.1');
      await order('turn-off', 600);
      const client = await connectAsync(`mqtt://127.0.0.1:${port}`, {
        clientId: point.mqtt_id,
        username: point.mqtt_id,
        password: key,
      });
      const told: unknown[] = [];
      client.on('message', (_topic, payload) => void told.push(JSON.parse(payload.toString())));
      app.clock.advance(250 * SECOND);
      await client.subscribeAsync(`sf/v1/d/${point.mqtt_id}/shadow/desired`);
      await expect.poll(() => told).toMatchObject([{ target_status: 'OFF', until: 350, then: 'ON' }]);
      await client.endAsync(true);
    } finally {
      await broker.stop();
    }
  });

  it('is told again to its controller when something changes what follows, and waits retained as it is by then', async () => {
    const broker = await openBroker(app.config, app, createServer());
    try {
      const sent: Record<string, unknown>[] = [];
      app.control.attach({
        ...broker.link,
        publishShadow(mqttId, level) {
          sent.push(level);
          broker.link.publishShadow(mqttId, level);
        },
      });
      await order('turn-off', 600);
      const told = sent.length;
      app.control.refreshEnds();
      app.control.refreshLevels();
      expect(sent.slice(told)).toEqual([]);
      // OFF begins in the pause and reaches beyond its end
      app.clock.advance(10 * SECOND);
      const start_time = new Date(app.clock.now() + 30 * SECOND).toISOString();
      const body = { action: 'OFF', start_time };
      const made = await app.call('POST', `${path}/schedules`, { token, body });
      expect(sent.slice(told).map(endOf)).toEqual([{}]);
      await app.call('DELETE', `/schedules/${(made.body as { id: string }).id}`, { token });
      expect(sent.slice(told).map(endOf)).toEqual([{}, { until: 590, then: 'ON' }]);
      app.clock.advance(100 * SECOND);
      expect(app.control.levelsOf(point.mqtt_id)?.shadow).toMatchObject({ until: 490, then: 'ON' });
    } finally {
      await broker.stop();
    }
  });
});

import { connectAsync } from 'mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RelayFarm, startRelayFarm } from './relays/a-relay-farm.ts';
import { startShellyGen1 } from './relays/shelly-gen1.ts';
import { canMoveClocks } from './started-gateway.ts';

// Relays that cannot do what the farm wants, or that nobody understands: each is set right, or named and told within 90 s.

const SPEED = 6;
/** The motor is where the farm wants it, or somebody is told, farm seconds. */
const BOUND_S = 90;

const versionOf = (answer: unknown): unknown =>
  typeof answer === 'object' && answer !== null && 'version' in answer ? answer.version : null;

describe.skipIf(!canMoveClocks).concurrent('a relay that is wrong for the farm', () => {
  let farm: RelayFarm;
  beforeAll(async () => {
    farm = await startRelayFarm(SPEED);
  });
  afterAll(() => farm?.close());

  const isWarned = (point: Parameters<RelayFarm['warnings']>[0], code: string) =>
    farm.within(
      BOUND_S,
      () => farm.warnings(point),
      (codes) => codes.includes(code),
    );

  it('a Tasmota that somebody made speak Portuguese is understood again, and its motor runs on', async () => {
    const point = await farm.point();
    const relay = await farm.tasmota(point);
    await farm.online(point);
    await farm.order(point, 'on');
    await farm.reaches(relay, 'ON');
    if (relay.kind !== 'tasmota') throw new Error('a Tasmota');
    relay.own.type('StateText1', 'DESLIGADO');
    relay.own.type('StateText2', 'LIGADO');
    relay.own.type('POWER1', '');
    await farm.within(
      BOUND_S,
      () => relay.own.setting('StateText2'),
      (word) => word === 'ON',
    );
    await farm.within(
      BOUND_S,
      () => farm.relayOf(point),
      ({ current_status }) => current_status === 'ON',
    );
    expect(relay.starts()).toBe(1);
    expect(await farm.warnings(point)).toEqual([]);
  });

  it.each([
    ['whose state words stay Portuguese', 'StateText2', 'LIGADO'],
    ['whose state words stay signs', 'StateText2', '\u25CF'],
    ['whose state words stay empty of meaning', 'StateText2', 'true-ish'],
  ])('a Tasmota %s is told as unreadable', async (_, name, word) => {
    const point = await farm.point();
    const relay = await farm.tasmota(point, { before: { [name]: word }, stuck: [name] });
    await farm.online(point);
    await farm.order(point, 'on');
    await farm.reaches(relay, 'ON');
    await farm.isTold(point);
    await isWarned(point, 'UNREADABLE');
  });

  it.each([
    ['no JSON', 'not { JSON'],
    ['another form', JSON.stringify({ id: 0, output: 'on' })],
    ['nothing of its output', JSON.stringify({ id: 0, source: 'init' })],
  ])('a Shelly that tells %s of its switch is told as unreadable', async (_, payload) => {
    const point = await farm.point();
    const relay = await farm.shelly(point);
    await farm.online(point);
    if (relay.kind !== 'shelly') throw new Error('a Shelly');
    const { own } = relay;
    await farm.order(point, 'on');
    await farm.reaches(relay, 'ON');
    own.garble((topic) => (topic.includes('/status/switch:0') ? payload : null));
    await farm.isTold(point);
    await isWarned(point, 'UNREADABLE');
  });

  it('a Shelly in cover profile is told as one, and so is the motor that stands still', async () => {
    const point = await farm.point();
    await farm.shelly(point, { profile: 'cover' });
    await farm.order(point, 'on');
    await isWarned(point, 'COVER_PROFILE');
    await farm.isTold(point);
  });

  it('a Shelly of the first generation is named in every list it knocks into, and cannot be adopted from one', async () => {
    const knocking = startShellyGen1({
      mqtt: farm.mqtt,
      id: 'shellyswitch25-D0C9A1',
      user: 'shellyswitch25-D0C9A1',
      password: 'x',
    });
    const cards = await farm.within(
      BOUND_S,
      () => farm.list('/relays/discovered'),
      (found) => found.some(({ model }) => model === 'shellyswitch25'),
    );
    knocking.stop();
    const card = cards.find(({ model }) => model === 'shellyswitch25');
    const sentence = expect.stringContaining('first generation: not supported');
    expect(card).toMatchObject({ kind: 'shelly', unsupported: sentence });
    const named = ({ device_id }: Record<string, unknown>) => device_id === 'shellyswitch25-D0C9A1';
    expect((await farm.list('/adoption/queue')).find(named)).toMatchObject({ unsupported: sentence });
    expect((await farm.list('/devices/seen')).find(named)).toMatchObject({ unsupported: sentence });
    const point = await farm.point();
    const refused = await farm.ask('PUT', `/control-points/${point.id}/relay`, {
      kind: 'shelly',
      discovered_id: card?.['id'],
    });
    expect(refused).toMatchObject({ status: 409, body: { code: 'RELAY_NOT_SUPPORTED', detail: sentence } });
    expect((await farm.get(`/control-points/${point.id}/relay`))['relay']).toBeNull();
  });

  it('a Shelly of the first generation that was adopted unseen is told as one', async () => {
    const point = await farm.point();
    const { settings } = (await farm.put(`/control-points/${point.id}/relay`, { kind: 'shelly' })) as {
      settings: { mqtt_user: string; mqtt_password: string };
    };
    const { mqtt_user: user, mqtt_password: password } = settings;
    const relay = startShellyGen1({ mqtt: farm.mqtt, id: user, user, password });
    await farm.order(point, 'on');
    await isWarned(point, 'FIRST_GENERATION');
    expect(await farm.warnings(point)).not.toContain('NOT_LISTENING');
    await farm.isTold(point);
    relay.stop();
  });

  it('a Tasmota with a sensor without a value still tells power and energy', async () => {
    const point = await farm.point();
    const relay = await farm.tasmota(point, { hasMeter: false });
    await farm.online(point);
    if (relay.kind !== 'tasmota') throw new Error('a Tasmota');
    const { own } = relay;
    const energy = (total: number) =>
      `{"Time":"2026-01-01T00:00:00","DS18B20":{"Id":"00","Temperature":nan},"AM2301":{"Temperature":-inf,"Humidity": nan },"ENERGY":{"TotalStartTime":"2025-01-01T00:00:00","Total":${total},"Power":1490,"Voltage":220,"Current":7.9}}`;
    await farm.order(point, 'on');
    await farm.reaches(relay, 'ON');
    for (const total of [5, 5.01, 5.02]) {
      own.say([{ topic: own.topicOf('tele', 'SENSOR'), payload: energy(total) }]);
      await farm.pass(5);
    }
    const shown = await farm.within(
      BOUND_S,
      () => farm.relayOf(point),
      ({ power_w }) => power_w === 1_490,
    );
    expect(shown['energy']).toMatchObject({ counted_wh: 20 });
  });

  it.each([
    ['0 once, as its first word', [0, 1.41, 1.42], 10],
    ['0 once, in the middle', [1.41, 0, 1.42], 10],
    ['0 for a while, as its first word', [0, 0, 0, 1.41, 1.42], 10],
  ])(
    'a counter that shows %s and then a life-time figure books nothing false',
    async (_, totals, counted) => {
      const point = await farm.point();
      const relay = await farm.tasmota(point, { hasMeter: false });
      await farm.online(point);
      if (relay.kind !== 'tasmota') throw new Error('a Tasmota');
      const { own } = relay;
      await farm.order(point, 'on');
      await farm.reaches(relay, 'ON');
      for (const Total of totals) {
        const body = { ENERGY: { TotalStartTime: '2025-01-01T00:00:00', Total, Power: 1_490 } };
        own.say([{ topic: own.topicOf('tele', 'SENSOR'), payload: JSON.stringify(body) }]);
        await farm.pass(2);
      }
      await farm.within(
        BOUND_S,
        () => farm.relayOf(point),
        ({ energy }) => (energy as { counted_wh: number } | null)?.counted_wh === counted,
      );
    },
  );

  it('a Tasmota that would wait longer than it must between two attempts is set right', async () => {
    const point = await farm.point();
    const relay = await farm.tasmota(point);
    await farm.online(point);
    if (relay.kind !== 'tasmota') throw new Error('a Tasmota');
    relay.own.type('MqttRetry', '60');
    await farm.within(
      BOUND_S,
      () => relay.own.setting('MqttRetry'),
      (seconds) => seconds === '10',
    );
  });

  it.each(['tasmota', 'shelly'] as const)(
    'a %s that restarts again and again is told by that name',
    async (kind) => {
      const point = await farm.point();
      const relay = await farm[kind](point);
      await farm.online(point);
      await farm.order(point, 'on');
      await farm.reaches(relay, 'ON');
      await farm.put(`/control-points/${point.id}/settings`, { fail_safe: 'OFF', min_off_s: 120 });
      if (relay.kind === 'tasmota') relay.own.type('PowerOnState', '0');
      else relay.own.set({ initial_state: 'off' });
      for (let time = 0; time < 3; time += 1) {
        expect(await farm.warnings(point)).not.toContain('SWITCHED_BY_RESTART');
        relay.own.powerCut(1_000);
        await farm.pass(15);
      }
      await isWarned(point, 'SWITCHED_BY_RESTART');
    },
  );
});

describe.skipIf(!canMoveClocks).concurrent('a controller of ours that a hand switched off', () => {
  let farm: RelayFarm;
  beforeAll(async () => {
    farm = await startRelayFarm(SPEED);
  });
  afterAll(() => farm?.close());

  it('over MQTT hears a new version when emergency oxygen comes, and again when a hand comes in the emergency', async () => {
    const point = await farm.point({ do_emergency: 2.5 });
    const base = `sf/v1/d/${point.mqtt_id}`;
    const client = await connectAsync(farm.mqtt, {
      protocolVersion: 4,
      clientId: point.mqtt_id,
      username: point.mqtt_id,
      password: await farm.key(point),
      keepalive: 0,
    });
    const levels: { version: number; epoch: string; target_status: string; origin: string }[] = [];
    client.on('message', (topic, payload) => {
      if (topic.endsWith('/shadow/desired')) levels.push(JSON.parse(payload.toString()));
    });
    await client.subscribeAsync(`${base}/shadow/desired`, { qos: 1 });
    const report = (current_status: 'ON' | 'OFF', source: string) => {
      const { version, epoch } = levels.at(-1) ?? {};
      return client.publishAsync(`${base}/hb`, JSON.stringify({ current_status, source, version, epoch }));
    };
    const ordered = Number((await farm.order(point, 'on'))['version']);
    await farm.within(
      BOUND_S,
      () => levels.at(-1)?.version,
      (version) => version === ordered,
    );
    await report('ON', 'shadow');
    await farm.pass(2);
    await report('OFF', 'manual');
    await farm.measure(point, 1.2);
    const said = await farm.within(
      BOUND_S,
      () => levels.at(-1),
      (level) => level?.version === ordered + 1,
    );
    expect(said).toMatchObject({ origin: 'SAFETY', target_status: 'ON' });
    await report('ON', 'shadow');
    await farm.pass(70);
    await report('OFF', 'manual');
    await farm.within(
      BOUND_S,
      () => levels.at(-1)?.version,
      (version) => version === ordered + 2,
    );
    client.end(true);
  });

  it('over HTTP gets the new version with the answer to its next report', async () => {
    const point = await farm.point({ do_emergency: 2.5 });
    const key = await farm.key(point);
    const report = async (current_status: string, source: string, version: number): Promise<unknown> => {
      const body = { device_id: point.device_id, current_status, source, version };
      return (await farm.call('POST', '/devices/heartbeat', { token: key, body })).body;
    };
    const { version } = await farm.order(point, 'on');
    expect(await report('ON', 'shadow', Number(version))).toMatchObject({ version, target_status: 'ON' });
    await report('OFF', 'manual', Number(version));
    await farm.measure(point, 1.2);
    await farm.within(
      BOUND_S,
      () => report('OFF', 'manual', Number(version)),
      (answer) => versionOf(answer) === Number(version) + 1,
    );
  });

  it('is shown what a person ordered again once a lock-out is lifted', async () => {
    const point = await farm.point();
    await farm.order(point, 'off');
    await farm.post(`/control-points/${point.id}/lock-out`, { reason: 'correia' });
    await farm.pass(3);
    expect(await farm.shown(point)).toMatchObject({
      target_origin: 'SAFETY',
      target_reason: 'locked out: correia',
    });
    await farm.ask('DELETE', `/control-points/${point.id}/lock-out`);
    const lifted = await farm.within(
      BOUND_S,
      () => farm.shown(point),
      ({ target_origin }) => target_origin === 'LOCAL',
    );
    expect(lifted).toMatchObject({ target_status: 'OFF' });
  });
});

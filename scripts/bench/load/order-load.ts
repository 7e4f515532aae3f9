import { setTimeout as pause } from 'node:timers/promises';
import type { MqttClient } from 'mqtt';
import mqtt from 'mqtt';
import * as z from 'zod';
import { deviceTopic } from '#contract/mqtt/topics.ts';
import { callHttp } from '#sim/fetch-firmware.ts';
import { type Fleet, startFleet } from '#sim/fleet/fleet.ts';
import type { Provisioned } from '../provision.ts';
import { answerCalls } from '../remote.ts';

// Orders to simulated controllers, timed in one process, so by one clock.

export type GatewayFarm = {
  httpBase: string;
  mqttUrl: string;
  token: string;
  controllers: readonly Provisioned[];
};
export type OrderTimes = { toDeviceMs: number[]; toVisibleMs: number[] };

type Farm = GatewayFarm & { fleet: Fleet };
type BareFarm = { publisher: MqttClient; subscribers: MqttClient[] };

/** Between two orders: people are not faster, and the queue of one must not be the wait of the next. */
const BETWEEN_MS = 20;
const GIVE_UP_MS = 10_000;
/** A controller without start order waits this long after its own start; then it starts at once. */
const START_SLOT_MS = 7_000;
const HEARTBEAT_MS = 1_000;

const HEARTBEAT = JSON.stringify({ current_status: 'OFF', seq: 812, consumption: 0, version: 1 });
const LEVEL = JSON.stringify({
  epoch: 'a1b2c3d4',
  version: 41,
  target_status: 'ON',
  origin: 'LOCAL',
  issued_at: 1_795_000_000,
  config_rev: 1,
  schedule_rev: 1,
});

const controlPointEvent = z.object({ id: z.string(), current_status: z.string().nullable() });
const farms = new Map<'gateway', Farm>();
const bareFarms = new Map<'bare', BareFarm>();
const expected = new Map<string, (at: number) => void>();
const targets = new Map<string, 'ON' | 'OFF'>();

const handlers = {
  async startGatewayFarm(wanted: GatewayFarm): Promise<void> {
    const fleet = startFleet({
      controllers: wanted.controllers.map(({ device_id, mqtt_id, key }) => ({
        device_id,
        mqtt_id,
        key,
        transport: 'mqtt',
        profile: { firstTryWithinS: 1 },
      })),
      httpBase: wanted.httpBase,
      mqttUrl: wanted.mqttUrl,
      seed: 1,
    });
    fleet.listen((event) => {
      if (event.kind !== 'heard' || event.message.kind !== 'desired') return;
      tell(`desired ${event.device_id} ${event.message.level.target}`);
    });
    await openEventStream(wanted.httpBase, wanted.token, (name, data) => {
      if (name !== 'control_point') return;
      const { id, current_status } = controlPointEvent.parse(data);
      tell(`visible ${id} ${current_status}`);
    });
    while (fleet.states().some(({ is_connected, version }) => !is_connected || version === null)) {
      await pause(100);
    }
    await pause(START_SLOT_MS);
    farms.set('gateway', { ...wanted, fleet });
  },

  async order(wanted: { from: number; count: number }): Promise<OrderTimes> {
    const farm = farms.get('gateway');
    if (farm === undefined) throw new Error('no farm was started');
    const times: OrderTimes = { toDeviceMs: [], toVisibleMs: [] };
    for (let n = wanted.from; n < wanted.from + wanted.count; n += 1) {
      const point = farm.controllers[n % farm.controllers.length];
      if (point === undefined) throw new Error('a farm without controllers');
      const { toDevice, toVisible } = await giveOrder(farm, point);
      times.toDeviceMs.push(toDevice);
      times.toVisibleMs.push(toVisible);
      await pause(BETWEEN_MS);
    }
    return times;
  },

  async startBareFarm(wanted: { mqttUrl: string; ids: readonly string[] }): Promise<void> {
    const publisher = await mqtt.connectAsync(wanted.mqttUrl);
    const subscribers: MqttClient[] = [];
    for (const id of wanted.ids) {
      const client = await mqtt.connectAsync(wanted.mqttUrl, { clientId: id });
      await client.subscribeAsync(deviceTopic(id, 'shadow/desired'), { qos: 1 });
      client.on('message', (topic) => tell(topic));
      setInterval(() => client.publish(deviceTopic(id, 'hb'), HEARTBEAT, { qos: 1 }), HEARTBEAT_MS);
      subscribers.push(client);
    }
    bareFarms.set('bare', { publisher, subscribers });
  },

  async publish(wanted: { ids: readonly string[]; from: number; count: number }): Promise<number[]> {
    const publisher = bareFarms.get('bare')?.publisher;
    const times: number[] = [];
    for (let n = wanted.from; n < wanted.from + wanted.count; n += 1) {
      const topic = deviceTopic(wanted.ids[n % wanted.ids.length] ?? '', 'shadow/desired');
      const heard = expectation(topic);
      const startedAt = performance.now();
      publisher?.publish(topic, LEVEL, { qos: 1 });
      times.push((await heard) - startedAt);
      await pause(BETWEEN_MS);
    }
    return times;
  },
};
export type OrderLoad = typeof handlers;
answerCalls(handlers);

/** One order, timed from the start of its request. */
async function giveOrder(
  farm: Farm,
  { controlPointId, device_id }: Provisioned,
): Promise<{ toDevice: number; toVisible: number }> {
  const target = targets.get(device_id) === 'ON' ? 'OFF' : 'ON';
  targets.set(device_id, target);
  const atDevice = expectation(`desired ${device_id} ${target}`);
  const visible = expectation(`visible ${controlPointId} ${target}`);
  const startedAt = performance.now();
  const answer = await callHttp(
    farm.httpBase,
    `/api/v1/control-points/${controlPointId}/turn-${target.toLowerCase()}`,
    { method: 'POST', bearer: farm.token },
  );
  if (answer.status !== 200)
    throw new Error(`an order was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return { toDevice: (await atDevice) - startedAt, toVisible: (await visible) - startedAt };
}

function expectation(what: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what}: not within ${GIVE_UP_MS} ms`)), GIVE_UP_MS);
    expected.set(what, (at) => {
      clearTimeout(timer);
      resolve(at);
    });
  });
}

function tell(what: string): void {
  const waiting = expected.get(what);
  if (waiting === undefined) return;
  expected.delete(what);
  waiting(performance.now());
}

/** Opens GET /events and hands over every event; resolves when the first one, the snapshot, has come. */
async function openEventStream(
  base: string,
  token: string,
  hear: (name: string, data: unknown) => void,
): Promise<() => void> {
  const stop = new AbortController();
  const response = await fetch(`${base}/api/v1/events`, {
    headers: { authorization: `Bearer ${token}` },
    signal: stop.signal,
  });
  if (response.body === null || response.status !== 200) {
    throw new Error(`the event stream answered ${response.status}`);
  }
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const reading = readEvents(response.body, (name, data) => {
    begin();
    hear(name, data);
  });
  reading.catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  await begun;
  return () => stop.abort();
}

async function readEvents(
  body: ReadableStream<Uint8Array>,
  hear: (name: string, data: unknown) => void,
): Promise<void> {
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const name = /^event: (.+)$/m.exec(block)?.[1];
      const data = /^data: (.+)$/m.exec(block)?.[1];
      if (name !== undefined && data !== undefined) hear(name, JSON.parse(data));
    }
  }
}

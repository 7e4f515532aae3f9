import { connectAsync } from 'mqtt';
import type { Json } from './a-farm.ts';
import type { StartedGateway } from './started-gateway.ts';

// Controllers of another maker, written from docs/device-protocol.md alone: what they say is all that is known of them.

export type Level = { epoch: string; version: number; target_status: 'ON' | 'OFF' };

type Named = { device_id: string; mqtt_id: string };
type Say = (path: string, body: Json) => void;

/** A session over MQTT (clauses 2.3, 3.3, 3.6). `onLevel` hears every level; `say` publishes below its own topic. */
export async function mqttController(
  gateway: Pick<StartedGateway, 'mqtt'>,
  { mqtt_id }: Named,
  key: string,
  given: {
    bootId?: string | undefined;
    keepaliveS?: number;
    /** It comes back by itself this long after its connection broke, ms; absent: it does not. */
    backAfterMs?: number;
    onLevel?: (level: Level, controller: { say: Say }) => void;
  } = {},
) {
  const { bootId } = given;
  const topic = (path: string) => `sf/v1/d/${mqtt_id}/${path}`;
  const state = (s: string) => JSON.stringify({ s, ...(bootId === undefined ? {} : { boot_id: bootId }) });
  const client = await connectAsync(gateway.mqtt, {
    clientId: mqtt_id,
    username: mqtt_id,
    password: key,
    // a farm that runs faster than this process must not miss its pings
    keepalive: given.keepaliveS ?? 120,
    clean: true,
    reconnectPeriod: given.backAfterMs ?? 0,
    queueQoSZero: false,
    will: { topic: topic('state'), payload: Buffer.from(state('lost')), qos: 1, retain: true },
  });
  client.on('error', () => undefined);
  const say: Say = (path, body) => {
    if (client.connected) client.publish(topic(path), JSON.stringify(body), { qos: 1 }, () => undefined);
  };
  client.on('message', (heard, payload) => {
    // the gateway's levels are checked by the tests of the contract
    if (heard === topic('shadow/desired')) given.onLevel?.(JSON.parse(payload.toString()) as Level, { say });
  });
  const begin = () => {
    client.publish(topic('state'), state('online'), { qos: 1, retain: true }, () => undefined);
    const levels = ['shadow/desired', 'config/desired', 'schedule/desired', 'cmd/+'].map(topic);
    client.subscribe(levels, { qos: 1 }, () => undefined);
  };
  client.on('connect', begin);
  begin();
  return {
    say,
    /** The power of the board is cut: no farewell. */
    drop: () => void client.stream.destroy(),
    /** The same, and it does not come back. */
    die: () => void client.end(true),
    /** It leaves on purpose. */
    async leave(): Promise<void> {
      await client.publishAsync(topic('state'), state('bye'), { qos: 1, retain: true });
      await client.endAsync();
    },
  };
}

/** One heartbeat over HTTP (clause 7.1); answers the level. */
export async function httpHeartbeat(
  gateway: Pick<StartedGateway, 'call'>,
  { device_id }: Named,
  key: string,
  fields: Json,
): Promise<Level> {
  const { status, body } = await gateway.call('POST', '/devices/heartbeat', {
    token: key,
    body: { device_id, ...fields },
  });
  if (status !== 200) throw new Error(`a heartbeat was answered ${status}`);
  // the answer's shape is checked by the tests of the contract
  return body as Level;
}

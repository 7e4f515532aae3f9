import type { Duplex } from 'node:stream';
import type { AuthenticateError, Client, ConnectPacket } from 'aedes';
import { Aedes } from 'aedes';
import type * as z from 'zod';
import {
  commandResult,
  deviceEvent,
  deviceState,
  meterReading,
  mqttHeartbeat,
  revisionReported,
  shadowReported,
} from '#contract/mqtt/messages.ts';
import { maySubscribe, parseDeviceTopic } from '#contract/mqtt/topics.ts';
import type { Identity } from '../transport/transport.ts';
import type { ObservedNow, Will } from './observed.ts';

const SCHEMA_BY_PATH: Readonly<Record<string, z.ZodType>> = {
  state: deviceState,
  hb: mqttHeartbeat,
  'shadow/reported': shadowReported,
  'config/reported': revisionReported,
  'schedule/reported': revisionReported,
  meter: meterReading,
  event: deviceEvent,
  res: commandResult,
};

export type BrokerSide = {
  handle(stream: Duplex): void;
  publish(topic: string, body: object | null, retain: boolean): void;
  publishText(topic: string, text: string, retain: boolean): void;
  kick(): void;
  stop(): Promise<void>;
};

/** A broker for one controller; it lets stray topics pass into nothing and writes everything down. */
export async function createBrokerSide(
  deps: { observe: (seen: ObservedNow) => void },
  identity: Identity,
): Promise<BrokerSide> {
  let current: Client | null = null;
  const connectByClient = new WeakMap<Client, ConnectPacket>();
  const broker = await Aedes.createBroker({
    preConnect: (client, packet, done) => {
      connectByClient.set(client, packet);
      done(null, true);
    },
    authenticate: (client, username, password, done) => {
      const isRight =
        client.id === identity.mqtt_id &&
        username === identity.mqtt_id &&
        password?.toString() === identity.key;
      if (isRight) deps.observe(sessionSeen(connectByClient.get(client)));
      else deps.observe({ kind: 'invalid', where: 'CONNECT', reason: 'wrong client id, user name or key' });
      done(isRight ? null : refusal(), isRight);
    },
    authorizePublish: (client, packet, done) => {
      const text = packet.payload.toString();
      if (client !== null) observeMessage(deps.observe, packet.topic, text, packet);
      packet.retain = false;
      done(null);
    },
    authorizeSubscribe: (_client, subscription, done) => {
      const isAllowed = maySubscribe(identity.mqtt_id, subscription.topic);
      deps.observe({ kind: 'subscribe', filter: subscription.topic, isAllowed });
      done(null, isAllowed ? subscription : null);
    },
  });
  broker.on('client', (client) => {
    current = client;
  });
  broker.on('clientDisconnect', (client) => {
    if (current === client) current = null;
    deps.observe({ kind: 'session_end' });
  });
  const publishText = (topic: string, text: string, retain: boolean) =>
    broker.publish(
      { cmd: 'publish', topic, payload: Buffer.from(text), qos: 1, retain, dup: false },
      () => undefined,
    );
  return {
    handle: (stream) => {
      broker.handle(stream);
    },
    publish: (topic, body, retain) => publishText(topic, body === null ? '' : JSON.stringify(body), retain),
    publishText,
    kick: () => current?.close(),
    stop: () => new Promise((resolve) => broker.close(() => resolve())),
  };
}

function refusal(): AuthenticateError {
  return Object.assign(new Error('not the controller under test'), { returnCode: 5 });
}

function sessionSeen(packet: ConnectPacket | undefined): ObservedNow {
  const will: Will | null =
    packet?.will === undefined
      ? null
      : {
          topic: packet.will.topic,
          body: readJson(packet.will.payload.toString()),
          qos: packet.will.qos ?? 0,
          isRetained: packet.will.retain === true,
        };
  return {
    kind: 'session',
    clientId: packet?.clientId ?? '',
    username: packet?.username ?? '',
    isClean: packet?.clean === true,
    keepaliveS: packet?.keepalive ?? 0,
    will,
  };
}

function observeMessage(
  observe: (seen: ObservedNow) => void,
  topic: string,
  text: string,
  packet: { qos: number; retain: boolean },
): void {
  const known = parseDeviceTopic(topic);
  const path = known === null ? '' : 'path' in known ? known.path : 'res';
  const body = readJson(text);
  const bytes = Buffer.byteLength(text);
  observe({ kind: 'message', topic, path, body, bytes, qos: packet.qos, isRetained: packet.retain });
  const checked = SCHEMA_BY_PATH[path]?.safeParse(body);
  if (checked !== undefined && !checked.success) {
    const issue = checked.error.issues[0];
    observe({ kind: 'invalid', where: path, reason: `${issue?.path.join('.')}: ${issue?.message}` });
  } else if (path === 'hb') {
    observe({ kind: 'heartbeat', via: 'mqtt', body: mqttHeartbeat.parse(body) });
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

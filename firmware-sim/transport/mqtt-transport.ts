import type { IClientOptions, IPublishPacket, MqttClient } from 'mqtt';
import { MqttClient as Client, connect as connectMqtt } from 'mqtt';
import {
  deviceCommand,
  deviceConfig,
  deviceSchedule,
  shadowDesired,
  timeMessage,
} from '#contract/mqtt/messages.ts';
import { otaDesired } from '#contract/mqtt/ota.ts';
import { commandTopic, DEVICE_LEVELS, deviceTopic, resultTopic, TIME_TOPIC } from '#contract/mqtt/topics.ts';
import { levelHeard } from '../controller/level-end.ts';
import { type GatewayTrust, trustedStream } from './gateway-trust.ts';
import type { Identity, Incoming, Outgoing, Transport, TransportDeps } from './http-transport.ts';

// MQTT 3.1.1 with a clean session. When to try again is the controller's own rule: mqtt.js never reconnects by itself.

const KEEPALIVE_S = 30;
// Long: a gateway that lets in a whole farm at once is slow, and giving up would only make it slower.
const CONNECT_TIMEOUT_MS = 30_000;
/** What was said before a goodbye is to arrive; a gateway that acknowledges nothing is left after this long. */
const GOODBYE_MS = 2_000;

/** CONNACK codes for a wrong key and an unknown controller. */
const REFUSED: ReadonlySet<number> = new Set([4, 5]);

type Keys = { sure: string; next: string | null };
/** What comes after a goodbye. */
type Leaving = { next: (() => void) | null };
type Session = { client: MqttClient; lastContactMs: number; isOver: boolean };

/** `trust`: for an mqtts address, by what the gateway is known. */
export function createMqttTransport(
  deps: TransportDeps,
  url: string,
  identity: Identity,
  trust: GatewayTrust | null = null,
): Transport {
  let session: Session | null = null;
  /** The goodbye under way. */
  let leaving: Leaving | null = null;
  let isHalfOpen = false;
  const keys: Keys = { sure: identity.key, next: null };

  const open = (sid: string, bootId: string) => {
    // A second session under its name would end the first, with what has not arrived yet: the answer to who gave it a
    // new key, on a slow line.
    if (leaving !== null) {
      leaving.next = () => open(sid, bootId);
      return;
    }
    endSession(session);
    const key = keys.next ?? keys.sure;
    const client = clientFor(url, optionsFor({ ...identity, key }, sid, bootId), trust);
    const current: Session = { client, lastContactMs: deps.nowMs(), isOver: false };
    session = current;
    client.on('packetreceive', () => {
      current.lastContactMs = deps.nowMs();
    });
    client.on('connect', () => {
      if (current.isOver) return;
      // it has opened: the one before is not needed any more
      const isNew = key === keys.next;
      if (isNew) Object.assign(keys, { sure: key, next: null });
      if (isHalfOpen) silence(client);
      client.subscribe(subscriptionsOf(identity.mqtt_id), { qos: 1 });
      deps.hear(isNew ? { kind: 'connected', newKey: key } : { kind: 'connected' });
    });
    client.on('message', (topic, payload, packet) => {
      if (!current.isOver) deps.hear(readMessage(identity.mqtt_id, topic, payload, packet));
    });
    // 'error' (refused, unreachable) is always followed by 'close'; mqtt.js throws when nobody listens.
    let reason = 'closed';
    let isRefused = false;
    client.on('error', (error) => {
      reason = error.message || 'unreachable';
      isRefused = 'code' in error && REFUSED.has(Number(error.code));
      // refused with the new key: the old one still opens
      if (isRefused && key === keys.next) keys.next = null;
    });
    client.on('close', () => {
      if (current.isOver) return;
      endSession(current);
      deps.hear({ kind: 'disconnected', lastContactMs: current.lastContactMs, reason, isRefused });
    });
  };

  const leave = (closing: Session) => {
    const current: Leaving = { next: null };
    leaving = current;
    sayGoodbye(closing, () => {
      if (leaving !== current) return;
      leaving = null;
      current.next?.();
    });
  };

  return {
    connect: ({ sid, bootId }) => open(sid, bootId),
    send: (message) => {
      if (session !== null && !session.isOver) publish(session.client, identity.mqtt_id, message);
    },
    close: (how) => {
      const closing = session;
      session = null;
      if (leaving !== null) leaving.next = null;
      if (closing === null) return;
      if (how === 'bye') leave(closing);
      // A board that lost its power does not close its socket: the gateway finds out by the keepalive, and so does
      // mqtt.js, which then clears the remains away.
      else if (isHalfOpen) closing.isOver = true;
      else endSession(closing);
    },
    rekey: (key) => {
      keys.next = key;
    },
    setHalfOpen: (wanted) => {
      if (wanted === isHalfOpen) return;
      isHalfOpen = wanted;
      if (session === null || session.isOver) return;
      if (wanted) silence(session.client);
      // What was lost meanwhile is lost: a healed line shows itself as a dead session.
      else session.client.stream.destroy();
    },
  };
}

function clientFor(url: string, options: IClientOptions, trust: GatewayTrust | null): MqttClient {
  if (trust === null || !url.startsWith('mqtts:')) return connectMqtt(url, options);
  return new Client((client) => {
    const stream = trustedStream(new URL(url), trust);
    // mqtt.js tells only of some of the errors of a stream
    stream.once('error', (error) => client.emit('error', error));
    return stream;
  }, options);
}

function optionsFor(identity: Identity, sid: string, bootId: string): IClientOptions {
  return {
    protocolVersion: 4,
    clientId: identity.mqtt_id,
    username: identity.mqtt_id,
    password: identity.key,
    clean: true,
    keepalive: KEEPALIVE_S,
    connectTimeout: CONNECT_TIMEOUT_MS,
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    will: {
      topic: deviceTopic(identity.mqtt_id, 'state'),
      payload: Buffer.from(JSON.stringify({ s: 'lost', boot_id: bootId, sid })),
      qos: 1,
      retain: true,
    },
  };
}

function subscriptionsOf(mqttId: string): string[] {
  return [...DEVICE_LEVELS.map((level) => deviceTopic(mqttId, level)), commandTopic(mqttId, '+'), TIME_TOPIC];
}

function publish(client: MqttClient, mqttId: string, message: Outgoing): void {
  if (message.kind !== 'publish' && message.kind !== 'result') return;
  const topic =
    message.kind === 'result' ? resultTopic(mqttId, message.correlation) : deviceTopic(mqttId, message.path);
  const isState = message.kind === 'publish' && message.path === 'state';
  // A failed publish means a dead session, and 'close' tells that.
  client.publish(topic, JSON.stringify(message.body), { qos: 1, retain: isState }, () => undefined);
}

/** Reads what the gateway published; a body outside the contract is told apart, never followed. */
export function readMessage(
  mqttId: string,
  topic: string,
  payload: Buffer,
  packet: Pick<IPublishPacket, 'retain'>,
): Incoming {
  const body = parseJson(payload);
  const malformed: Incoming = { kind: 'malformed', where: topic };
  if (topic === TIME_TOPIC) {
    const time = timeMessage.safeParse(body);
    return time.success ? { kind: 'time', unixMs: time.data.t * 1000 } : malformed;
  }
  const rest = topic.slice(deviceTopic(mqttId, 'state').length - 'state'.length);
  if (rest.startsWith('cmd/')) {
    const command = deviceCommand.safeParse(body);
    if (!command.success) return malformed;
    return {
      kind: 'command',
      correlation: rest.slice('cmd/'.length),
      command: command.data,
      isRetained: packet.retain,
    };
  }
  if (rest === 'shadow/desired') {
    const desired = shadowDesired.safeParse(body);
    if (!desired.success) return malformed;
    return { kind: 'desired', level: levelHeard(desired.data) };
  }
  if (rest === 'config/desired') {
    const config = deviceConfig.safeParse(body);
    return config.success ? { kind: 'config', config: config.data } : malformed;
  }
  if (rest === 'ota/desired') {
    const level = otaDesired.safeParse(body);
    return level.success ? { kind: 'ota', level: level.data } : malformed;
  }
  if (rest === 'schedule/desired') {
    const schedule = deviceSchedule.safeParse(body);
    return schedule.success ? { kind: 'schedule', schedule: schedule.data } : malformed;
  }
  return malformed;
}

function parseJson(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString('utf8'));
  } catch {
    // Not JSON is one more way to break the contract; the caller says so.
    return undefined;
  }
}

function endSession(session: Session | null): void {
  if (session === null || session.isOver) return;
  session.isOver = true;
  // As a power cut does it: no DISCONNECT, so that the gateway speaks the will.
  session.client.stream?.destroy();
  session.client.end(true);
}

/** DISCONNECT once everything is acknowledged, or the end soon; `left`: the connection is gone. */
function sayGoodbye(session: Session, left: () => void): void {
  const { client } = session;
  if (session.isOver) return left();
  session.isOver = true;
  const limit = setTimeout(() => {
    client.stream.destroy();
    left();
  }, GOODBYE_MS);
  // nobody waits for it who stops
  limit.unref();
  client.once('close', () => {
    clearTimeout(limit);
    left();
  });
  client.end(false);
}

/** The line is cut without either end being told: writes vanish, nothing is read any more. */
function silence(client: MqttClient): void {
  const { stream } = client;
  stream.unpipe();
  stream.pause();
  stream.write = (_chunk: unknown, ...rest: unknown[]) => {
    const callback = rest.at(-1);
    if (typeof callback === 'function') queueMicrotask(() => callback());
    return true;
  };
}

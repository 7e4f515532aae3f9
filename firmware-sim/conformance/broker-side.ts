import type { Duplex } from 'node:stream';
import type { AuthenticateError, Client, ConnectPacket } from 'aedes';
import { Aedes } from 'aedes';
import type * as z from 'zod';
import { BOOT_PUBLISHES, BOOT_USER, bootTopic, macOfClientId } from '#contract/mqtt/boot.ts';
import {
  commandResult,
  deviceEvent,
  deviceState,
  meterReading,
  mqttHeartbeat,
  revisionReported,
  shadowReported,
} from '#contract/mqtt/messages.ts';
import { otaProgress } from '#contract/mqtt/ota.ts';
import { maySubscribe, parseDeviceTopic, TIME_TOPIC } from '#contract/mqtt/topics.ts';
import type { Identity } from '../transport/http-transport.ts';
import { type ObservedNow, Unmet, type Will } from './report.ts';

const SCHEMA_BY_PATH: Readonly<Record<string, z.ZodType>> = {
  state: deviceState,
  hb: mqttHeartbeat,
  'shadow/reported': shadowReported,
  'config/reported': revisionReported,
  'schedule/reported': revisionReported,
  meter: meterReading,
  event: deviceEvent,
  res: commandResult,
  'ota/progress': otaProgress,
};

export type BrokerSide = {
  handle(stream: Duplex): void;
  publish(topic: string, body: object | null, retain: boolean, done?: () => void): void;
  publishText(topic: string, text: string, retain: boolean): void;
  /** A message that it did not ask for. */
  push(topic: string, body: object): void;
  /** Ends the session; throws Unmet when there is none. */
  kick(): void;
  /** Whether a session stands. */
  hasSession(): boolean;
  /** Refuses the right key, too: what a gateway does that does not know the controller any more. */
  setRefusing(isRefusing: boolean): void;
  /** Lets in another key, too: from its first use on it alone. `refused`: it is one that nobody knows. */
  expectKey(key: string, how: 'taken' | 'refused'): void;
  /** Whether boards without a key may come in; closing it ends their sessions. */
  setWindow(isOpen: boolean): void;
  stop(): Promise<void>;
};

/** A broker for one controller; it lets stray topics pass into nothing and writes everything down. */
export async function createBrokerSide(
  deps: {
    observe: (seen: ObservedNow) => void;
    unixS: () => number;
    /** To be called before a subscription counts: what stands there may have to be reckoned anew. */
    refresh: (topic: string, done: () => void) => void;
  },
  identity: Identity,
): Promise<BrokerSide> {
  let current: Client | null = null;
  let isRefusing = false;
  const keys = { sure: identity.key, next: null as string | null, unknown: null as string | null };
  let isWindowOpen = false;
  const guests = new Set<Client>();
  const connectByClient = new WeakMap<Client, ConnectPacket>();
  /** What is told of a session once it stands; `null`: it was told. */
  const sessionByClient = new WeakMap<Client, ObservedNow | null>();
  const broker = await Aedes.createBroker({
    preConnect: (client, packet, done) => {
      connectByClient.set(client, packet);
      done(null, true);
    },
    authenticate: (client, username, password, done) => {
      const packet = connectByClient.get(client);
      const mac = username === BOOT_USER ? macOfClientId(client.id) : null;
      if (mac !== null) {
        const hasPassword = (password?.length ?? 0) > 0;
        const isClean = packet?.clean === true;
        deps.observe({ kind: 'guest', mac, hasPassword, isClean, isLetIn: isWindowOpen });
        if (isWindowOpen) guests.add(client);
        return done(isWindowOpen ? null : refusal(), isWindowOpen);
      }
      const isNamed = client.id === identity.mqtt_id && username === identity.mqtt_id;
      const key = password?.toString();
      if (isRefusing && isNamed) {
        deps.observe({ kind: 'refused' });
        return done(refusal(), false);
      }
      const isNewKey = isNamed && key !== undefined && key === keys.next;
      const isRight = isNamed && (key === keys.sure || isNewKey);
      if (isNewKey) Object.assign(keys, { sure: key, next: null });
      if (isRight) sessionByClient.set(client, sessionSeen(packet, isNewKey));
      else if (isNamed && key === keys.unknown) deps.observe({ kind: 'turned_away' });
      else deps.observe({ kind: 'invalid', where: 'CONNECT', reason: 'wrong client id, user name or key' });
      done(isRight ? null : refusal(), isRight);
    },
    authorizePublish: (client, packet, done) => {
      const text = packet.payload.toString();
      const mac = client === null ? null : macOfClientId(client.id);
      if (mac !== null) observeGuest(deps.observe, mac, packet.topic, text);
      else if (client !== null) observeMessage(deps.observe, packet.topic, text, packet);
      packet.retain = false;
      done(null);
    },
    authorizeSubscribe: (client, subscription, done) => {
      const mac = client === null ? null : macOfClientId(client.id);
      const isAllowed =
        mac === null
          ? maySubscribe(identity.mqtt_id, subscription.topic)
          : subscription.topic === bootTopic(mac, 'credentials');
      deps.observe({ kind: 'subscribe', filter: subscription.topic, isAllowed });
      if (!isAllowed) return done(null, null);
      deps.refresh(subscription.topic, () => done(null, subscription));
    },
  });
  // Not when its key is found right: before its CONNACK there is no session that could be ended.
  broker.on('connackSent', (_packet, client) => {
    const session = sessionByClient.get(client) ?? null;
    if (session === null) return;
    sessionByClient.set(client, null);
    current = client;
    deps.observe(session);
  });
  broker.on('subscribe', (subscriptions, client) => {
    for (const { topic } of subscriptions) deps.observe({ kind: 'subscribed', filter: topic });
    if (subscriptions.some(({ topic }) => topic === TIME_TOPIC))
      // a controller that has just booted runs no schedule until it knows the time
      push(client, TIME_TOPIC, { t: deps.unixS() });
  });
  broker.on('clientDisconnect', (client) => {
    if (guests.delete(client)) return;
    if (current === client) current = null;
    if (sessionByClient.get(client) === null) deps.observe({ kind: 'session_end' });
  });
  const publishText = (topic: string, text: string, retain: boolean, done: () => void = () => undefined) =>
    broker.publish({ cmd: 'publish', topic, payload: Buffer.from(text), qos: 1, retain, dup: false }, done);
  return {
    handle: (stream) => {
      broker.handle(stream);
    },
    publish: (topic, body, retain, done) =>
      publishText(topic, body === null ? '' : JSON.stringify(body), retain, done),
    publishText,
    push: (topic, body) => {
      if (current !== null) push(current, topic, body);
    },
    hasSession: () => current !== null,
    setRefusing: (wanted) => {
      isRefusing = wanted;
    },
    kick: () => {
      if (current === null) throw new Unmet('there was no session to end: it had left');
      current.close();
    },
    expectKey: (key, how) => {
      keys[how === 'taken' ? 'next' : 'unknown'] = key;
    },
    setWindow: (isOpen) => {
      isWindowOpen = isOpen;
      if (!isOpen) for (const guest of guests) guest.close();
    },
    stop: () => new Promise((resolve) => broker.close(() => resolve())),
  };
}

/** To this client alone, whatever it subscribed to. */
function push(client: Client, topic: string, body: object): void {
  const payload = Buffer.from(JSON.stringify(body));
  client.publish({ cmd: 'publish', topic, payload, qos: 0, retain: false, dup: false }, () => undefined);
}

function refusal(): AuthenticateError {
  return Object.assign(new Error('not the controller under test'), { returnCode: 5 });
}

function sessionSeen(packet: ConnectPacket | undefined, isNewKey: boolean): ObservedNow {
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
    isNewKey,
  };
}

function observeGuest(observe: (seen: ObservedNow) => void, mac: string, topic: string, text: string): void {
  const path = BOOT_PUBLISHES.find((one) => bootTopic(mac, one) === topic);
  if (path === undefined) observe({ kind: 'invalid', where: topic, reason: 'not a topic of a board' });
  else observe({ kind: 'guest_message', mac, path, body: readJson(text) });
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

import type { MqttClient } from 'mqtt';
import type { Log } from '#core/kernel.ts';
import { watchPackets } from '#core/mqtt-packets.ts';
import type { HaLink } from '#features/equipment/home-assistant/bridge.ts';

export type HaConnection = {
  /** mqtt://host:port or mqtts://host:port */
  url: string;
  user: string | null;
  password: string | null;
  clientId: string;
  /** Its own last will: everything of this gateway is out of reach then. */
  statusTopic: string;
  filters: readonly string[];
  log: Log;
  connected: (link: HaLink) => void;
  disconnected: (why: string) => void;
  hear: (topic: string, payload: string, isRetained: boolean) => Promise<void> | undefined;
};

const KEEPALIVE_S = 30;
const AGAIN_AFTER_MS = 15_000;
const CONNECT_WITHIN_MS = 10_000;
/** Its broker may be gone without a word: the stop of the gateway does not wait for it. */
const LAST_WORDS_MS = 500;
/** Unsent bytes before nothing more is handed over: a broker that does not read must not fill our memory. */
const MOST_UNSENT = 256 * 1024;
const MOST_PAYLOAD = 64;
/** Far more than any packet for us has; one that announces more ends the connection. */
const MOST_PACKET = 64 * 1024;

/** Connects to the broker of Home Assistant, for as long as the gateway runs. MQTT 3.1.1, clean sessions. */
export async function connectHomeAssistant(to: HaConnection): Promise<{ stop: () => Promise<void> }> {
  // only a farm that has Home Assistant pays for the library
  const { connect } = await import('mqtt');
  const will = { topic: to.statusTopic, payload: Buffer.from('offline'), qos: 1 as const, retain: true };
  const client = connect(to.url, {
    protocolVersion: 4,
    clientId: to.clientId,
    ...(to.user === null ? {} : { username: to.user }),
    ...(to.password === null ? {} : { password: to.password }),
    clean: true,
    keepalive: KEEPALIVE_S,
    connectTimeout: CONNECT_WITHIN_MS,
    reconnectPeriod: AGAIN_AFTER_MS,
    resubscribe: false,
    queueQoSZero: false,
    will,
  });
  let lastError = 'the connection was closed';
  const watch = () =>
    endAtLongPacket(client, () => {
      lastError = 'a message of the broker is longer than any for us';
    });
  watch();
  // the library begins each later connection with it
  const begin = client.connect.bind(client);
  client.connect = () => {
    begin();
    watch();
    return client;
  };
  let isConnected = false;
  client.on('connect', () => {
    isConnected = true;
    to.log.info({ address: to.url }, 'connected to Home Assistant');
    client.publish(to.statusTopic, 'online', { qos: 1, retain: true }, () => undefined);
    client.subscribe([...to.filters], { qos: 1 }, (error) => {
      if (error) to.log.warn({ err: error }, 'the broker of Home Assistant does not let us hear its orders');
    });
    to.connected({ keep: ({ topic, payload }) => keep(client, topic, payload) });
  });
  client.on('message', (topic, payload, { retain }) => {
    const text = payload.length > MOST_PAYLOAD ? '' : payload.toString();
    to.hear(topic, text, retain)?.catch((error: unknown) =>
      to.log.error({ err: error }, 'a message of Home Assistant was not taken'),
    );
  });
  // without a listener it would end the process
  client.on('error', (error) => {
    lastError = error.message === '' && 'code' in error ? String(error.code) : error.message;
  });
  client.on('close', () => {
    if (isConnected)
      to.log.warn({ why: lastError }, 'the connection to Home Assistant ended; it is tried again');
    isConnected = false;
    to.disconnected(lastError);
  });
  return {
    async stop() {
      // an end that is meant is no news
      isConnected = false;
      const isHeard = client.connected && (await lastWords(client, to.statusTopic));
      // an end that is not forced waits for every answer, for as long as there is none
      await client.endAsync(!isHeard);
    },
  };
}

/** Before its bytes are gathered: whoever may write to that broker may announce 256 MiB. */
function endAtLongPacket({ stream }: MqttClient, ended: () => void): void {
  const accepts = watchPackets({ maxPacketBytes: MOST_PACKET, onPacket: () => true, onOversize: ended });
  stream.prependListener('data', (chunk: Buffer) => {
    if (!stream.destroyed && !accepts(chunk)) stream.destroy();
  });
}

/** Answers whether its broker has taken them. */
function lastWords(client: MqttClient, topic: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const cutOff = setTimeout(() => resolve(false), LAST_WORDS_MS);
  client.publish(topic, 'offline', { qos: 1, retain: true }, (error) => {
    clearTimeout(cutOff);
    resolve(!error);
  });
  return promise;
}

function keep(client: MqttClient, topic: string, payload: string): boolean {
  if (!client.connected || client.stream.writableLength > MOST_UNSENT) return false;
  client.publish(topic, payload, { qos: 0, retain: true }, () => undefined);
  return true;
}

import { connect, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { generate } from 'mqtt-packet';
import { deviceTopic } from '#contract/mqtt/topics.ts';

// A controller as a bare socket: the load must cost less than what it loads.

export type BrokerAddress = { host: string; port: number; isSecured?: boolean };
export type Identity = { mqtt_id: string; key: string };

export function addressOfBroker(url: string): BrokerAddress {
  const { hostname, port, protocol } = new URL(url);
  return { host: hostname, port: Number(port), isSecured: protocol === 'mqtts:' };
}

/** What controllers resume their TLS sessions with; without it each computes a whole handshake. */
export type Sessions = Map<string, Buffer>;

/** Resolves when the broker has let it in. */
export function connectSocket(at: BrokerAddress, who: Identity, sessions?: Sessions): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = at.isSecured
      ? secured(at, who, sessions)
      : connect({ host: at.host, port: at.port, noDelay: true });
    socket.once('error', reject);
    socket.write(
      generate({
        cmd: 'connect',
        protocolId: 'MQTT',
        protocolVersion: 4,
        clean: true,
        clientId: who.mqtt_id,
        keepalive: 120,
        username: who.mqtt_id,
        password: Buffer.from(who.key),
      }),
    );
    socket.once('data', (connack) => {
      if (connack[3] === 0) resolve(socket);
      else reject(new Error(`${who.mqtt_id} was refused with code ${connack[3]}`));
    });
  });
}

/** The gateway proves itself to nobody here: what is measured is what it costs the gateway. */
function secured({ host, port }: BrokerAddress, who: Identity, sessions?: Sessions): TLSSocket {
  const session = sessions?.get(who.mqtt_id);
  const socket = connectTls({
    host,
    port,
    rejectUnauthorized: false,
    ...(session === undefined ? {} : { session }),
  });
  if (sessions !== undefined) socket.on('session', (next: Buffer) => void sessions.set(who.mqtt_id, next));
  return socket;
}

/** One heartbeat at QoS 1, as it goes over the wire. */
export function heartbeatPacket(mqttId: string, messageId: number): Buffer {
  return generate({
    cmd: 'publish',
    topic: deviceTopic(mqttId, 'hb'),
    qos: 1,
    dup: false,
    retain: false,
    messageId,
    payload: JSON.stringify({
      current_status: 'OFF',
      seq: 811 + messageId,
      consumption: 0,
      rssi: -67,
      uptime_s: 86_400,
      version: 1,
      source: 'shadow',
    }),
  });
}

/** Asks for the level a controller follows. */
export function subscribePacket(mqttId: string, messageId: number): Buffer {
  return generate({
    cmd: 'subscribe',
    messageId,
    subscriptions: [{ topic: deviceTopic(mqttId, 'shadow/desired'), qos: 1 }],
  });
}

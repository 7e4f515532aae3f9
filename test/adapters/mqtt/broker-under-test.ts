import net from 'node:net';
import type { Duplex } from 'node:stream';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { generate, type Packet, parser } from 'mqtt-packet';
import { expect, onTestFinished, vi } from 'vitest';
import type { BrokerBounds } from '#adapters/mqtt/bounds.ts';
import { type Broker, type BrokerDeps, createBroker } from '#adapters/mqtt/create-broker.ts';
import type { DeviceConfig, DeviceSchedule, ShadowDesired } from '#contract/mqtt/messages.ts';
import type { Controller, DeviceDoor, Levels, RelayDesk } from '#features/control/device-link.ts';

export const KEY = 'the-right-key';

/** What never comes fails; what comes late, on a machine that is busy elsewhere, does not. */
const NEVER_MS = 30_000;

export type DoorCall = {
  [Name in keyof DeviceDoor]: [Name, ...Parameters<DeviceDoor[Name]>];
}[keyof DeviceDoor];

/** A broker on a free port, a door that writes down what it is told, and a clock that stands. */
export async function startBroker(
  options: {
    bounds?: Partial<BrokerBounds>;
    door?: Partial<DeviceDoor>;
    levels?: Levels[];
    levelsOf?: (mqttId: string) => Levels | null;
    isTimeTrusted?: () => boolean;
    relays?: RelayDesk;
  } = {},
) {
  const calls: DoorCall[] = [];
  const known = new Set(['aerator-1', 'aerator-2', 'constructor', 'toString', 'hasOwnProperty']);
  const clock = { now: 1_767_225_600_000 };
  const log: { level: string; fields: Record<string, unknown>; sentence: string }[] = [];
  const logAs = (level: string) => (fields: Record<string, unknown>, sentence: string) =>
    void log.push({ level, fields, sentence });
  const brokerDeps: BrokerDeps = {
    door: fakeDoor(calls, known, options.door ?? {}),
    levels: () => options.levels ?? [],
    ...(options.levelsOf ? { levelsOf: options.levelsOf } : {}),
    ...(options.relays ? { relays: options.relays } : {}),
    log: { debug: logAs('debug'), info: logAs('info'), warn: logAs('warn'), error: logAs('error') },
    now: () => clock.now,
    isTimeTrusted: options.isTimeTrusted ?? (() => true),
    bounds: { connectsPerMinutePerAddress: 0, ...options.bounds },
  };
  const broker: Broker = await createBroker(brokerDeps);
  onTestFinished(() => broker.stop());
  const { port } = await broker.listenTcp(0, '127.0.0.1');

  return {
    broker,
    brokerDeps,
    port,
    clock,
    log,
    known,
    calls,
    /** What the door was told under this name, in order. */
    told: <Name extends DoorCall[0]>(name: Name) =>
      calls.filter((call): call is Extract<DoorCall, [Name, ...unknown[]]> => call[0] === name),
    counted: (what: string) => broker.counters()[what],
    connect: (name = 'aerator-1', more: IClientOptions = {}) => connectMqtt(port, name, more),
    raw: () => rawClient(net.connect(port, '127.0.0.1')),
    /** A raw connection that has its CONNACK. */
    rawConnected: async (name = 'aerator-1', more: Record<string, unknown> = {}) => {
      const client = rawClient(net.connect(port, '127.0.0.1'));
      client.send(connectPacket(name, more));
      await client.next('connack');
      return client;
    },
  };
}

function fakeDoor(calls: DoorCall[], known: ReadonlySet<string>, override: Partial<DeviceDoor>): DeviceDoor {
  const door: DeviceDoor = {
    identify: (mqttId, key) => (known.has(mqttId) && key === KEY ? aController(mqttId) : null),
    isKnown: (mqttId) => known.has(mqttId),
    connected: (...args) => void calls.push(['connected', ...args]),
    disconnected: (...args) => void calls.push(['disconnected', ...args]),
    stateChanged: (...args) => void calls.push(['stateChanged', ...args]),
    heartbeat: async (...args) => void calls.push(['heartbeat', ...args]),
    reported: async (...args) => void calls.push(['reported', ...args]),
    event: async (...args) => void calls.push(['event', ...args]),
    revisionReported: (...args) => void calls.push(['revisionReported', ...args]),
    otaProgress: async (...args) => void calls.push(['otaProgress', ...args]),
    commandResult: (...args) => void calls.push(['commandResult', ...args]),
    seenUnknown: (...args) => void calls.push(['seenUnknown', ...args]),
    identityContested: (...args) => void calls.push(['identityContested', ...args]),
  };
  return { ...door, ...override };
}

export const aController = (mqttId = 'aerator-1'): Controller => ({
  controlPointId: `cp-${mqttId}`,
  deviceId: mqttId,
  mqttId,
  keyId: 'key-1',
});

export async function connectMqtt(
  port: number,
  name: string,
  more: IClientOptions = {},
): Promise<MqttClient> {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
    clientId: name,
    username: name,
    password: KEY,
    protocolVersion: 4,
    reconnectPeriod: 0,
    ...more,
  });
  client.on('error', () => {});
  onTestFinished(() => void client.end(true));
  return client;
}

export type RawClient = ReturnType<typeof rawClient>;

/** A client that sends what a well-made one would not. */
export function rawClient(stream: Duplex) {
  const received: Packet[] = [];
  const read = parser();
  let isClosed = false;
  read.on('packet', (packet: Packet) => received.push(packet));
  stream.on('data', (chunk: Buffer) => read.parse(chunk));
  stream.on('error', () => {});
  stream.once('close', () => {
    isClosed = true;
  });
  onTestFinished(() => void stream.destroy());
  return {
    stream,
    received,
    isClosed: () => isClosed,
    send: (...parts: (Packet | Buffer)[]) =>
      stream.write(Buffer.concat(parts.map((part) => (Buffer.isBuffer(part) ? part : generate(part))))),
    /** Takes the next packet of this kind out of what arrived. */
    next: async <Command extends Packet['cmd']>(command: Command) =>
      vi.waitFor(
        () => {
          const at = received.findIndex((packet) => packet.cmd === command);
          const [packet] = at < 0 ? [] : received.splice(at, 1);
          if (packet?.cmd !== command) throw new Error(`no ${command} came`);
          return packet as Extract<Packet, { cmd: Command }>; // its command was just compared
        },
        { interval: 2, timeout: NEVER_MS },
      ),
    // a reset, where the broker ended with bytes unread, is an end too
    closed: () => eventually(() => expect(isClosed).toBe(true)),
  };
}

export const connectPacket = (name: string, more: Record<string, unknown> = {}): Packet => ({
  cmd: 'connect',
  protocolId: 'MQTT',
  protocolVersion: 4,
  clientId: name,
  username: name,
  password: Buffer.from(KEY),
  clean: true,
  keepalive: 60,
  ...more,
});

export const publishPacket = (topic: string, body: unknown, more: Record<string, unknown> = {}): Packet => ({
  cmd: 'publish',
  topic,
  payload: typeof body === 'string' ? body : JSON.stringify(body),
  qos: 1,
  messageId: 1,
  dup: false,
  retain: false,
  ...more,
});

/** Waits until the broker has done what it was sent over a real socket. */
export const eventually = (check: () => void): Promise<void> =>
  vi.waitFor(check, { interval: 2, timeout: NEVER_MS });

export const aShadow = (more: Partial<ShadowDesired> = {}): ShadowDesired => ({
  epoch: 'e1',
  version: 41,
  target_status: 'ON',
  origin: 'LOCAL',
  issued_at: 1_767_225_600,
  config_rev: 7,
  schedule_rev: 12,
  ...more,
});

export const aConfig = (): DeviceConfig => ({
  rev: 7,
  hash: 'h7',
  heartbeat_s: 30,
  fail_safe: 'HOLD',
  lost_s: 90,
  min_on_s: 60,
  min_off_s: 60,
  start_delay_s: 5,
  utc_offset_s: -10_800,
  locked_out: false,
});

export const aSchedule = (): DeviceSchedule => ({ rev: 12, hash: 'h12', from: 0, to: 1, tr: [], weekly: [] });

export const someLevels = (mqttId = 'aerator-1'): Levels => ({
  mqttId,
  shadow: aShadow(),
  config: aConfig(),
  schedule: aSchedule(),
});

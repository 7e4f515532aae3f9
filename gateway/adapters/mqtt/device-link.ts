import type { Aedes } from 'aedes';
import { bootTopic } from '#contract/mqtt/boot.ts';
import { MAX_DEVICE_MESSAGE_BYTES } from '#contract/mqtt/messages.ts';
import {
  commandTopic,
  DEVICE_LEVELS,
  type DeviceLevel,
  deviceTopic,
  TIME_TOPIC,
} from '#contract/mqtt/topics.ts';
import { plainJson } from '#contract/plain-number.ts';
import type { Log } from '#core/kernel.ts';
import type { DeviceLink, DeviceTalk, Levels } from '#features/control/device-link.ts';
import type { ConnectionTable } from './connection-table.ts';
import type { Counters } from './counters.ts';
import type { Guests } from './guests.ts';
import type { LevelStore } from './level-store.ts';

export type LinkDeps = {
  broker: Pick<Aedes, 'publish' | 'closed'>;
  levels: Pick<LevelStore, 'keepRetained' | 'forgetRetained'>;
  table: ConnectionTable;
  guests: Pick<Guests, 'isHere' | 'end'>;
  counters: Counters;
  log: Log;
};

type Message = { topic: string; payload: Buffer; qos: 0 | 1; retain: boolean };

const levelMessage = (mqttId: string, level: DeviceLevel, body: object): Message => ({
  topic: deviceTopic(mqttId, level),
  payload: Buffer.from(plainJson(body)),
  qos: 1,
  retain: true,
});

const timeMessage = (t: number): Message => ({
  topic: TIME_TOPIC,
  payload: Buffer.from(JSON.stringify({ t })),
  qos: 0,
  retain: false,
});

export function createDeviceLink(deps: LinkDeps) {
  const { table, levels, counters, log } = deps;

  function publish(message: Message): void {
    if (deps.broker.closed) return;
    if (message.payload.length > MAX_DEVICE_MESSAGE_BYTES) counters.count('large_levels');
    deps.broker.publish({ cmd: 'publish', dup: false, ...message }, (error) => {
      if (error) log.warn({ err: error, topic: message.topic }, 'a message to controllers was not sent');
    });
  }

  const publishLevel = (mqttId: string, level: DeviceLevel, body: object): void =>
    publish(levelMessage(mqttId, level, body));

  const link: DeviceLink = {
    publishShadow: (mqttId, level) => publishLevel(mqttId, 'shadow/desired', level),
    publishConfig: (mqttId, config) => publishLevel(mqttId, 'config/desired', config),
    publishSchedule: (mqttId, schedule) => publishLevel(mqttId, 'schedule/desired', schedule),
    publishOta: (mqttId, level) => publishLevel(mqttId, 'ota/desired', level),
    forget: (mqttId) => {
      // First the connection: to it, a cleared level would be a message without content.
      table.disown(mqttId);
      for (const level of DEVICE_LEVELS) levels.forgetRetained(deviceTopic(mqttId, level));
      levels.forgetRetained(deviceTopic(mqttId, 'state'));
    },
    isConnected: table.isConnected,
  };

  /** Keeps levels for whoever subscribes, without sending them to anybody now. */
  function keep({ mqttId, shadow, config, schedule, ota }: Levels): void {
    const bodies = [
      ['shadow/desired', shadow],
      ['config/desired', config],
      ['schedule/desired', schedule],
    ] as const;
    for (const [level, body] of bodies) {
      levels.keepRetained({ cmd: 'publish', dup: false, ...levelMessage(mqttId, level, body) });
    }
    // most controllers never have an update under way: nothing is kept for them
    if (ota === undefined) levels.forgetRetained(deviceTopic(mqttId, 'ota/desired'));
    else levels.keepRetained({ cmd: 'publish', dup: false, ...levelMessage(mqttId, 'ota/desired', ota) });
  }

  const once = (topic: string, body: object): Message => ({
    topic,
    payload: Buffer.from(plainJson(body)),
    qos: 1,
    retain: false,
  });
  const talk: DeviceTalk = {
    sendCommand: (mqttId, correlation, command) => {
      if (!table.isConnected(mqttId)) return false;
      publish(once(commandTopic(mqttId, correlation), command));
      return true;
    },
    sendCredentials: (mac, credentials) => {
      if (!deps.guests.isHere(mac)) return false;
      publish(once(bootTopic(mac, 'credentials'), credentials));
      return true;
    },
    endGuests: deps.guests.end,
  };

  return {
    link,
    talk,
    keep,
    timeMessage,
    publishTime: (t: number): void => publish(timeMessage(t)),
  };
}

// Topic tree of the device protocol, version 1. A level (`*/desired`) is retained, everything else is not:
// a broker must never hold an order that could switch a motor after a reconnect.

export const TOPIC_ROOT = 'sf/v1';
export const TIME_TOPIC = `${TOPIC_ROOT}/time`;

/** What a controller may publish below `sf/v1/d/<mqtt_id>/`. */
export const DEVICE_PUBLISHES = [
  'state',
  'hb',
  'shadow/reported',
  'config/reported',
  'schedule/reported',
  'meter',
  'event',
  'log',
  'ota/progress',
] as const;
export type DevicePublishes = (typeof DEVICE_PUBLISHES)[number];

/** What the gateway keeps retained below `sf/v1/d/<mqtt_id>/`. */
export const DEVICE_LEVELS = ['shadow/desired', 'config/desired', 'schedule/desired', 'ota/desired'] as const;
export type DeviceLevel = (typeof DEVICE_LEVELS)[number];

export const MQTT_ID_PATTERN = /^[A-Za-z0-9_-]{4,64}$/;

export function deviceTopic(mqttId: string, path: DevicePublishes | DeviceLevel): string {
  return `${TOPIC_ROOT}/d/${mqttId}/${path}`;
}

export function commandTopic(mqttId: string, correlation: string): string {
  return `${TOPIC_ROOT}/d/${mqttId}/cmd/${correlation}`;
}

export function resultTopic(mqttId: string, correlation: string): string {
  return `${TOPIC_ROOT}/d/${mqttId}/res/${correlation}`;
}

export type DeviceTopic = { mqttId: string; path: DevicePublishes } | { mqttId: string; result: string };

/** Reads a topic a controller published; null when it is not one of the protocol's. */
export function parseDeviceTopic(topic: string): DeviceTopic | null {
  const match = /^sf\/v1\/d\/([A-Za-z0-9_-]{4,64})\/(.+)$/.exec(topic);
  const mqttId = match?.[1];
  const rest = match?.[2];
  if (mqttId === undefined || rest === undefined) return null;
  const result = /^res\/([A-Za-z0-9_-]{1,64})$/.exec(rest)?.[1];
  if (result !== undefined) return { mqttId, result };
  const path = DEVICE_PUBLISHES.find((known) => known === rest);
  return path === undefined ? null : { mqttId, path };
}

/** True when a controller named `mqttId` may subscribe to `filter`; a wildcard stands only where the protocol puts one. */
export function maySubscribe(mqttId: string, filter: string): boolean {
  if (filter === TIME_TOPIC) return true;
  const own = `${TOPIC_ROOT}/d/${mqttId}/`;
  if (!filter.startsWith(own)) return false;
  const rest = filter.slice(own.length);
  return (
    rest === 'cmd/+' ||
    DEVICE_LEVELS.some((level) => level === rest) ||
    /^cmd\/[A-Za-z0-9_-]{1,64}$/.test(rest)
  );
}

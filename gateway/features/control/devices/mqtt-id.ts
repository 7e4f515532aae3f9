import { MQTT_ID_PATTERN } from '#contract/mqtt/topics.ts';

/** Name of a controller at the broker: its `device_id` where that fits into a topic, else a short hash of it. */
export function mqttIdOf(deps: { sha256: (text: string) => string }, deviceId: string): string {
  return MQTT_ID_PATTERN.test(deviceId) ? deviceId : `d-${deps.sha256(deviceId).slice(0, 16)}`;
}

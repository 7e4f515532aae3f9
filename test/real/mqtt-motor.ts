import mqtt, { type MqttClient } from 'mqtt';
import type { Point } from './a-farm.ts';

export type Motor = Awaited<ReturnType<typeof startMotor>>;

/** A controller over MQTT, written from docs/device-protocol.md: it does at once what the level says. */
export async function startMotor(gateway: { mqtt: string }, point: Point, key: string) {
  const topic = (path: string) => `sf/v1/d/${point.mqtt_id}/${path}`;
  const client: MqttClient = await mqtt.connectAsync(gateway.mqtt, {
    clientId: point.mqtt_id,
    username: point.mqtt_id,
    password: key,
    clean: true,
    reconnectPeriod: 500,
  });
  const state = { isOn: false, epoch: '', version: 0 };
  const status = () => (state.isOn ? 'ON' : 'OFF');
  // what the disk does not take is not acknowledged: nobody waits for it here
  const say = (path: string, body: object) =>
    void client.publish(topic(path), JSON.stringify(body), { qos: 1 });
  const fields = () => {
    const known = state.epoch === '' ? {} : { epoch: state.epoch, version: state.version };
    return { current_status: status(), source: 'shadow', power_ok: true, ...known };
  };
  const heartbeat = () => say('hb', fields());
  client.on('message', (_topic, payload) => {
    const level = JSON.parse(payload.toString()) as {
      epoch: string;
      version: number;
      target_status: string;
    };
    Object.assign(state, {
      isOn: level.target_status === 'ON',
      epoch: level.epoch,
      version: level.version,
    });
    const { epoch, version } = state;
    say('shadow/reported', { epoch, version, current_status: status(), ack: 'applied', source: 'shadow' });
  });
  await client.subscribeAsync(topic('shadow/desired'), { qos: 1 });
  heartbeat();
  const beat = setInterval(heartbeat, 2_000);
  return {
    client,
    topic,
    say,
    isOn: () => state.isOn,
    /** Resolves when the gateway has acknowledged it. */
    heartbeat: () => client.publishAsync(topic('hb'), JSON.stringify(fields()), { qos: 1 }),
    /** Somebody turns the switch at the controller. */
    byHand(isOn: boolean): void {
      state.isOn = isOn;
      const { epoch, version } = state;
      say('hb', { current_status: status(), source: 'manual', power_ok: true, epoch, version });
    },
    async stop(): Promise<void> {
      clearInterval(beat);
      await client.endAsync(true);
    },
  };
}

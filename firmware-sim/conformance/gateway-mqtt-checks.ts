import {
  deviceConfig,
  deviceSchedule,
  MAX_DEVICE_MESSAGE_BYTES,
  shadowDesired,
} from '#contract/mqtt/messages.ts';
import { commandTopic, deviceTopic, TIME_TOPIC } from '#contract/mqtt/topics.ts';
import type { GatewayUnderTest } from './gateway-under-test.ts';
import { identityOf, readLevel, withSession } from './gateway-under-test.ts';
import type { ProbeIdentity } from './mqtt-probe.ts';
import { openProbe, openSession, pause } from './mqtt-probe.ts';
import type { Check } from './report.ts';
import { demand, Skipped } from './report.ts';

type GatewayCheck = Check<GatewayUnderTest>;

// Sent as the start of a PUBLISH of 16 MiB, far over what either side may send.
const OVERSIZE_HEADER = Buffer.from([0x30, 0xff, 0xff, 0xff, 0x07, 0x00, 0x01, 0x61]);
const OVERSIZE_BODY = Buffer.alloc(256 * 1024);

const identityChecks: GatewayCheck[] = [
  {
    id: 'mqtt.key.right',
    clause: '2.3',
    title: 'the device is let in with its mqtt_id and key',
    run: (gateway) => withSession(gateway, async () => undefined),
  },
  {
    id: 'mqtt.key.wrong',
    clause: '2.4',
    title: 'a wrong key is refused with CONNACK 4 or 5',
    run: async (gateway) => {
      await demandRefused(gateway, { ...identityOf(gateway), password: 'not-the-key' });
    },
  },
  {
    id: 'mqtt.key.missing',
    clause: '2.4',
    title: 'a connection without a key is refused with CONNACK 4 or 5',
    run: async (gateway) => {
      const { mqtt_id } = gateway.device;
      await demandRefused(gateway, { clientId: mqtt_id, username: mqtt_id });
    },
  },
  {
    id: 'mqtt.client-id.other',
    clause: '2.3',
    title: 'a client id other than the user name is refused',
    run: async (gateway) => {
      const { code, probe } = await openProbe(gateway.mqttUrl, {
        ...identityOf(gateway),
        clientId: `${gateway.device.mqtt_id}x`.slice(-64),
      });
      probe?.vanish();
      demand(code !== 0, 'it was accepted');
    },
  },
  {
    id: 'mqtt.unknown',
    clause: '2.4',
    title: 'an unknown device is refused with CONNACK 4 or 5',
    run: async (gateway) => {
      const name = 'conformance-unknown';
      await demandRefused(gateway, { clientId: name, username: name, password: 'x'.repeat(43) });
    },
  },
  {
    id: 'mqtt.client-id.tricks',
    clause: '2.2',
    title: 'client ids like "constructor" and "__proto__" are refused and harm nobody',
    run: async (gateway) => {
      for (const name of ['constructor', '__proto__', 'toString']) {
        const { code, probe } = await openProbe(gateway.mqttUrl, {
          clientId: name,
          username: name,
          password: 'x',
        });
        probe?.vanish();
        demand(code !== 0, `${name} was accepted`);
      }
      await withSession(gateway, async () => undefined);
    },
  },
];

const levelChecks: GatewayCheck[] = [
  {
    id: 'mqtt.desired.retained',
    clause: '4.1',
    title: 'shadow/desired stands retained when the device subscribes',
    run: (gateway) =>
      withSession(gateway, async (probe) => {
        const level = await readLevel(gateway, probe, 'shadow/desired', shadowDesired);
        demand(level.isRetained, 'it came without the retain flag');
        demand(level.bytes <= MAX_DEVICE_MESSAGE_BYTES, `${level.bytes} bytes`);
      }),
  },
  {
    id: 'mqtt.config.retained',
    clause: '4.6',
    title: 'config/desired stands retained and has its shape',
    run: (gateway) =>
      withSession(gateway, async (probe) => {
        const config = await readLevel(gateway, probe, 'config/desired', deviceConfig);
        demand(config.isRetained, 'it came without the retain flag');
        demand(config.bytes <= MAX_DEVICE_MESSAGE_BYTES, `${config.bytes} bytes`);
      }),
  },
  {
    id: 'mqtt.schedule.retained',
    clause: '4.7',
    title: 'schedule/desired stands retained and has its shape',
    run: (gateway) =>
      withSession(gateway, async (probe) => {
        const schedule = await readLevel(gateway, probe, 'schedule/desired', deviceSchedule);
        demand(schedule.isRetained, 'it came without the retain flag');
        demand(schedule.bytes <= MAX_DEVICE_MESSAGE_BYTES, `${schedule.bytes} bytes`);
      }),
  },
  {
    id: 'mqtt.desired.revisions',
    clause: '4.2',
    title: 'the revisions in shadow/desired are those of config and schedule',
    run: (gateway) =>
      withSession(gateway, async (probe) => {
        const { value: desired } = await readLevel(gateway, probe, 'shadow/desired', shadowDesired);
        const { value: config } = await readLevel(gateway, probe, 'config/desired', deviceConfig);
        const { value: schedule } = await readLevel(gateway, probe, 'schedule/desired', deviceSchedule);
        demand(desired.config_rev === config.rev, `config_rev ${desired.config_rev}, config ${config.rev}`);
        demand(
          desired.schedule_rev === schedule.rev,
          `schedule_rev ${desired.schedule_rev}, schedule ${schedule.rev}`,
        );
      }),
  },
  {
    id: 'mqtt.version.monotone',
    clause: '5.1',
    title: 'over a reconnect the epoch stays and the version never falls',
    run: async (gateway) => {
      const read = () =>
        withSession(gateway, async (probe) => {
          const { value } = await readLevel(gateway, probe, 'shadow/desired', shadowDesired);
          return value;
        });
      const first = await read();
      const second = await read();
      demand(first.epoch === second.epoch, `epoch ${first.epoch} became ${second.epoch}`);
      demand(second.version >= first.version, `version ${first.version} became ${second.version}`);
    },
  },
  {
    id: 'mqtt.cmd.not-retained',
    clause: '4.8',
    title: 'no command stands retained',
    run: (gateway) =>
      withSession(gateway, async (probe) => {
        const filter = commandTopic(gateway.device.mqtt_id, '+');
        demand((await probe.subscribe(filter)) !== 128, 'the subscription to cmd/+ was refused');
        await pause(1_000);
        const ghost = probe.received.find((message) => message.isRetained);
        demand(ghost === undefined, `${ghost?.topic} came retained`);
      }),
  },
  {
    id: 'mqtt.time',
    clause: '4.9',
    title: 'the time comes at least every 70 s (while the gateway trusts its own)',
    run: (gateway) => {
      if (!gateway.isThorough) throw new Skipped('takes up to 70 s: --thorough');
      return withSession(gateway, async (probe) => {
        await probe.subscribe(TIME_TOPIC);
        await probe.until('sf/v1/time', (message) => message.topic === TIME_TOPIC, 70_000);
      });
    },
  },
];

const rightsChecks: GatewayCheck[] = [
  {
    id: 'mqtt.subscribe.wildcard',
    clause: '3.4',
    title: 'wildcards and other devices’ topics are refused in the SUBACK, and the session stays',
    run: (gateway) =>
      withSession(gateway, async (probe) => {
        // Few, so that together with the other checks they stay under the limit of clause 8.5.
        const foreign = ['#', 'sf/v1/d/+/hb', deviceTopic('conformance-other', 'shadow/desired')];
        for (const filter of foreign) {
          demand((await probe.subscribe(filter)) === 128, `${filter} was granted`);
        }
        demand(!(await probe.endsWithin(200)), 'the session was closed');
      }),
  },
  {
    id: 'mqtt.publish.stray',
    clause: '3.5',
    title: 'a publish on a wrong topic is acknowledged or dropped, and the session stays',
    run: (gateway) =>
      withSession(gateway, async (probe) => {
        await probe.publish('cmnd/tasmota/POWER', '');
        await probe.publish(deviceTopic('conformance-other', 'hb'), { current_status: 'ON' });
        await probe.publish(deviceTopic(gateway.device.mqtt_id, 'shadow/desired'), {}, { retain: true });
        demand(!(await probe.endsWithin(300)), 'the session was closed');
        const { value } = await readLevel(gateway, probe, 'shadow/desired', shadowDesired);
        demand(value.epoch !== '', 'the device could overwrite its own level');
      }),
  },
  {
    id: 'mqtt.payload.bad',
    clause: '8.2',
    title: 'a body that is not JSON, or a field of the wrong type, is ignored, and the session stays',
    run: (gateway) =>
      withSession(gateway, async (probe) => {
        const topic = deviceTopic(gateway.device.mqtt_id, 'hb');
        await probe.publish(topic, '{not json');
        await probe.publish(topic, { current_status: 'MAYBE' });
        await probe.publish(topic, { current_status: 'OFF', unknown_field: 1 });
        demand(!(await probe.endsWithin(300)), 'the session was closed');
      }),
  },
  {
    id: 'mqtt.packet.oversize',
    clause: '8.3',
    title: 'a packet far over the limit ends that session, and the gateway goes on',
    run: async (gateway) => {
      const probe = await openSession(gateway.mqttUrl, identityOf(gateway));
      probe.writeRaw(OVERSIZE_HEADER);
      probe.writeRaw(OVERSIZE_BODY);
      const hasEnded = await probe.endsWithin(5_000);
      probe.vanish();
      demand(hasEnded, 'the session went on');
      await withSession(gateway, async () => undefined);
    },
  },
  {
    id: 'mqtt.takeover',
    clause: '2.6',
    title: 'a second session of the same device ends the first',
    run: async (gateway) => {
      const first = await openSession(gateway.mqttUrl, identityOf(gateway));
      try {
        await withSession(gateway, async (second) => {
          demand(await first.endsWithin(3_000), 'the first session went on');
          demand(!(await second.endsWithin(300)), 'the second session was closed');
        });
      } finally {
        first.vanish();
      }
    },
  },
];

export const GATEWAY_MQTT_CHECKS: readonly GatewayCheck[] = [
  ...identityChecks,
  ...levelChecks,
  ...rightsChecks,
];

async function demandRefused(gateway: GatewayUnderTest, identity: ProbeIdentity): Promise<void> {
  const { code, probe } = await openProbe(gateway.mqttUrl, identity);
  probe?.vanish();
  demand(code === 4 || code === 5, code === 0 ? 'it was accepted' : `CONNACK ${code}`);
}

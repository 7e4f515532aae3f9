import type * as z from 'zod';
import {
  deviceConfig,
  deviceSchedule,
  MAX_DEVICE_MESSAGE_BYTES,
  shadowDesired,
} from '#contract/mqtt/messages.ts';
import type { DeviceLevel } from '#contract/mqtt/topics.ts';
import { commandTopic, DEVICE_LEVELS, deviceTopic, TIME_TOPIC } from '#contract/mqtt/topics.ts';
import type { GatewayUnderTest } from './gateway-under-test.ts';
import { identityOf, openSession, readLevel, withSession } from './gateway-under-test.ts';
import type { ProbeIdentity } from './mqtt-probe.ts';
import { openRawSession } from './raw-session.ts';
import { type Check, demand } from './report.ts';

type GatewayCheck = Check<GatewayUnderTest>;

// Sent as the start of a PUBLISH of 16 MiB, far over what either side may send.
const OVERSIZE_HEADER = Buffer.from([0x30, 0xff, 0xff, 0xff, 0x07, 0x00, 0x01, 0x61]);
const OVERSIZE_BODY = Buffer.alloc(256 * 1024);

const ACKNOWLEDGED = { withinMs: 5_000 };
const KEEPALIVE_S = 2;

const LEVELS: readonly { level: DeviceLevel; schema: z.ZodType<unknown> }[] = [
  { level: 'shadow/desired', schema: shadowDesired },
  { level: 'config/desired', schema: deviceConfig },
  { level: 'schedule/desired', schema: deviceSchedule },
];

const identityChecks: GatewayCheck[] = [
  {
    id: 'mqtt.answers',
    clause: '2.3',
    title: 'a CONNECT is answered by a CONNACK, whatever it says',
    run: async (gateway) => {
      const { code, seen, probe } = await gateway.open(identityOf(gateway));
      await probe?.leave();
      demand(code >= 0, seen);
    },
  },
  {
    id: 'mqtt.key.right',
    clause: '2.3',
    title: 'the device is let in with its mqtt_id and key',
    needs: ['mqtt.answers'],
    run: (gateway) => withSession(gateway, async () => undefined),
  },
  {
    id: 'mqtt.key.wrong',
    clause: '2.4',
    title: 'a wrong key is refused with CONNACK 4 or 5',
    needs: ['mqtt.answers'],
    run: async (gateway) => {
      await demandRefused(gateway, { ...identityOf(gateway), password: 'not-the-key' });
    },
  },
  {
    id: 'mqtt.key.missing',
    clause: '2.4',
    title: 'a connection without a key is refused with CONNACK 4 or 5',
    needs: ['mqtt.answers'],
    run: async (gateway) => {
      const { mqtt_id } = gateway.device;
      await demandRefused(gateway, { clientId: mqtt_id, username: mqtt_id });
    },
  },
  {
    id: 'mqtt.client-id.other',
    clause: '2.3',
    title: 'a client id other than the user name is refused',
    needs: ['mqtt.answers'],
    run: async (gateway) => {
      const { code, probe } = await gateway.open({
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
    needs: ['mqtt.answers'],
    run: async (gateway) => {
      const name = 'conformance-unknown';
      await demandRefused(gateway, { clientId: name, username: name, password: 'x'.repeat(43) });
    },
  },
  {
    id: 'mqtt.client-id.tricks',
    clause: '2.2',
    title: 'client ids like "constructor" and "__proto__" are refused and harm nobody',
    needs: ['mqtt.answers'],
    run: async (gateway) => {
      for (const name of ['constructor', '__proto__', 'toString']) {
        const { code, probe } = await gateway.open({
          clientId: name,
          username: name,
          password: 'x',
        });
        probe?.vanish();
        demand(code !== 0, `${name} was accepted`);
      }
      const after = await gateway.open({ clientId: 'conformance', username: 'conformance', password: 'x' });
      after.probe?.vanish();
      demand(after.code >= 0, `afterwards ${after.seen}`);
    },
  },
  {
    id: 'mqtt.keepalive',
    clause: '2.3',
    title: 'a session that stays silent for one and a half times its keepalive is ended',
    needs: ['mqtt.key.right'],
    run: async (gateway) => {
      const session = await openRawSession(gateway, KEEPALIVE_S);
      const startMs = gateway.clock.nowMs();
      const limitMs = KEEPALIVE_S * 3_000;
      const hasEnded = await session.endsWithin(limitMs);
      session.close();
      const afterS = (gateway.clock.nowMs() - startMs) / 1000;
      demand(hasEnded, `keepalive ${KEEPALIVE_S} s, silent for ${limitMs / 1000} s: the session went on`);
      demand(afterS >= KEEPALIVE_S - 0.5, `it was ended after ${afterS.toFixed(1)} s`);
    },
  },
];

const levelChecks: GatewayCheck[] = [
  {
    id: 'mqtt.subscribe.own',
    clause: '3.3',
    title: 'the device may subscribe to its levels, its commands and the time',
    needs: ['mqtt.key.right'],
    run: (gateway) =>
      withSession(gateway, async (probe) => {
        const { mqtt_id } = gateway.device;
        const own = DEVICE_LEVELS.map((level) => deviceTopic(mqtt_id, level));
        for (const filter of [...own, commandTopic(mqtt_id, '+'), TIME_TOPIC]) {
          demand((await probe.subscribe(filter)) !== 128, `${filter} was refused`);
        }
      }),
  },
  {
    id: 'mqtt.desired',
    clause: '4.1',
    title: 'shadow/desired comes to a device that subscribes, and has its shape',
    needs: ['mqtt.subscribe.own'],
    run: async (gateway) => {
      await withSession(gateway, (probe) => readLevel(gateway, probe, 'shadow/desired', shadowDesired));
    },
  },
  {
    id: 'mqtt.desired.retained',
    clause: '4.1',
    title: 'shadow/desired carries the retain flag when it is subscribed to',
    needs: ['mqtt.desired'],
    run: (gateway) => demandRetained(gateway, 'shadow/desired', shadowDesired),
  },
  {
    id: 'mqtt.config.retained',
    clause: '4.6',
    title: 'config/desired stands retained and has its shape',
    needs: ['mqtt.subscribe.own'],
    run: (gateway) => demandRetained(gateway, 'config/desired', deviceConfig),
  },
  {
    id: 'mqtt.schedule.retained',
    clause: '4.7',
    title: 'schedule/desired stands retained and has its shape',
    needs: ['mqtt.subscribe.own'],
    run: (gateway) => demandRetained(gateway, 'schedule/desired', deviceSchedule),
  },
  {
    id: 'mqtt.schedule.order',
    clause: '4.7',
    title: 'the transitions stand in order, the first at most before "from", the last at most at "to"',
    needs: ['mqtt.schedule.retained'],
    run: (gateway) =>
      withSession(gateway, async (probe) => {
        const { value } = await readLevel(gateway, probe, 'schedule/desired', deviceSchedule);
        const { from, to, tr } = value;
        demand(from <= to, `from ${from}, to ${to}`);
        for (const [index, [atS]] of tr.entries()) {
          const isWithin = (index === 0 || atS >= from) && atS <= to;
          demand(isWithin, `transition ${index + 1} at ${atS}, from ${from} to ${to}`);
          demand(atS >= (tr[index - 1]?.[0] ?? atS), `transition ${index + 1} comes before the one above`);
        }
      }),
  },
  {
    id: 'mqtt.levels.qos',
    clause: '3.1',
    title: 'levels are granted and delivered with QoS 1',
    needs: ['mqtt.desired', 'mqtt.config.retained', 'mqtt.schedule.retained'],
    run: (gateway) =>
      withSession(gateway, async (probe) => {
        for (const { level, schema } of LEVELS) {
          const topic = deviceTopic(gateway.device.mqtt_id, level);
          const granted = await probe.subscribe(topic);
          demand(granted === 1, `${level} was granted with QoS ${granted}`);
          const { qos } = await readLevel(gateway, probe, level, schema);
          demand(qos === 1, `${level} came with QoS ${qos}`);
        }
      }),
  },
  {
    id: 'mqtt.levels.size',
    clause: '8.1',
    title: 'no level is longer than 1,024 bytes',
    needs: ['mqtt.desired', 'mqtt.config.retained', 'mqtt.schedule.retained'],
    run: (gateway) =>
      withSession(gateway, async (probe) => {
        for (const { level, schema } of LEVELS) {
          const { bytes } = await readLevel(gateway, probe, level, schema);
          demand(bytes <= MAX_DEVICE_MESSAGE_BYTES, `${level} has ${bytes} bytes`);
        }
      }),
  },
  {
    id: 'mqtt.desired.revisions',
    clause: '4.2',
    title: 'the revisions in shadow/desired are those of config and schedule',
    needs: ['mqtt.desired', 'mqtt.config.retained', 'mqtt.schedule.retained'],
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
    needs: ['mqtt.desired'],
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
    needs: ['mqtt.subscribe.own'],
    run: (gateway) =>
      withSession(gateway, async (probe) => {
        await probe.subscribe(commandTopic(gateway.device.mqtt_id, '+'));
        await gateway.pause(1_000);
        const ghost = probe.received.find((message) => message.isRetained);
        demand(ghost === undefined, `${ghost?.topic} came retained`);
      }),
  },
];

const rightsChecks: GatewayCheck[] = [
  {
    id: 'mqtt.acknowledged',
    clause: '3.1',
    title: 'what the device publishes with QoS 1 is acknowledged within 5 s',
    needs: ['mqtt.key.right'],
    run: (gateway) =>
      withSession(gateway, async (probe) => {
        const own = (path: 'state' | 'hb') => deviceTopic(gateway.device.mqtt_id, path);
        const state = { s: 'online', sid: 'conformance' };
        const isState = await probe.publish(own('state'), state, { retain: true, ...ACKNOWLEDGED });
        demand(isState, 'no PUBACK for state');
        const isBeat = await probe.publish(own('hb'), { current_status: 'OFF' }, ACKNOWLEDGED);
        demand(isBeat, 'no PUBACK for hb');
      }),
  },
  {
    id: 'mqtt.subscribe.wildcard',
    clause: '3.4',
    title: 'wildcards and other devices’ topics are refused in the SUBACK, and the session stays',
    needs: ['mqtt.subscribe.own'],
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
    title: 'a publish on a wrong topic is acknowledged and dropped, and the session stays',
    needs: ['mqtt.key.right'],
    run: (gateway) =>
      withSession(gateway, async (probe) => {
        const { mqtt_id } = gateway.device;
        const foreign = deviceTopic('conformance-other', 'hb');
        const strays = await Promise.all([
          probe.publish('cmnd/tasmota/POWER', '', ACKNOWLEDGED),
          probe.publish(foreign, { current_status: 'ON' }, ACKNOWLEDGED),
          probe.publish(deviceTopic(mqtt_id, 'shadow/desired'), {}, { retain: true, ...ACKNOWLEDGED }),
        ]);
        demand(!(await probe.endsWithin(300)), 'the session was closed');
        demand(strays.every(Boolean), `${strays.filter((isIt) => !isIt).length} of 3 were not acknowledged`);
      }),
  },
  {
    id: 'mqtt.publish.own-level',
    clause: '3.5',
    title: 'the device cannot overwrite its own level',
    needs: ['mqtt.desired'],
    run: (gateway) =>
      withSession(gateway, async (probe) => {
        const stray = { epoch: 'written-by-device', version: 1 };
        const topic = deviceTopic(gateway.device.mqtt_id, 'shadow/desired');
        await probe.publish(topic, stray, { retain: true });
        const { value } = await readLevel(gateway, probe, 'shadow/desired', shadowDesired);
        demand(value.epoch !== stray.epoch, 'the level it published stands retained');
      }),
  },
  {
    id: 'mqtt.payload.bad',
    clause: '8.2',
    title: 'a body that is not JSON, or a field of the wrong type, is ignored, and the session stays',
    needs: ['mqtt.key.right'],
    run: (gateway) =>
      withSession(gateway, async (probe) => {
        const topic = deviceTopic(gateway.device.mqtt_id, 'hb');
        await probe.publish(topic, '{not json');
        await probe.publish(topic, { current_status: 'MAYBE' });
        await probe.publish(topic, { current_status: 'OFF', motor_current_ma: 'much' });
        demand(!(await probe.endsWithin(300)), 'the session was closed');
      }),
  },
  {
    id: 'mqtt.packet.oversize',
    clause: '8.3',
    title: 'a packet far over the limit ends that session, and the gateway goes on',
    needs: ['mqtt.key.right'],
    run: async (gateway) => {
      const probe = await openSession(gateway, identityOf(gateway));
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
    needs: ['mqtt.key.right'],
    run: async (gateway) => {
      const first = await openSession(gateway, identityOf(gateway));
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
  const { code, seen, probe } = await gateway.open(identity);
  probe?.vanish();
  demand(code === 4 || code === 5, seen);
}

async function demandRetained(
  gateway: GatewayUnderTest,
  level: DeviceLevel,
  schema: z.ZodType<unknown>,
): Promise<void> {
  const { isRetained } = await withSession(gateway, (probe) => readLevel(gateway, probe, level, schema));
  demand(isRetained, 'it came without the retain flag');
}

import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { ShadowDesired } from '#contract/mqtt/messages.ts';
import { shadowDesired } from '#contract/mqtt/messages.ts';
import { deviceTopic } from '#contract/mqtt/topics.ts';
import type { SwitchState } from '#contract/words.ts';
import type { GatewayUnderTest } from './gateway-under-test.ts';
import {
  heartbeat,
  identityOf,
  openSession,
  opposite,
  order,
  parseAs,
  readJson,
  readLevel,
  until,
  withSession,
} from './gateway-under-test.ts';
import type { Probe, Received } from './mqtt-probe.ts';
import { type Check, demand, Skipped } from './report.ts';

type GatewayCheck = Check<GatewayUnderTest>;

const deviceStatus = z.object({
  current_status: z.string().nullable(),
  target_status: z.string(),
  is_online: z.boolean(),
});

const DELIVERED_WITHIN_MS = 5_000;
const BELIEVED_WITHIN_MS = 5_000;
/** A report that is refused is not shown some moments later either. */
const REFUSED_FOR_MS = 1_000;
const ONLINE_AT_LEAST_MS = 50_000;
const ONLINE_AT_MOST_MS = 75_000;

// Orders, and what the gateway believes about the device.
export const GATEWAY_ORDER_CHECKS: readonly GatewayCheck[] = [
  {
    id: 'order.delivered',
    clause: '4.3',
    title: 'an order reaches the connected device as a new version of the same epoch, within 5 s',
    needs: ['mqtt.desired', 'http.answers'],
    run: (gateway) =>
      withOrder(gateway, async ({ after, target, before }) => {
        demand(after.level.epoch === before.epoch, describePair(before, after.level));
        demand(after.level.target_status === target, `target_status ${after.level.target_status}`);
      }),
  },
  {
    id: 'order.qos',
    clause: '3.1',
    title: 'an order is delivered with QoS 1',
    needs: ['order.delivered', 'mqtt.levels.qos'],
    run: (gateway) =>
      withOrder(gateway, async ({ after }) => {
        demand(after.message.qos === 1, `it came with QoS ${after.message.qos}`);
      }),
  },
  {
    id: 'order.repeated',
    clause: '5.2',
    title: 'the same order again raises the version again',
    needs: ['order.delivered'],
    run: (gateway) =>
      withSession(gateway, async (probe) => {
        const { value: before } = await readLevel(gateway, probe, 'shadow/desired', shadowDesired);
        await order(gateway, before.target_status);
        const { level } = await nextLevel(gateway, probe, before);
        demand(level.target_status === before.target_status, 'the target changed');
      }),
  },
  {
    id: 'order.waits',
    clause: '4.1',
    title: 'an order given while the device is away stands retained when it returns',
    needs: ['order.delivered', 'mqtt.version.monotone'],
    run: async (gateway) => {
      const read = () =>
        withSession(gateway, async (probe) => {
          const { value } = await readLevel(gateway, probe, 'shadow/desired', shadowDesired);
          return value;
        });
      const before = await read();
      const target = opposite(before.target_status);
      await order(gateway, target);
      try {
        const after = await read();
        demand(after.epoch === before.epoch && after.version > before.version, describePair(before, after));
        demand(after.target_status === target, `target_status ${after.target_status}`);
      } finally {
        await order(gateway, before.target_status);
      }
    },
  },
  {
    id: 'report.believed',
    clause: '4.4',
    title: 'what the device reports is what the gateway shows, and it counts as online',
    needs: ['mqtt.desired', 'http.answers'],
    run: (gateway) =>
      withSession(gateway, async (probe) => {
        const { value: desired } = await readLevel(gateway, probe, 'shadow/desired', shadowDesired);
        const { mqtt_id } = gateway.device;
        await probe.publish(
          deviceTopic(mqtt_id, 'state'),
          { s: 'online', sid: 'conformance' },
          { retain: true },
        );
        await probe.publish(deviceTopic(mqtt_id, 'shadow/reported'), {
          epoch: desired.epoch,
          version: desired.version,
          current_status: desired.target_status,
          ack: 'applied',
        });
        await probe.publish(deviceTopic(mqtt_id, 'hb'), { current_status: desired.target_status });
        await until(gateway, 'the report is shown', BELIEVED_WITHIN_MS, async () => {
          const status = await readStatus(gateway);
          return status.current_status === desired.target_status && status.is_online;
        });
      }),
  },
  {
    id: 'report.fields',
    clause: '1.4',
    title: 'an unknown field is ignored, a known one of the wrong type refuses the whole message',
    needs: ['report.believed'],
    run: (gateway) =>
      withSession(gateway, async (probe) => {
        const topic = deviceTopic(gateway.device.mqtt_id, 'hb');
        const shows = async (status: SwitchState) => (await readStatus(gateway)).current_status === status;
        await probe.publish(topic, { current_status: 'OFF' });
        await until(gateway, 'OFF is shown', BELIEVED_WITHIN_MS, () => shows('OFF'));
        await probe.publish(topic, { current_status: 'ON', colour: 'blue' });
        await until(gateway, 'ON with an unknown field is shown', BELIEVED_WITHIN_MS, () => shows('ON'));
        await probe.publish(topic, { current_status: 'OFF', motor_current_ma: 'much' });
        await gateway.pause(REFUSED_FOR_MS);
        demand(await shows('ON'), 'OFF with "motor_current_ma": "much" is shown');
      }),
  },
  {
    id: 'will.believed',
    clause: '3.6',
    title: 'after the last will the device counts as offline at once',
    needs: ['report.believed'],
    run: async (gateway) => {
      const probe = await openNamed(gateway, 'conformance-will');
      await until(gateway, 'the device is online', BELIEVED_WITHIN_MS, () => isOnline(gateway));
      probe.vanish();
      const isOffline = async () => !(await isOnline(gateway));
      await until(gateway, 'the device is offline', BELIEVED_WITHIN_MS, isOffline);
    },
  },
  {
    id: 'will.late',
    clause: '3.6',
    title: 'the will of a session that a newer one has ended takes nobody offline',
    needs: ['report.believed', 'mqtt.takeover'],
    run: async (gateway) => {
      const first = await openNamed(gateway, 'conformance-first');
      const second = await openNamed(gateway, 'conformance-second');
      await first.endsWithin(BELIEVED_WITHIN_MS);
      await gateway.pause(REFUSED_FOR_MS);
      const isStillOnline = await isOnline(gateway);
      await second.leave();
      demand(isStillOnline, 'it counts as offline while its second session stands');
    },
  },
  {
    id: 'event.once',
    clause: '4.11',
    title: 'an event that arrives twice counts once',
    needs: ['report.believed'],
    run: (gateway) =>
      withSession(gateway, async (probe) => {
        if (gateway.user === null) throw new Skipped('needs --email and --password');
        const id = `conformance-${randomBytes(4).toString('hex')}`;
        const event = { id, k: 'manual_switch', d: { position: 'AUTO' } };
        const topic = deviceTopic(gateway.device.mqtt_id, 'event');
        await probe.publish(topic, event);
        await probe.publish(topic, event);
        const first = until(
          gateway,
          'it is logged',
          BELIEVED_WITHIN_MS,
          async () => (await logged(gateway, id)) > 0,
        );
        const isLogged = await first.then(
          () => true,
          () => false,
        );
        if (!isLogged) throw new Skipped('the log of the control point does not name events');
        await gateway.pause(REFUSED_FOR_MS);
        const times = await logged(gateway, id);
        demand(times === 1, `it is logged ${times} times`);
      }),
  },
  {
    id: 'online.ends',
    clause: '6.2',
    title: 'a device counts as online for 60 s after its last report',
    needs: ['report.believed', 'http.heartbeat.answer'],
    withinS: 120,
    run: async (gateway) => {
      if (!gateway.isThorough) throw new Skipped('takes 75 s: --thorough');
      const startMs = gateway.clock.nowMs();
      await heartbeat(gateway);
      await gateway.pause(ONLINE_AT_LEAST_MS);
      demand(await isOnline(gateway), `it is offline after ${ONLINE_AT_LEAST_MS / 1000} s`);
      const leftMs = ONLINE_AT_MOST_MS - (gateway.clock.nowMs() - startMs);
      await until(gateway, 'it is offline', leftMs, async () => !(await isOnline(gateway)));
    },
  },
];

type Delivered = { level: ShadowDesired; message: Received };
type Given = { before: ShadowDesired; target: SwitchState; after: Delivered };

/** Orders the other state while the device is connected, and the former one again whatever comes of it. */
function withOrder(gateway: GatewayUnderTest, judge: (given: Given) => Promise<void>): Promise<void> {
  return withSession(gateway, async (probe) => {
    const { value: before } = await readLevel(gateway, probe, 'shadow/desired', shadowDesired);
    const target = opposite(before.target_status);
    await order(gateway, target);
    try {
      await judge({ before, target, after: await nextLevel(gateway, probe, before) });
    } finally {
      await order(gateway, before.target_status);
    }
  });
}

/** The next level that is another one than before: the retained message came already. */
async function nextLevel(gateway: GatewayUnderTest, probe: Probe, before: ShadowDesired): Promise<Delivered> {
  const topic = deviceTopic(gateway.device.mqtt_id, 'shadow/desired');
  const isNewer = (message: Received) => {
    const level = shadowDesired.safeParse(readJson(message.text));
    const isOther = level.data?.epoch !== before.epoch || level.data.version > before.version;
    return message.topic === topic && level.success && isOther;
  };
  const message = await probe.until('a higher version', isNewer, DELIVERED_WITHIN_MS);
  return { message, level: parseAs('shadow/desired', shadowDesired, readJson(message.text)) };
}

/** A session with a will, said to be there under this session id. */
async function openNamed(gateway: GatewayUnderTest, sid: string): Promise<Probe> {
  const { mqtt_id } = gateway.device;
  const topic = deviceTopic(mqtt_id, 'state');
  const payload = Buffer.from(JSON.stringify({ s: 'lost', sid }));
  const probe = await openSession(gateway, identityOf(gateway), {
    will: { topic, payload, qos: 1, retain: true },
  });
  await probe.publish(topic, { s: 'online', sid }, { retain: true });
  await probe.publish(deviceTopic(mqtt_id, 'hb'), { current_status: 'OFF' });
  return probe;
}

const isOnline = async (gateway: GatewayUnderTest): Promise<boolean> => (await readStatus(gateway)).is_online;

/** How many entries of the control point's log name this event. */
async function logged(gateway: GatewayUnderTest, id: string): Promise<number> {
  if (gateway.user === null) return 0;
  const path = `/api/v1/logs/control-points/${gateway.user.controlPointId}`;
  const { body } = await gateway.call(path, { bearer: gateway.user.token });
  return Array.isArray(body) ? body.filter((entry) => JSON.stringify(entry).includes(id)).length : 0;
}

function describePair(before: ShadowDesired, after: ShadowDesired): string {
  return `${before.epoch}/${before.version} became ${after.epoch}/${after.version}`;
}

async function readStatus(gateway: GatewayUnderTest): Promise<z.infer<typeof deviceStatus>> {
  const path = `/api/v1/devices/status/${encodeURIComponent(gateway.device.device_id)}`;
  const bearer = gateway.user?.token ?? gateway.device.key;
  const answer = await gateway.call(path, { bearer });
  if (answer.status === 401 && gateway.user === null) throw new Skipped('needs --email and --password');
  demand(answer.status === 200, `status answered ${answer.status}`);
  return parseAs('status', deviceStatus, answer.body);
}

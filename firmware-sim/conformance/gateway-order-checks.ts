import * as z from 'zod';
import type { ShadowDesired } from '#contract/mqtt/messages.ts';
import { heartbeatAnswer, shadowDesired } from '#contract/mqtt/messages.ts';
import { deviceTopic } from '#contract/mqtt/topics.ts';
import { callHttp } from '../http-call.ts';
import type { GatewayUnderTest } from './gateway-under-test.ts';
import {
  heartbeat,
  identityOf,
  order,
  parseAs,
  readJson,
  readLevel,
  withSession,
} from './gateway-under-test.ts';
import type { Probe, Received } from './mqtt-probe.ts';
import { openSession, pause } from './mqtt-probe.ts';
import type { Check } from './report.ts';
import { demand, Skipped } from './report.ts';

type GatewayCheck = Check<GatewayUnderTest>;

const deviceStatus = z.object({
  current_status: z.string().nullable(),
  target_status: z.string(),
  is_online: z.boolean(),
});

// Orders, and what the gateway believes about the device.
export const GATEWAY_ORDER_CHECKS: readonly GatewayCheck[] = [
  {
    id: 'order.delivered',
    clause: '4.3',
    title: 'an order reaches the connected device as a new version of the same epoch, within 5 s',
    run: (gateway) =>
      withSession(gateway, async (probe) => {
        const { value: before } = await readLevel(gateway, probe, 'shadow/desired', shadowDesired);
        const target = before.target_status === 'ON' ? 'OFF' : 'ON';
        await order(gateway, target);
        const after = await nextLevel(gateway, probe, before);
        demand(after.target_status === target, `target_status ${after.target_status}`);
        await order(gateway, before.target_status);
      }),
  },
  {
    id: 'order.repeated',
    clause: '5.2',
    title: 'the same order again raises the version again',
    run: (gateway) =>
      withSession(gateway, async (probe) => {
        const { value: before } = await readLevel(gateway, probe, 'shadow/desired', shadowDesired);
        await order(gateway, before.target_status);
        const after = await nextLevel(gateway, probe, before);
        demand(after.target_status === before.target_status, 'the target changed');
      }),
  },
  {
    id: 'order.waits',
    clause: '4.1',
    title: 'an order given while the device is away stands retained when it returns',
    run: async (gateway) => {
      const before = await standingLevel(gateway);
      await order(gateway, before.target_status);
      const after = await standingLevel(gateway);
      demand(after.epoch === before.epoch && after.version > before.version, describePair(before, after));
    },
  },
  {
    id: 'order.ends',
    clause: '4.1',
    title: 'a level that ends by itself says what is left of it at each delivery, and what follows',
    run: async (gateway) => {
      const before = await standingLevel(gateway);
      await order(gateway, before.target_status);
      await order(gateway, before.target_status === 'ON' ? 'OFF' : 'ON', { for_s: 60 });
      try {
        const first = await standingLevel(gateway);
        demand(first.then === before.target_status, `then ${first.then ?? 'is missing'}`);
        demand(isWithin(first.until, 50, 60), `until ${first.until ?? 'is missing'}`);
        await pause(2_000);
        const later = await standingLevel(gateway);
        demand(isWithin(later.until, 40, (first.until ?? 0) - 1), `until ${later.until} two seconds later`);
        const polled = parseAs('answer', heartbeatAnswer, (await heartbeat(gateway)).body);
        demand(isWithin(polled.until, 40, 60) && polled.then === first.then, 'HTTP tells another end');
      } finally {
        await order(gateway, before.target_status);
      }
      const after = await standingLevel(gateway);
      demand(after.until === undefined && after.then === undefined, 'a level without end tells of one');
    },
  },
  {
    id: 'report.believed',
    clause: '4.4',
    title: 'what the device reports is what the gateway shows, and it counts as online',
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
        await until('the report is shown', async () => {
          const status = await readStatus(gateway);
          return status.current_status === desired.target_status && status.is_online;
        });
      }),
  },
  {
    id: 'will.believed',
    clause: '3.6',
    title: 'after the last will the device counts as offline at once',
    run: async (gateway) => {
      const topic = deviceTopic(gateway.device.mqtt_id, 'state');
      const sid = 'conformance-will';
      const probe = await openSession(gateway.mqttUrl, identityOf(gateway), {
        will: { topic, payload: Buffer.from(JSON.stringify({ s: 'lost', sid })), qos: 1, retain: true },
      });
      try {
        await probe.publish(topic, { s: 'online', sid }, { retain: true });
        await probe.publish(deviceTopic(gateway.device.mqtt_id, 'hb'), { current_status: 'OFF' });
        await until('the device is online', async () => (await readStatus(gateway)).is_online);
      } finally {
        probe.vanish();
      }
      await until('the device is offline', async () => !(await readStatus(gateway)).is_online);
    },
  },
];

function standingLevel(gateway: GatewayUnderTest): Promise<ShadowDesired> {
  return withSession(gateway, async (probe) => {
    const { value } = await readLevel(gateway, probe, 'shadow/desired', shadowDesired);
    return value;
  });
}

const isWithin = (seconds: number | undefined, least: number, most: number): boolean =>
  seconds !== undefined && seconds >= least && seconds <= most;

function nextLevel(gateway: GatewayUnderTest, probe: Probe, before: ShadowDesired): Promise<ShadowDesired> {
  const topic = deviceTopic(gateway.device.mqtt_id, 'shadow/desired');
  const isNewer = (message: Received) => {
    const level = shadowDesired.safeParse(readJson(message.text));
    return message.topic === topic && level.success && level.data.version > before.version;
  };
  return probe.until('a higher version', isNewer, 5_000).then((message) => {
    const level = parseAs('shadow/desired', shadowDesired, readJson(message.text));
    demand(level.epoch === before.epoch, describePair(before, level));
    return level;
  });
}

function describePair(before: ShadowDesired, after: ShadowDesired): string {
  return `${before.epoch}/${before.version} became ${after.epoch}/${after.version}`;
}

async function readStatus(gateway: GatewayUnderTest): Promise<z.infer<typeof deviceStatus>> {
  const path = `/api/v1/devices/status/${encodeURIComponent(gateway.device.device_id)}`;
  const bearer = gateway.user?.token ?? gateway.device.key;
  const answer = await callHttp(gateway.httpBase, path, { bearer });
  if (answer.status === 401 && gateway.user === null) throw new Skipped('needs --email and --password');
  demand(answer.status === 200, `status answered ${answer.status}`);
  return parseAs('status', deviceStatus, answer.body);
}

async function until(what: string, test: () => Promise<boolean>): Promise<void> {
  for (let waitedMs = 0; waitedMs < 5_000; waitedMs += 100) {
    if (await test()) return;
    await pause(100);
  }
  demand(false, `${what}: not within 5 s`);
}

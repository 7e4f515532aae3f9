import type * as z from 'zod';
import type { DeviceLevel } from '#contract/mqtt/topics.ts';
import { deviceTopic } from '#contract/mqtt/topics.ts';
import type { SwitchState } from '#contract/words.ts';
import { callHttp } from '../http-call.ts';
import type { Probe, ProbeIdentity } from './mqtt-probe.ts';
import { openSession } from './mqtt-probe.ts';
import { Skipped, Unmet } from './report.ts';

export type GatewayUnderTest = {
  /** `http://host:port`, without a path. */
  httpBase: string;
  mqttUrl: string;
  device: { device_id: string; mqtt_id: string; key: string };
  /** Needed by the checks that give orders. */
  user: { token: string; controlPointId: string } | null;
  /** Also the checks that take longer than half a minute. */
  isThorough: boolean;
};

export function identityOf(gateway: GatewayUnderTest): ProbeIdentity {
  const { mqtt_id, key } = gateway.device;
  return { clientId: mqtt_id, username: mqtt_id, password: key };
}

/** Opens a session for the device under test, lets `use` work with it and leaves. */
export async function withSession<T>(
  gateway: GatewayUnderTest,
  use: (probe: Probe) => Promise<T>,
): Promise<T> {
  const probe = await openSession(gateway.mqttUrl, identityOf(gateway));
  try {
    return await use(probe);
  } finally {
    await probe.leave();
  }
}

/** Subscribes to a level and answers the message that stood there, in the contract's shape. */
export async function readLevel<T>(
  gateway: GatewayUnderTest,
  probe: Probe,
  level: DeviceLevel,
  schema: z.ZodType<T>,
): Promise<{ value: T; isRetained: boolean; bytes: number }> {
  const topic = deviceTopic(gateway.device.mqtt_id, level);
  const granted = await probe.subscribe(topic);
  if (granted === 128) throw new Unmet(`the subscription to ${level} was refused`);
  const message = await probe.until(level, (each) => each.topic === topic, 5_000);
  return {
    value: parseAs(level, schema, readJson(message.text)),
    isRetained: message.isRetained,
    bytes: Buffer.byteLength(message.text),
  };
}

/** Reads a body in the contract's shape; the reason names the first field that is wrong. */
export function parseAs<T>(what: string, schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new Unmet(`${what}: ${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'not as described'}`);
}

export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function heartbeat(gateway: GatewayUnderTest, change: Record<string, unknown> = {}) {
  return callHttp(gateway.httpBase, '/api/v1/devices/heartbeat', {
    bearer: gateway.device.key,
    body: { device_id: gateway.device.device_id, current_status: 'OFF', ...change },
  });
}

/** Gives an order as a user. Throws Skipped without a login. */
export async function order(
  gateway: GatewayUnderTest,
  target: SwitchState,
  wish: { for_s?: number } = {},
): Promise<void> {
  if (gateway.user === null) throw new Skipped('needs --email and --password');
  const path = `/api/v1/control-points/${gateway.user.controlPointId}/turn-${target.toLowerCase()}`;
  const answer = await callHttp(gateway.httpBase, path, {
    method: 'POST',
    bearer: gateway.user.token,
    body: wish,
  });
  if (answer.status !== 200) throw new Unmet(`turn-${target.toLowerCase()} answered ${answer.status}`);
}

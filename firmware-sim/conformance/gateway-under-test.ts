import type { IClientOptions } from 'mqtt';
import type * as z from 'zod';
import type { DeviceLevel } from '#contract/mqtt/topics.ts';
import { deviceTopic } from '#contract/mqtt/topics.ts';
import type { SwitchState } from '#contract/words.ts';
import { callHttp, type HttpAnswer, type HttpCall } from '../fetch-firmware.ts';
import type { SimClock } from '../sim-clock.ts';
import type { Opened, Probe, ProbeIdentity } from './mqtt-probe.ts';
import { openProbe } from './mqtt-probe.ts';
import { Skipped, Unmet } from './report.ts';

export type GatewayTarget = {
  /** `http://host:port`, without a path. */
  httpBase: string;
  mqttUrl: string;
  /** UDP port of SNTP beside the HTTP address; null: it is not asked. */
  ntpPort: number | null;
  device: { device_id: string; mqtt_id: string; key: string };
  /** Needed by the checks that give orders. */
  user: { token: string; controlPointId: string } | null;
  /** Also the checks that take longer than half a minute. */
  isThorough: boolean;
};

export type GatewayUnderTest = GatewayTarget & {
  /** Monotonic. */
  clock: Pick<SimClock, 'nowMs' | 'at'>;
  /** What the checking machine's clock says, ms since 1970: that of the gateway is compared with it. */
  unixMs: () => number;
  /** Tries to open a session; it ends with the check at the latest. */
  open: (identity: ProbeIdentity, extra?: Partial<IClientOptions>) => Promise<Opened>;
  /** Throws Unmet when no answer comes. */
  call: (path: string, call?: HttpCall) => Promise<HttpAnswer>;
  pause: (ms: number) => Promise<void>;
};

const ANSWER_WITHIN_MS = 10_000;

export type Reach = { clock: Pick<SimClock, 'nowMs' | 'at'>; unixMs: () => number };

/** The way to a gateway, and how everything that was opened on it is closed. */
export function reachGateway(
  { clock, unixMs }: Reach,
  target: GatewayTarget,
): { gateway: GatewayUnderTest; closeAll: () => void } {
  const closers = new Set<() => void>();
  const deps = { clock, url: target.mqttUrl, opened: (close: () => void) => void closers.add(close) };
  return {
    gateway: {
      ...target,
      clock,
      unixMs,
      open: (identity, extra) => openProbe(deps, identity, extra),
      call: (path, call = {}) => callGateway(target.httpBase, path, call),
      pause: (ms) =>
        new Promise((resolve) => {
          clock.at(clock.nowMs() + ms, resolve);
        }),
    },
    closeAll: () => {
      for (const close of closers) close();
      closers.clear();
    },
  };
}

async function callGateway(base: string, path: string, call: HttpCall): Promise<HttpAnswer> {
  try {
    return await callHttp(base, path, { withinMs: ANSWER_WITHIN_MS, ...call });
  } catch (cause) {
    throw new Unmet(`${path}: no answer (${reasonOf(cause)})`, { cause });
  }
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause.name === 'TimeoutError') return `within ${ANSWER_WITHIN_MS / 1000} s`;
  // fetch hides the reason one level down
  return cause.cause instanceof Error ? cause.cause.message : cause.message;
}

export function identityOf(gateway: GatewayTarget): ProbeIdentity {
  const { mqtt_id, key } = gateway.device;
  return { clientId: mqtt_id, username: mqtt_id, password: key };
}

/** A session for an identity that must be let in. */
export async function openSession(
  gateway: GatewayUnderTest,
  identity: ProbeIdentity,
  extra: Partial<IClientOptions> = {},
): Promise<Probe> {
  const { seen, probe } = await gateway.open(identity, extra);
  if (probe === null) throw new Unmet(`the right key did not open a session (${seen})`);
  return probe;
}

/** Opens a session for the device under test, lets `use` work with it and leaves. */
export async function withSession<T>(
  gateway: GatewayUnderTest,
  use: (probe: Probe) => Promise<T>,
): Promise<T> {
  const probe = await openSession(gateway, identityOf(gateway));
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
): Promise<{ value: T; isRetained: boolean; qos: number; bytes: number }> {
  const topic = deviceTopic(gateway.device.mqtt_id, level);
  const granted = await probe.subscribe(topic);
  if (granted === 128) throw new Unmet(`the subscription to ${level} was refused`);
  const message = await probe.until(level, (each) => each.topic === topic, 5_000);
  return {
    value: parseAs(level, schema, readJson(message.text)),
    isRetained: message.isRetained,
    qos: message.qos,
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
  return gateway.call('/api/v1/devices/heartbeat', {
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
  const answer = await gateway.call(path, { method: 'POST', bearer: gateway.user.token, body: wish });
  if (answer.status !== 200) throw new Unmet(`turn-${target.toLowerCase()} answered ${answer.status}`);
}

export const opposite = (state: SwitchState): SwitchState => (state === 'ON' ? 'OFF' : 'ON');

/** Asks until it holds. The clock decides, not the number of questions: an answer may take long. */
export async function until(
  gateway: GatewayUnderTest,
  what: string,
  withinMs: number,
  test: () => Promise<boolean>,
): Promise<void> {
  const endMs = gateway.clock.nowMs() + withinMs;
  for (;;) {
    if (await test()) return;
    if (gateway.clock.nowMs() >= endMs) throw new Unmet(`${what}: not within ${withinMs / 1000} s`);
    await gateway.pause(100);
  }
}

import { type Agent, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import {
  type DeviceCommand,
  type DeviceConfig,
  type DeviceSchedule,
  deviceConfig,
  deviceSchedule,
  type HeartbeatAnswer,
  heartbeatAnswer,
} from '#contract/mqtt/messages.ts';
import type { OtaDesired } from '#contract/mqtt/ota.ts';
import type { DevicePublishes } from '#contract/mqtt/topics.ts';
import type { HeartbeatBody, LevelHeard } from '../controller/state.ts';

// What a controller's runner asks of a network, and what comes back.

export type Outgoing =
  | { kind: 'publish'; path: DevicePublishes; body: object }
  | { kind: 'result'; correlation: string; body: object }
  | { kind: 'post'; body: HeartbeatBody }
  | { kind: 'fetch'; what: 'config' | 'schedule' };

export type Incoming =
  /** `newKey`: it opened with the key that it was given last; from now on that is its key, and not before. */
  | { kind: 'connected'; newKey?: string }
  | { kind: 'disconnected'; lastContactMs?: number; reason: string; isRefused?: boolean }
  | { kind: 'desired'; level: LevelHeard }
  | { kind: 'config'; config: DeviceConfig }
  | { kind: 'schedule'; schedule: DeviceSchedule }
  | { kind: 'command'; correlation: string; command: DeviceCommand; isRetained: boolean }
  | { kind: 'ota'; level: OtaDesired }
  | { kind: 'time'; unixMs: number }
  | { kind: 'http_answer'; answer: HeartbeatAnswer }
  | { kind: 'http_failed'; reason: string }
  /** A message that breaks the contract: ignored and counted. */
  | { kind: 'malformed'; where: string };

export type Transport = {
  connect(session: { sid: string; bootId: string }): void;
  send(message: Outgoing): void;
  close(how: 'abrupt' | 'bye'): void;
  /** From the next session on; the key before is kept until this one has opened one. */
  rekey(key: string): void;
  /** true: the socket stays open and carries nothing, in either direction. */
  setHalfOpen(isHalfOpen: boolean): void;
};

export type Identity = { device_id: string; mqtt_id: string; key: string };

/** A transport tells through `hear`; what it says about a session that is over is nobody's concern. */
export type TransportDeps = { nowMs: () => number; hear: (message: Incoming) => void };

// The HTTP form of the protocol: the heartbeat is the poll, and its answer carries the level.

const REQUEST_TIMEOUT_MS = 60_000;

type HttpIdentity = Omit<Identity, 'mqtt_id' | 'key'> & { key?: string };

type Answer = { status: number; body: unknown };

export function createHttpTransport(
  deps: TransportDeps & { agent: Agent },
  base: string,
  identity: HttpIdentity,
): Transport {
  let underWay = new AbortController();
  let isHalfOpen = false;
  let healed = new AbortController();

  const call = async (method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> => {
    // Nothing arrives and nothing is refused: the request ends only by its own time limit.
    if (isHalfOpen) await untilAborted(AbortSignal.any([underWay.signal, healed.signal]));
    return requestJson({
      agent: deps.agent,
      url: `${base}${path}`,
      method,
      key: identity.key,
      signal: underWay.signal,
      body,
    });
  };
  const post = async (body: HeartbeatBody): Promise<void> => {
    const { signal } = underWay;
    try {
      const answer = await call('POST', '/api/v1/devices/heartbeat', {
        device_id: identity.device_id,
        ...body,
      });
      if (signal.aborted) return;
      const parsed = heartbeatAnswer.safeParse(answer.body);
      if (answer.status === 200 && parsed.success) deps.hear({ kind: 'http_answer', answer: parsed.data });
      else deps.hear({ kind: 'http_failed', reason: `answered ${answer.status}` });
    } catch (error) {
      if (!signal.aborted) deps.hear({ kind: 'http_failed', reason: describe(error) });
    }
  };
  const fetchBody = async (what: 'config' | 'schedule'): Promise<void> => {
    const { signal } = underWay;
    const path = `/api/v1/devices/${what}/${encodeURIComponent(identity.device_id)}`;
    try {
      const { body } = await call('GET', path);
      if (signal.aborted) return;
      if (what === 'config') hearConfig(deps, body);
      else hearSchedule(deps, body);
    } catch (error) {
      // The next answer names the revision again, and the body is fetched then.
      if (!signal.aborted) deps.hear({ kind: 'malformed', where: `${path}: ${describe(error)}` });
    }
  };

  return {
    connect: () => undefined,
    send: (message) => {
      if (message.kind === 'post') void post(message.body);
      else if (message.kind === 'fetch') void fetchBody(message.what);
    },
    close: () => {
      underWay.abort();
      underWay = new AbortController();
    },
    // commands, and so new keys, come over MQTT alone
    rekey: () => undefined,
    setHalfOpen: (wanted) => {
      isHalfOpen = wanted;
      if (wanted) return;
      // What was lost meanwhile is lost: a healed line shows itself as a failed request.
      healed.abort();
      healed = new AbortController();
    },
  };
}

function hearConfig(deps: TransportDeps, body: unknown): void {
  const config = deviceConfig.safeParse(body);
  if (config.success) deps.hear({ kind: 'config', config: config.data });
  else deps.hear({ kind: 'malformed', where: 'config' });
}

function hearSchedule(deps: TransportDeps, body: unknown): void {
  const schedule = deviceSchedule.safeParse(body);
  if (schedule.success) deps.hear({ kind: 'schedule', schedule: schedule.data });
  else deps.hear({ kind: 'malformed', where: 'schedule' });
}

type Call = {
  agent: Agent;
  url: string;
  method: 'GET' | 'POST' | 'DELETE';
  key: string | undefined;
  signal: AbortSignal;
  body: object | undefined;
};

/** One JSON request over an agent's connections. Rejects when there is no answer in time. */
export function requestJson(call: Call): Promise<Answer> {
  const text = call.body === undefined ? undefined : JSON.stringify(call.body);
  const send = call.url.startsWith('https:') ? requestTls : requestPlain;
  const headers: Record<string, string> = { accept: 'application/json' };
  if (call.key !== undefined) headers['authorization'] = `Bearer ${call.key}`;
  if (text !== undefined) {
    headers['content-type'] = 'application/json';
    headers['content-length'] = String(Buffer.byteLength(text));
  }
  return new Promise((resolve, reject) => {
    const outgoing = send(
      call.url,
      { method: call.method, agent: call.agent, headers, signal: call.signal, timeout: REQUEST_TIMEOUT_MS },
      (incoming) => {
        let received = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (chunk: string) => {
          received += chunk;
        });
        incoming.on('error', reject);
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, body: parseJson(received) }));
      },
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')));
    outgoing.on('error', reject);
    outgoing.end(text);
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // An answer that is not JSON fails the check of its shape.
    return undefined;
  }
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer in time')), REQUEST_TIMEOUT_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new Error('aborted'));
    });
  });
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

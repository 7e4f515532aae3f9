import { createHmac, randomBytes } from 'node:crypto';
import { connect, type MqttClient } from 'mqtt';
import {
  BOOT_USER,
  type BootIdentity,
  bootClientId,
  bootCredentials,
  bootTopic,
} from '#contract/mqtt/boot.ts';
import { openCredentials } from './open-credentials.ts';

export type ClaimOptions = {
  mqttUrl: string;
  /** 12 hex digits. */
  mac: string;
  claim: string;
  chip?: string;
  firmwareVersion?: string;
  /** What the board was called before its flash was erased, if it still knows. */
  formerDeviceId?: string;
  /** Between two attempts while the window is closed, ms. */
  retryMs?: number;
  /** Its NVS is broken: it says so instead of storing. */
  cannotStore?: boolean;
  /** Writing its flash takes a while. */
  storing?: () => Promise<void>;
  signal?: AbortSignal;
  tell?: (line: string) => void;
};

const RETRY_MS = 5_000;
const HELLO_AGAIN_MS = 60_000;

/**
 * A board without a key asks for one until it is given some: resolves with the credentials once the gateway let it go to
 * use them. Rejects when it is called off.
 */
export async function claimIdentity(options: ClaimOptions): Promise<BootIdentity> {
  for (;;) {
    options.signal?.throwIfAborted();
    const stay = await askForIdentity(options);
    if (stay !== null) return stay;
    await pause(options.retryMs ?? RETRY_MS, options.signal);
  }
}

/** One connection: credentials that were stored, or null when it ended without. */
export function askForIdentity(options: Omit<ClaimOptions, 'retryMs'>): Promise<BootIdentity | null> {
  const { mac, tell = () => undefined } = options;
  const client = connect(options.mqttUrl, {
    protocolVersion: 4,
    clientId: bootClientId(mac),
    username: BOOT_USER,
    password: '',
    clean: true,
    keepalive: 30,
    reconnectPeriod: 0,
    resubscribe: false,
  });
  const callOff = () => client.end(true);
  options.signal?.addEventListener('abort', callOff, { once: true });
  const topic = bootTopic(mac, 'credentials');
  let stored: BootIdentity | null = null;
  const hello = () => say(client, mac, 'hello', helloOf(options));
  const again = setInterval(hello, HELLO_AGAIN_MS);
  client.on('connect', () => {
    tell(`board ${mac} waits for its credentials`);
    client.subscribe(topic, { qos: 1 }, hello);
  });
  client.on('message', (_topic, payload) => {
    const credentials = bootCredentials.safeParse(parseJson(payload));
    if (!credentials.success) return;
    const opened = openCredentials(credentials.data, { claim: options.claim, topic });
    if (opened === null || options.cannotStore === true) {
      const error = opened === null ? 'claim' : 'storage';
      tell(`board ${mac} did not take its credentials: ${error}`);
      say(client, mac, 'result', { ok: false, error });
      return;
    }
    clearInterval(again);
    const keep = () => {
      stored = opened;
      const proof = createHmac('sha256', opened.key).update(credentials.data.nonce).digest('base64url');
      say(client, mac, 'result', { ok: true, proof });
    };
    if (options.storing === undefined) keep();
    else void options.storing().then(keep);
  });
  return new Promise((resolve) => {
    // 'error' (refused, unreachable) is always followed by 'close'
    client.on('error', (error) => tell(`board ${mac}: ${error.message}`));
    client.on('close', () => {
      clearInterval(again);
      options.signal?.removeEventListener('abort', callOff);
      client.end(true);
      resolve(stored);
    });
  });
}

function helloOf(options: ClaimOptions): object {
  return {
    nonce: randomBytes(16).toString('base64url'),
    chip: options.chip ?? 'ESP32',
    firmware_version: options.firmwareVersion ?? 'sim-1.0.0',
    ...(options.formerDeviceId === undefined ? {} : { device_id: options.formerDeviceId }),
  };
}

function say(client: MqttClient, mac: string, path: 'hello' | 'result', body: object): void {
  // it was sent away meanwhile
  if (!client.connected) return;
  client.publish(bootTopic(mac, path), JSON.stringify(body), { qos: 1 }, () => undefined);
}

function parseJson(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString('utf8'));
  } catch {
    // its schema refuses it
    return undefined;
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener('abort', wake, { once: true });
  });
}

import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { connect, type MqttClient } from 'mqtt';
import {
  BOOT_USER,
  type BootCredentials,
  type BootIdentity,
  bootClientId,
  bootCredentials,
  bootIdentity,
  bootTopic,
} from '#contract/mqtt/boot.ts';

// What a board does with its credentials, written from docs/device-protocol.md alone: HKDF (RFC 5869) by hand, so that a
// gateway and a board that share a mistake would be noticed.

const TAG_BYTES = 16;

/** Opens sealed credentials with the claim code of the board; null: it is not its code, or they were changed. */
export function openCredentials(
  credentials: BootCredentials,
  { claim, topic }: { claim: string; topic: string },
): BootIdentity | null {
  const sealed = Buffer.from(credentials.sealed, 'base64url');
  const salt = Buffer.from(credentials.nonce, 'base64url');
  try {
    const opening = createDecipheriv(
      'aes-256-gcm',
      sealingKey(claim, salt, topic),
      Buffer.from(credentials.iv, 'base64url'),
    );
    opening.setAAD(Buffer.from(topic));
    opening.setAuthTag(sealed.subarray(-TAG_BYTES));
    const text = Buffer.concat([opening.update(sealed.subarray(0, -TAG_BYTES)), opening.final()]);
    return bootIdentity.parse(JSON.parse(text.toString('utf8')));
  } catch {
    // a wrong tag, a form that is none: to the board it is all one
    return null;
  }
}

/** What both sides make of the claim code. */
function sealingKey(claim: string, salt: Buffer, topic: string): Buffer {
  const code = claim.replaceAll(/[\s-]/g, '').toUpperCase();
  return hkdf(Buffer.from(code, 'ascii'), salt, Buffer.from(topic));
}

/** 32 bytes need one block of the expansion. */
function hkdf(secret: Buffer, salt: Buffer, info: Buffer): Buffer {
  const extracted = createHmac('sha256', salt).update(secret).digest();
  return createHmac('sha256', extracted)
    .update(Buffer.concat([info, Buffer.from([1])]))
    .digest();
}

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

/** What a gateway sends to a board that said hello: only who knows the claim code can open it. */
export function sealCredentials(
  identity: BootIdentity,
  { claim, nonce, topic }: { claim: string; nonce: string; topic: string },
): BootCredentials {
  const iv = randomBytes(12);
  const sealing = createCipheriv(
    'aes-256-gcm',
    sealingKey(claim, Buffer.from(nonce, 'base64url'), topic),
    iv,
  );
  sealing.setAAD(Buffer.from(topic));
  const sealed = [sealing.update(JSON.stringify(identity), 'utf8'), sealing.final(), sealing.getAuthTag()];
  return { nonce, iv: iv.toString('base64url'), sealed: Buffer.concat(sealed).toString('base64url') };
}

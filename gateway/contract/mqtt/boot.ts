import * as z from 'zod';
import { FAIL_SAFES } from '../words.ts';
import { TOPIC_ROOT } from './topics.ts';

// How a board without a key gets one over the network: user name `boot`, while a technician holds the window open. It
// says hello, and gets credentials that only who knows the claim code of its label can open.

export const BOOT_USER = 'boot';
export const BOOT_MAC_PATTERN = /^[0-9a-f]{12}$/;

/** Client id of a board: at once its name and the bound of its topics. */
export const bootClientId = (mac: string): string => `${BOOT_USER}-${mac}`;

/** The MAC in the client id of a board; null for any other client id. */
export function macOfClientId(clientId: string): string | null {
  const mac = clientId.startsWith(`${BOOT_USER}-`) ? clientId.slice(BOOT_USER.length + 1) : '';
  return BOOT_MAC_PATTERN.test(mac) ? mac : null;
}

/** What a board publishes, and what it subscribes to. None of it is retained. */
export const BOOT_PUBLISHES = ['hello', 'result'] as const;
export type BootPublishes = (typeof BOOT_PUBLISHES)[number];

export function bootTopic(mac: string, path: BootPublishes | 'credentials'): string {
  return `${TOPIC_ROOT}/boot/${mac}/${path}`;
}

const base64url = (bytes: number) =>
  z.string().regex(new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((bytes * 4) / 3)},}$`));

/** `boot/<mac>/hello`: I have no key. Sent after connecting, and again when nothing came for 60 s. */
export const bootHello = z.object({
  nonce: base64url(16).max(64).describe('At least 16 random bytes, base64url; new with every hello'),
  chip: z.string().trim().max(64).optional(),
  firmware_version: z.string().trim().max(64).optional(),
  device_id: z.string().trim().min(1).max(255).nullish().describe('What it was called before, if it knows'),
});
export type BootHello = z.infer<typeof bootHello>;

/**
 * `boot/<mac>/credentials`. `sealed` is AES-256-GCM (ciphertext, then the tag of 16 bytes) over the JSON of
 * `bootIdentity`, with the topic as additional data and the key HKDF-SHA256(claim code, salt = the bytes of the nonce,
 * info = the topic, 32 bytes). The claim code goes in as ASCII, in capitals, without spaces and hyphens.
 */
export const bootCredentials = z.object({
  nonce: z.string().max(64).describe('That of the hello it answers'),
  iv: base64url(12).max(16),
  sealed: base64url(16).max(4_000),
});
export type BootCredentials = z.infer<typeof bootCredentials>;

const port = z.int().min(0).max(65_535);
/** What is sealed: the same words as over the cable. */
export const bootIdentity = z.object({
  device_id: z.string().min(1).max(255),
  mqtt_id: z.string().min(1).max(64),
  key: z.string().min(1).max(64),
  gw_host: z.string().max(255),
  gw_http: port.describe('0: no such listener'),
  gw_mqtt: port,
  gw_mqtts: port,
  gw_pin: z.string().max(100).nullable(),
  cp: z.string().max(255).nullable(),
  fail_safe: z.enum(FAIL_SAFES).nullable(),
});
export type BootIdentity = z.infer<typeof bootIdentity>;

/** `boot/<mac>/result`: stored, and proved by HMAC-SHA256(key as text, nonce as text), base64url; or why not. */
export const bootResult = z.union([
  z.object({ ok: z.literal(true), proof: z.string().max(64) }),
  z.object({ ok: z.literal(false), error: z.enum(['claim', 'storage', 'other']) }),
]);
export type BootResult = z.infer<typeof bootResult>;

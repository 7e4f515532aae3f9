import { createCipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { type BootCredentials, type BootIdentity, bootTopic } from '#contract/mqtt/boot.ts';

const IV_BYTES = 12;
const KEY_BYTES = 32;

/**
 * Seals the credentials of a board for its claim code: AES-256-GCM under HKDF-SHA256(claim, salt = nonce, info = topic),
 * the topic as additional data. The form is told in docs/device-protocol.md, section 10.
 */
export function sealCredentials(what: {
  claim: string;
  mac: string;
  nonce: string;
  identity: BootIdentity;
}): BootCredentials {
  const topic = bootTopic(what.mac, 'credentials');
  const salt = Buffer.from(what.nonce, 'base64url');
  const key = Buffer.from(hkdfSync('sha256', Buffer.from(what.claim, 'ascii'), salt, topic, KEY_BYTES));
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(Buffer.from(topic));
  const sealed = Buffer.concat([
    cipher.update(JSON.stringify(what.identity), 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  return { nonce: what.nonce, iv: iv.toString('base64url'), sealed: sealed.toString('base64url') };
}

/** What only a board that opened its credentials can say. */
export function proofOfKey(key: string, nonce: string): string {
  return createHmac('sha256', key).update(nonce).digest('base64url');
}

import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { type BootCredentials, type BootIdentity, bootTopic } from '#contract/mqtt/boot.ts';
import type { LetterSeal } from '#core/notifying.ts';

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

const IV_BYTES = 12;
const TAG_BYTES = 16;

type TextSeal = {
  seal: (id: string, text: string) => string;
  open: (id: string, sealed: string) => string | null;
};

/**
 * AES-256-GCM under a key made of the secret of the instance for one purpose, bound to the id of the row: no secret lies
 * open in a database. `open` answers null for what was sealed with a secret that this instance has no more.
 */
export function textSeal(instanceSecret: string, purpose: string): TextSeal {
  const key = Buffer.from(hkdfSync('sha256', instanceSecret, '', purpose, 32));
  return {
    seal(id, text) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(id));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
    },
    open(id, sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length <= IV_BYTES + TAG_BYTES) return null;
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES))
          .setAAD(Buffer.from(id))
          .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
        const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
        return text.toString('utf8');
      } catch {
        return null;
      }
    },
  };
}

/** Address and code of a letter that waits, bound to it. */
export function letterSeal(instanceSecret: string): LetterSeal {
  const { seal, open } = textSeal(instanceSecret, 'invitation letters');
  return {
    seal: (letterId, what) => seal(letterId, JSON.stringify(what)),
    open(letterId, sealed) {
      const text = open(letterId, sealed);
      // what opens is what was sealed here
      return text === null ? null : (JSON.parse(text) as { to: string; code: string });
    },
  };
}

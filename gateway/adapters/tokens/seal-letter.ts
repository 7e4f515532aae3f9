import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { LetterSeal } from '#core/letters.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM under a key made of the secret of the instance, bound to the letter: no code lies open in a database. */
export function letterSeal(instanceSecret: string): LetterSeal {
  const key = Buffer.from(hkdfSync('sha256', instanceSecret, '', 'invitation letters', 32));
  return {
    seal(letterId, what) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(letterId));
      const body = Buffer.concat([cipher.update(JSON.stringify(what), 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
    },
    open(letterId, sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length <= IV_BYTES + TAG_BYTES) return null;
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES))
          .setAAD(Buffer.from(letterId))
          .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
        const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
        // what opens is what was sealed here
        return JSON.parse(text.toString('utf8')) as { to: string; code: string };
      } catch {
        // sealed with a secret that this instance has no more
        return null;
      }
    },
  };
}

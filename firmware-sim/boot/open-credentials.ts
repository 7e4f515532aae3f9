import { createDecipheriv, createHmac } from 'node:crypto';
import { type BootCredentials, type BootIdentity, bootIdentity } from '#contract/mqtt/boot.ts';

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
export function sealingKey(claim: string, salt: Buffer, topic: string): Buffer {
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

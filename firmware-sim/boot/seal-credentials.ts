import { createCipheriv, randomBytes } from 'node:crypto';
import type { BootCredentials, BootIdentity } from '#contract/mqtt/boot.ts';
import { sealingKey } from './open-credentials.ts';

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

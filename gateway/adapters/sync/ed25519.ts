import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';

/** Both halves raw, base64url. */
export type KeyPair = { public_key: string; private_key: string };

const KIND = { kty: 'OKP', crv: 'Ed25519' } as const;

export function newKeyPair(): KeyPair {
  const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  if (x === undefined || d === undefined) throw new Error('an Ed25519 key without its halves');
  return { public_key: x, private_key: d };
}

/** Signature of a text, base64url. */
export function signText({ public_key: x, private_key: d }: KeyPair, text: string): string {
  const key = createPrivateKey({ key: { ...KIND, x, d }, format: 'jwk' });
  return sign(null, Buffer.from(text), key).toString('base64url');
}

/** False for whatever is wrong, a key that is none among it. */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  try {
    const key = createPublicKey({ key: { ...KIND, x: publicKey }, format: 'jwk' });
    return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
  } catch {
    // the library throws for a key that is no point of the curve; whoever sent it is told one thing only
    return false;
  }
}

import { generateKeyPairSync } from 'node:crypto';

/** A point of P-256, uncompressed, and its secret number, as push services and browsers write them. */
export type VapidKeys = { publicKey: string; privateKey: string };

const UNCOMPRESSED = 4;

export function newVapidKeys(): VapidKeys {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' });
  const parts = [x, y].map((part) => Buffer.from(part, 'base64url'));
  return {
    publicKey: Buffer.concat([Buffer.of(UNCOMPRESSED), ...parts]).toString('base64url'),
    privateKey: d,
  };
}

import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { PublisherKey } from '#features/equipment/firmware/ports.ts';

const PEM_BLOCK = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g;

/**
 * The Ed25519 keys of a PEM file, which may hold several: a key is followed by its successor for a while. None when the
 * file is not there; a block that is no such key is passed over. Rejects when the file cannot be read.
 */
export async function readPublisherKeys(file: string): Promise<PublisherKey[]> {
  const pem = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw new Error(`the keys of publishers (${file}) cannot be read`, { cause: error });
  });
  return (pem.match(PEM_BLOCK) ?? []).flatMap((block) => {
    const key = keyOf(block);
    return key === null ? [] : [key];
  });
}

function keyOf(pem: string): PublisherKey | null {
  const key = parse(pem);
  if (key?.asymmetricKeyType !== 'ed25519') return null;
  const der = key.export({ type: 'spki', format: 'der' });
  return {
    id: createHash('sha256').update(der).digest('hex').slice(0, 16),
    isSignatureOf: (statement, signature) =>
      verify(null, Buffer.from(statement), key, Buffer.from(signature, 'base64url')),
  };
}

function parse(pem: string): KeyObject | null {
  try {
    return createPublicKey(pem);
  } catch {
    // a damaged block opens nothing; the others of the file still count
    return null;
  }
}

import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImageFiles, PublisherKey } from '#features/equipment/firmware/ports.ts';

const NAME = /^[0-9a-f]{64}\.bin$/;

/** Puts bytes in a file that is either whole and on disk, or not there. */
type WriteWhole = (file: string, bytes: Iterable<Uint8Array>) => Promise<void>;

type ImageFolder = ImageFiles & {
  remove: (sha256: string) => Promise<void>;
  /** Removes what no row names: left by an upload that was never stored. */
  keepOnly: (known: ReadonlySet<string>) => Promise<void>;
};

/** Images of firmware in a folder; their names are their hashes, so what is there never changes. */
export function imageFolder(folder: string, writeWhole: WriteWhole): ImageFolder {
  const fileOf = (sha256: string) => join(folder, `${sha256}.bin`);
  return {
    async write(sha256, bytes) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeWhole(fileOf(sha256), [bytes]);
    },
    async read(sha256, { offset, length }) {
      const handle = await open(fileOf(sha256), 'r').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null;
        throw error;
      });
      if (handle === null) return null;
      try {
        const { size } = await handle.stat();
        const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - offset)));
        const { bytesRead } = await handle.read(bytes, 0, bytes.length, offset);
        return bytes.subarray(0, bytesRead);
      } finally {
        await handle.close();
      }
    },
    remove: (sha256) => rm(fileOf(sha256), { force: true }),
    async keepOnly(known) {
      const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw error;
      });
      const strays = names.filter((name) => !(NAME.test(name) && known.has(name.slice(0, 64))));
      await Promise.all(strays.map((name) => rm(join(folder, name), { force: true })));
    },
  };
}

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

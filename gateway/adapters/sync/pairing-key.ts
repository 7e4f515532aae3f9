import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { type KeyPair, newKeyPair } from './ed25519.ts';

// The gateway's key lies in a file of its own beside the database, for its owner alone, and in no backup: who finds a
// stick with backups, or restores one elsewhere, is not this gateway. A restored backup on new hardware is paired again.

const keyPair = z.object({ public_key: z.string().length(43), private_key: z.string().length(43) });

const ceremony = z.object({
  hosted_url: z.string(),
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  expires_at: z.iso.datetime(),
  interval_s: z.number(),
  started_by: z.string().nullable(),
});
/** A pairing under way. Its codes are secrets for a quarter of an hour, so they lie beside the key. */
export type Ceremony = z.infer<typeof ceremony>;

const keyFile = z.object({
  current: keyPair.nullable(),
  /** Made for a pairing or a rotation that the hosted instance has not confirmed yet. */
  next: keyPair.nullable(),
  ceremony: ceremony.nullable(),
});
type KeyFile = z.infer<typeof keyFile>;

const NOTHING: KeyFile = { current: null, next: null, ceremony: null };

export type GatewayKeys = ReturnType<typeof gatewayKeys>;

export class KeyFileDamaged extends Error {}

/** `writeWhole` puts a file on disk whole, readable for its owner alone, or not at all. */
export function gatewayKeys(deps: {
  folder: string;
  writeWhole: (file: string, bytes: Iterable<Uint8Array>) => Promise<void>;
}) {
  const file = join(deps.folder, 'gateway-key.json');
  async function read(): Promise<KeyFile> {
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
      throw error;
    });
    if (text === null) return NOTHING;
    try {
      return keyFile.parse(JSON.parse(text));
    } catch {
      // what stands in it is secret, so the reason is not shown either
      throw new KeyFileDamaged(`${file} is damaged; remove it and pair the gateway again`);
    }
  }
  const write = (content: KeyFile) => deps.writeWhole(file, [Buffer.from(`${JSON.stringify(content)}\n`)]);
  return {
    async current(): Promise<KeyPair | null> {
      return (await read()).current;
    },
    async next(): Promise<KeyPair | null> {
      return (await read()).next;
    },
    /** A key for a ceremony, always a new one: what a copied card holds must not open again. */
    async newNext(): Promise<KeyPair> {
      const next = newKeyPair();
      await write({ ...(await read()), next });
      return next;
    },
    /** A key for a rotation, made once until it is adopted. */
    async makeNext(): Promise<KeyPair> {
      const content = await read();
      const next = content.next ?? newKeyPair();
      if (content.next === null) await write({ ...content, next });
      return next;
    },
    /** The next key becomes the current one; nothing when it did already. */
    async adoptNext(): Promise<void> {
      const content = await read();
      if (content.next === null) return;
      await write({ ...content, current: content.next, next: null });
    },
    async ceremony(): Promise<Ceremony | null> {
      return (await read()).ceremony;
    },
    async setCeremony(wanted: Ceremony | null): Promise<void> {
      await write({ ...(await read()), ceremony: wanted });
    },
    /** Unpaired: the key opens nothing any more. */
    async forget(): Promise<void> {
      await write(NOTHING);
    },
  };
}

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bech32 } from '@scure/base';
import * as z from 'zod';
import { called } from '#contract/commands.ts';
import { asTrouble, BackupTrouble } from './backup-trouble.ts';
import { writeWhole } from './safe-files.ts';

// The recovery key is 28 random letters (140 bit) and 4 that check them, in 8 groups of 4. From it follows a key pair:
// the box keeps the public half and can write backups, but neither the box nor a stick can read one.

/** Crockford's letters: none that a person mistakes for another. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const RANDOM_LETTERS = 28;
const CHECK_LETTERS = 4;
const SHAPE = new RegExp(`^[${LETTERS}]{${RANDOM_LETTERS + CHECK_LETTERS}}$`);
/** DER of an X25519 private key in front of its 32 bytes (RFC 8410). */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex');

export type RecoveryKey = { text: string; privateKey: KeyObject; publicKey: string; id: string };

export function newRecoveryKey(): RecoveryKey {
  const letters = [...randomBytes(RANDOM_LETTERS)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
  return keyOf(letters);
}

/** Reads what a person typed: any case, any spacing, O for 0. Throws BackupTrouble when it cannot be a key. */
export function readRecoveryKey(typed: string): RecoveryKey {
  const letters = typed
    .toUpperCase()
    .replaceAll(/[\s.-]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');
  if (!SHAPE.test(letters)) {
    throw new BackupTrouble(
      'this is not a recovery key: it has 8 groups of 4 letters and digits; look at the paper again',
      undefined,
      'KEY_SHAPE',
    );
  }
  const random = letters.slice(0, RANDOM_LETTERS);
  if (checkOf(random) !== letters.slice(RANDOM_LETTERS)) {
    throw new BackupTrouble(
      'a letter of the recovery key is wrong (its last group does not fit); look at the paper again',
      undefined,
      'KEY_TYPO',
    );
  }
  return keyOf(random);
}

/** Names a public key in few letters. */
export function keyIdOf(publicKey: string): string {
  return createHash('sha256').update(publicKey).digest('hex').slice(0, 12);
}

export function publicKeyObject(publicKey: string): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: publicKey }, format: 'jwk' });
}

/** The public half as the tool `age` writes it: `age1…`. */
export function ageRecipient(publicKey: string): string {
  return bech32.encodeFromBytes('age', Buffer.from(publicKey, 'base64url'));
}

/** The secret half as the tool `age` reads it from a file: `AGE-SECRET-KEY-1…`. It opens every backup of this key. */
export function ageIdentity({ privateKey }: Pick<RecoveryKey, 'privateKey'>): string {
  const secret = Buffer.from(String(privateKey.export({ format: 'jwk' }).d), 'base64url');
  return bech32.encodeFromBytes('age-secret-key-', secret).toUpperCase();
}

function keyOf(random: string): RecoveryKey {
  const seed = Buffer.from(hkdfSync('sha256', random, 'shrimp-farm-gateway', 'backup x25519', 32));
  const privateKey = createPrivateKey({
    key: Buffer.concat([PRIVATE_PREFIX, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = String(createPublicKey(privateKey).export({ format: 'jwk' }).x);
  const grouped = `${random}${checkOf(random)}`.match(/.{4}/g) ?? [];
  return { text: grouped.join('-'), privateKey, publicKey, id: keyIdOf(publicKey) };
}

function checkOf(random: string): string {
  const sum = createHash('sha256').update(`check ${random}`).digest();
  return [...sum.subarray(0, CHECK_LETTERS)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
}

// The public half of the recovery key: enough to write backups, useless for reading one.

const keyFile = z.object({ public_key: z.string().length(43), key_id: z.string(), made_at: z.string() });
type KeyFile = z.infer<typeof keyFile>;

const pathOf = (data: string) => join(data, 'backup-key.json');

export const hasKeyFile = (data: string): boolean => existsSync(pathOf(data));

export async function readKeyFile(data: string): Promise<KeyFile> {
  const text = await readFile(pathOf(data), 'utf8').catch((error: unknown) => {
    throw new BackupTrouble(
      `there is no recovery key yet; make one with ${called('backup --new-key')} and write it down`,
      error,
      'NO_KEY',
    );
  });
  try {
    return keyFile.parse(JSON.parse(text));
  } catch (error) {
    throw new BackupTrouble(
      `${pathOf(data)} is damaged; make a new recovery key with ${called('backup --new-key --replace')}`,
      error,
    );
  }
}

export async function writeKeyFile(data: string, publicKey: string, madeAt: string): Promise<void> {
  const content: KeyFile = { public_key: publicKey, key_id: keyIdOf(publicKey), made_at: madeAt };
  try {
    await writeWhole(pathOf(data), [Buffer.from(`${JSON.stringify(content)}\n`)]);
  } catch (error) {
    throw asTrouble(error, data);
  }
}

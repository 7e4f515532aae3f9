import { BackupTrouble } from './backup-trouble.ts';
import { type ByteReader, type Bytes, createByteReader, damaged, wrongKey } from './byte-reader.ts';
import { FIRST_MAGIC, firstSealedFor, unsealFirst } from './first-seal.ts';
import { ageIdentity, ageRecipient, keyIdOf, type RecoveryKey } from './recovery-key.ts';

// A sealed file is one of age (age-encryption.org/v1), which opens with that tool wherever this program is not at hand.
// Its header has one line more than age needs: when the backup was made and for which key. Other programs pass it over.

const AGE_MAGIC = Buffer.from('age-encryption.org/v1\n');
const STANZA = 'shrimp-farm-backup';
/** Ours have some 300 bytes. */
const MAX_HEADER_BYTES = 4_096;
const HEADER_END = '\n---';

/** Encrypts for the public half of a recovery key (43 characters of base64url). */
export async function* seal(
  plain: Bytes,
  { publicKey, madeAt }: { publicKey: string; madeAt: string },
): AsyncGenerator<Uint8Array> {
  const { Encrypter, Stanza } = await import('age-encryption');
  const encrypter = new Encrypter();
  encrypter.addRecipient({
    wrapFileKey: () => [new Stanza([STANZA, madeAt, keyIdOf(publicKey)], new Uint8Array())],
  });
  encrypter.addRecipient(ageRecipient(publicKey));
  yield* await encrypter.encrypt(ReadableStream.from(plain));
}

/** The plain bytes, each given out after its piece was proved. Throws BackupTrouble for a wrong key or a damaged file. */
export async function* unseal(sealed: Bytes, key: RecoveryKey): AsyncGenerator<Uint8Array> {
  let source: Error | undefined;
  async function* told() {
    try {
      yield* sealed;
    } catch (error) {
      source = error instanceof Error ? error : new Error(String(error));
      throw source;
    }
  }
  const reader = createByteReader(told());
  if (await isFirstSeal(reader)) return yield* unsealFirst(reader, key);
  const { keyId } = await ageHeader(reader);
  if (keyId !== null && keyId !== key.id) throw wrongKey(keyId, key.id);
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  decrypter.addIdentity(ageIdentity(key));
  try {
    yield* await decrypter.decrypt(ReadableStream.from(reader.rest()));
  } catch (error) {
    if (source !== undefined) throw source;
    if (error instanceof BackupTrouble) throw error;
    if (keyId === null && error instanceof Error && error.message.includes('no identity matched'))
      throw wrongKey('of somebody else', key.id);
    throw damaged(error);
  }
}

/**
 * What stands readable at the beginning of a sealed file: when it was made and for which key. Nothing of it is proved
 * before the file is opened. Throws BackupTrouble for what is no such file.
 */
export async function sealedFor(beginning: Bytes): Promise<{ madeAt: string; keyId: string }> {
  const reader = createByteReader(beginning);
  const said = (await isFirstSeal(reader)) ? await firstSealedFor(reader) : await ageHeader(reader);
  const madeAtMs = Date.parse(said.madeAt ?? '');
  if (Number.isNaN(madeAtMs) || said.keyId === null || said.keyId.length > 64) throw damaged();
  return { madeAt: new Date(madeAtMs).toISOString(), keyId: said.keyId };
}

async function isFirstSeal(reader: ByteReader): Promise<boolean> {
  if ((await reader.peek(FIRST_MAGIC.length)).equals(FIRST_MAGIC)) return true;
  if ((await reader.peek(AGE_MAGIC.length)).equals(AGE_MAGIC)) return false;
  throw new BackupTrouble(
    'this file is not a backup of this program, or its beginning is damaged',
    undefined,
    'DAMAGED',
  );
}

/** null: a file of age that another program made. */
async function ageHeader(reader: ByteReader): Promise<{ madeAt: string | null; keyId: string | null }> {
  const header = await reader.peekTo(HEADER_END, MAX_HEADER_BYTES);
  if (header === null) throw damaged();
  const line = header
    .toString('latin1')
    .split('\n')
    .find((text) => text.startsWith(`-> ${STANZA} `));
  const [, , madeAt = null, keyId = null] = line?.split(' ') ?? [];
  return { madeAt, keyId };
}

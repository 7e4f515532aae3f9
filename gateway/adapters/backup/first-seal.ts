import { createDecipheriv, createHash, diffieHellman, hkdfSync, type KeyObject } from 'node:crypto';
import { damaged, type ByteReader as Reader, wrongKey } from './byte-reader.ts';
import { keyIdOf, publicKeyObject, type RecoveryKey } from './recovery-key.ts';

// Backups were once sealed in a form of our own, not of age; they are read for as long as anybody has one. Magic, length and text of a header, then pieces of AES-256-GCM. Every piece authenticates the header,
// its own number and whether it is the last, so nothing can be changed, left out, put elsewhere or cut off unseen. The
// key comes from an X25519 key pair made for this file alone and the public half of the recovery key.

export const FIRST_MAGIC = Buffer.from('SFGBACK1');
const PIECE_BYTES = 256 * 1024;
const TAG_BYTES = 16;
const LAST = 0x8000_0000;
const MAX_HEADER_BYTES = 4_096;

type SealHeader = { made_at: string; key_id: string; ephemeral: string };

/** The plain bytes, each given out after its piece was proved. Throws BackupTrouble for a wrong key or a damaged file. */
export async function* unsealFirst(
  reader: Reader,
  { privateKey, publicKey }: Pick<RecoveryKey, 'privateKey' | 'publicKey'>,
): AsyncGenerator<Buffer> {
  const { fields, header } = await readHeader(reader);
  if (fields.key_id !== keyIdOf(publicKey)) {
    throw wrongKey(fields.key_id, keyIdOf(publicKey));
  }
  const key = fileKey(privateKey, publicKeyObject(fields.ephemeral), {
    ephemeral: fields.ephemeral,
    recipient: publicKey,
  });
  const hash = createHash('sha256').update(header).digest();
  for (let number = 0; ; number += 1) {
    const frame = (await reader.take(4)).readUInt32BE();
    const isLast = frame >= LAST;
    const length = isLast ? frame - LAST : frame;
    if (length < TAG_BYTES || length > PIECE_BYTES + TAG_BYTES) throw damaged();
    yield openPiece(await reader.take(length), { key, hash, number, isLast });
    if (!isLast) continue;
    if (!(await reader.isAtEnd())) throw damaged();
    return;
  }
}

type PieceOf = { key: Buffer; hash: Buffer; number: number; isLast: boolean };

function nonceOf({ number, isLast }: PieceOf): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(isLast ? 1 : 0, 0);
  nonce.writeBigUInt64BE(BigInt(number), 4);
  return nonce;
}

function openPiece(body: Buffer, of: PieceOf): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', of.key, nonceOf(of)).setAAD(of.hash);
  decipher.setAuthTag(body.subarray(body.length - TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(body.subarray(0, body.length - TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    throw damaged(cause);
  }
}

/** The nonces count from zero: this key must be of this file alone. */
function fileKey(own: KeyObject, other: KeyObject, names: { ephemeral: string; recipient: string }): Buffer {
  const shared = diffieHellman({ privateKey: own, publicKey: other });
  return Buffer.from(hkdfSync('sha256', shared, `${names.ephemeral}${names.recipient}`, 'backup file', 32));
}

/** What stands readable at the beginning; nothing of it is proved. Throws BackupTrouble for what is no such file. */
export async function firstSealedFor(reader: Reader): Promise<{ madeAt: string; keyId: string }> {
  const { made_at, key_id } = (await readHeader(reader)).fields;
  return { madeAt: made_at, keyId: key_id };
}

async function readHeader(reader: Reader): Promise<{ fields: SealHeader; header: Buffer }> {
  const length = (await reader.take(FIRST_MAGIC.length + 4)).readUInt32BE(FIRST_MAGIC.length);
  if (length > MAX_HEADER_BYTES) throw damaged();
  const header = await reader.take(length);
  return { fields: headerOf(header), header };
}

function headerOf(header: Buffer): SealHeader {
  try {
    const { made_at, key_id, ephemeral } = JSON.parse(header.toString()) as Record<string, unknown>;
    if (typeof made_at === 'string' && typeof key_id === 'string' && typeof ephemeral === 'string')
      return { made_at, key_id, ephemeral };
  } catch (cause) {
    throw damaged(cause);
  }
  throw damaged();
}

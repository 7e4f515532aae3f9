import {
  createCipheriv,
  createDecipheriv,
  createHash,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import { BackupTrouble } from './backup-trouble.ts';
import { keyIdOf, publicKeyObject } from './recovery-key.ts';

// A sealed file: magic, length and text of a header, then pieces of AES-256-GCM. Every piece authenticates the header,
// its own number and whether it is the last, so nothing can be changed, left out, put elsewhere or cut off unseen. The
// key comes from an X25519 key pair made for this file alone and the public half of the recovery key.

const MAGIC = Buffer.from('SFGBACK1');
const PIECE_BYTES = 256 * 1024;
const TAG_BYTES = 16;
const LAST = 0x8000_0000;
const MAX_HEADER_BYTES = 4_096;

type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
type SealHeader = { made_at: string; key_id: string; ephemeral: string };

export async function* seal(
  plain: Bytes,
  { publicKey, madeAt }: { publicKey: string; madeAt: string },
): AsyncGenerator<Buffer> {
  const own = generateKeyPairSync('x25519');
  const ephemeral = String(own.publicKey.export({ format: 'jwk' }).x);
  const fields: SealHeader = { made_at: madeAt, key_id: keyIdOf(publicKey), ephemeral };
  const header = Buffer.from(JSON.stringify(fields));
  const key = fileKey(own.privateKey, publicKeyObject(publicKey), { ephemeral, recipient: publicKey });
  yield Buffer.concat([MAGIC, uint32(header.length), header]);
  const hash = createHash('sha256').update(header).digest();
  let held: Buffer | null = null;
  let number = 0;
  for await (const piece of inPieces(plain)) {
    if (held !== null) yield sealPiece(held, { key, hash, number: number++, isLast: false });
    held = piece;
  }
  yield sealPiece(held ?? Buffer.alloc(0), { key, hash, number, isLast: true });
}

/** The plain bytes, each given out after its piece was proved. Throws BackupTrouble for a wrong key or a damaged file. */
export async function* unseal(
  sealed: Bytes,
  privateKey: KeyObject,
  publicKey: string,
): AsyncGenerator<Buffer> {
  const reader = createReader(sealed);
  const { fields, header } = await readHeader(reader);
  if (fields.key_id !== keyIdOf(publicKey)) {
    throw new BackupTrouble(
      `this recovery key does not open the backup: it was sealed for the key ${fields.key_id}, this one is ${keyIdOf(publicKey)}`,
      undefined,
      'KEY_WRONG',
    );
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

const damaged = (cause?: unknown) =>
  new BackupTrouble('the backup file is damaged or not complete; use an older one', cause, 'DAMAGED');

type PieceOf = { key: Buffer; hash: Buffer; number: number; isLast: boolean };

function nonceOf({ number, isLast }: PieceOf): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(isLast ? 1 : 0, 0);
  nonce.writeBigUInt64BE(BigInt(number), 4);
  return nonce;
}

function sealPiece(plain: Buffer, of: PieceOf): Buffer {
  const cipher = createCipheriv('aes-256-gcm', of.key, nonceOf(of)).setAAD(of.hash);
  const body = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return Buffer.concat([uint32(body.length + (of.isLast ? LAST : 0)), body]);
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

/**
 * What stands readable at the beginning of a sealed file: when it was made and for which key. Nothing of it is proved
 * before the file is opened. Throws BackupTrouble for what is no such file.
 */
export async function sealedFor(beginning: Bytes): Promise<{ madeAt: string; keyId: string }> {
  const { made_at, key_id } = (await readHeader(createReader(beginning))).fields;
  const madeAtMs = Date.parse(made_at);
  if (Number.isNaN(madeAtMs) || key_id.length > 64) throw damaged();
  return { madeAt: new Date(madeAtMs).toISOString(), keyId: key_id };
}

async function readHeader(reader: Reader): Promise<{ fields: SealHeader; header: Buffer }> {
  const front = await reader.take(MAGIC.length + 4);
  const length = front.readUInt32BE(MAGIC.length);
  if (!front.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new BackupTrouble(
      'this file is not a backup of this program, or its beginning is damaged',
      undefined,
      'DAMAGED',
    );
  }
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

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

async function* inPieces(plain: Bytes): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of plain) {
    parts.push(chunk);
    size += chunk.length;
    if (size < PIECE_BYTES) continue;
    const all = Buffer.concat(parts);
    let from = 0;
    for (; from + PIECE_BYTES <= all.length; from += PIECE_BYTES)
      yield all.subarray(from, from + PIECE_BYTES);
    parts = [all.subarray(from)];
    size = all.length - from;
  }
  if (size > 0) yield Buffer.concat(parts);
}

type Reader = ReturnType<typeof createReader>;

/** Takes exact numbers of bytes from a stream of chunks. */
export function createReader(source: Bytes) {
  const chunks: AsyncIterator<Uint8Array> | Iterator<Uint8Array> =
    Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  let held: Buffer = Buffer.alloc(0);

  async function fill(): Promise<boolean> {
    const { done, value } = await chunks.next();
    if (done === true) return false;
    held = held.length === 0 ? Buffer.from(value) : Buffer.concat([held, value]);
    return true;
  }
  return {
    async take(bytes: number): Promise<Buffer> {
      while (held.length < bytes) if (!(await fill())) throw damaged();
      const taken = held.subarray(0, bytes);
      held = held.subarray(bytes);
      return taken;
    },
    async isAtEnd(): Promise<boolean> {
      while (held.length === 0) if (!(await fill())) return true;
      return false;
    },
    async *rest(): AsyncGenerator<Buffer> {
      if (held.length > 0) yield held;
      held = Buffer.alloc(0);
      while (await fill()) {
        yield held;
        held = Buffer.alloc(0);
      }
    },
  };
}

import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib';
import { SheetTrouble } from './sheet-trouble.ts';

// Archives of workbooks as APPNOTE.TXT of PKWARE describes them; without encryption and without ZIP64, which no sheet of
// a farm needs.

const ENTRY = 0x02014b50;
const END = 0x06054b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const MOST_COMMENT = 65_535;
const MOST_ENTRIES = 2_000;
const DEFLATED = 8;
const STORED = 0;
/** Parts larger than this are unpacked piece by piece. */
const AT_ONCE_BYTES = 4 * 1_048_576;
const PIECE_BYTES = 1_048_576;

/** One file of an archive: `packed` as it lies there, `size` in bytes when unpacked. */
export type Part = { name: string; method: number; packed: Uint8Array; size: number; crc: number };

const damaged = (): SheetTrouble => new SheetTrouble('The workbook is damaged: save it anew');

/** The files of an archive, which together are no larger than the bound, by what the archive says. Throws SheetTrouble. */
export function partsOf(bytes: Uint8Array, { inflatedBytes }: { inflatedBytes: number }): Part[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - END_BYTES;
  const least = Math.max(0, bytes.length - END_BYTES - MOST_COMMENT);
  while (end >= least && view.getUint32(end, true) !== END) end -= 1;
  if (end < least) throw damaged();
  const entries = view.getUint16(end + 10, true);
  if (entries > MOST_ENTRIES) throw new SheetTrouble('The workbook has too many parts');
  let at = view.getUint32(end + 16, true);
  let left = inflatedBytes;
  const parts: Part[] = [];
  for (let n = 0; n < entries; n += 1) {
    if (at + ENTRY_BYTES > bytes.length || view.getUint32(at, true) !== ENTRY) throw damaged();
    const method = view.getUint16(at + 10, true);
    const length = view.getUint32(at + 20, true);
    const size = view.getUint32(at + 24, true);
    const local = view.getUint32(at + 42, true);
    left -= size;
    if (left < 0) throw new SheetTrouble('The workbook is too large when it is unpacked');
    if (local + LOCAL_BYTES > bytes.length || view.getUint32(local, true) !== LOCAL) throw damaged();
    const start = local + LOCAL_BYTES + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    if (method !== DEFLATED && (method !== STORED || length !== size)) throw damaged();
    const name = bytes.subarray(at + ENTRY_BYTES, at + ENTRY_BYTES + view.getUint16(at + 28, true));
    parts.push({
      name: Buffer.from(name).toString('latin1'),
      method,
      packed: bytes.subarray(start, start + length),
      size,
      crc: view.getUint32(at + 16, true),
    });
    at +=
      ENTRY_BYTES +
      view.getUint16(at + 28, true) +
      view.getUint16(at + 30, true) +
      view.getUint16(at + 32, true);
  }
  return parts;
}

/** A file of an archive, unpacked piece by piece. Throws SheetTrouble where it is not as long as the archive says. */
export async function* unpacked({ method, packed, size }: Part): AsyncGenerator<Buffer> {
  if (method === STORED) {
    yield Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
    return;
  }
  if (size <= AT_ONCE_BYTES) {
    yield unpackedAtOnce(packed, size);
    return;
  }
  const inflate = createInflateRaw({ chunkSize: PIECE_BYTES });
  inflate.end(packed);
  let left = size;
  try {
    for await (const piece of inflate as AsyncIterable<Buffer>) {
      left -= piece.length;
      if (left < 0) throw damaged();
      yield piece;
    }
  } catch {
    throw damaged();
  } finally {
    inflate.destroy();
  }
  if (left !== 0) throw damaged();
}

function unpackedAtOnce(packed: Uint8Array, size: number): Buffer {
  try {
    const whole = inflateRawSync(packed, { maxOutputLength: size + 1 });
    if (whole.length === size) return whole;
  } catch {
    // longer than it says, or damaged
  }
  throw damaged();
}

/** A file of an archive as these bytes, not packed. */
export const storedPart = (name: string, bytes: Uint8Array): Part => ({
  name,
  method: STORED,
  packed: bytes,
  size: bytes.length,
  crc: crc32(bytes),
});

/** An archive of these files. */
export function archiveOf(parts: readonly Part[]): Uint8Array {
  const pieces: Uint8Array[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, method, packed, size, crc } of parts) {
    const nameBytes = Buffer.from(name, 'latin1');
    const facts = Buffer.alloc(20);
    facts.writeUInt16LE(method, 2);
    facts.writeUInt32LE(crc, 8);
    facts.writeUInt32LE(packed.length, 12);
    facts.writeUInt32LE(size, 16);
    const local = Buffer.alloc(LOCAL_BYTES);
    local.writeUInt32LE(LOCAL, 0);
    local.writeUInt16LE(20, 4);
    facts.copy(local, 6);
    local.writeUInt16LE(nameBytes.length, 26);
    pieces.push(local, nameBytes, packed);
    const entry = Buffer.alloc(ENTRY_BYTES);
    entry.writeUInt32LE(ENTRY, 0);
    entry.writeUInt16LE(20, 4);
    entry.writeUInt16LE(20, 6);
    facts.copy(entry, 8);
    entry.writeUInt16LE(nameBytes.length, 28);
    entry.writeUInt32LE(at, 42);
    directory.push(entry, nameBytes);
    at += local.length + nameBytes.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(END_BYTES);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...pieces, listed, end]);
}

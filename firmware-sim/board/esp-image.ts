import { createHash } from 'node:crypto';

// A program image as the second-stage loader of the chip looks at it before it starts it.

export const APP_AT = 0x10000;

export type Image = { version: string | null };
export type ImageTrouble = { why: 'missing' | 'wrong_chip' | 'corrupt'; text: string };

const MAGIC = 0xe9;
const HEADER_BYTES = 24;
const SEGMENT_HEADER_BYTES = 8;
const MAX_SEGMENTS = 16;
const HASH_BYTES = 32;
const MAX_IMAGE_BYTES = 4 * 1_048_576;
const APP_DESCRIPTION = 0xabcd5432;

/** Bytes of the flash from where the image should begin; past the end of the chip they are missing. */
type Read = (at: number, length: number) => Uint8Array;

/** Judges the image that should begin where `read` counts from: header, chip, checksum and hash. */
export function readImage(read: Read, chipId: number): Image | ImageTrouble {
  const view = viewOf(read(0, HEADER_BYTES));
  const segments = view.getUint8(1);
  if (view.getUint8(0) !== MAGIC || segments === 0 || segments > MAX_SEGMENTS) {
    const first = view.getUint32(0, true).toString(16).padStart(8, '0');
    return { why: 'missing', text: `invalid header: 0x${first}` };
  }
  const imageChip = view.getUint16(12, true);
  if (imageChip !== chipId)
    return { why: 'wrong_chip', text: `Mismatch chip ID, expected ${chipId}, found ${imageChip}` };
  const end = endOfSegments(read, segments);
  if (end === null) return { why: 'corrupt', text: 'Checksum failed. Calculated and stored checksum differ' };
  const hasHash = view.getUint8(23) === 1;
  if (hasHash && !hashFits(read, end))
    return { why: 'corrupt', text: 'Image hash failed - image is corrupt' };
  return { version: readVersion(read) };
}

/** Where the checksum byte ends, or null when it is wrong. */
function endOfSegments(read: Read, segments: number): number | null {
  let at = HEADER_BYTES;
  let sum = 0xef;
  for (let i = 0; i < segments; i += 1) {
    const length = viewOf(read(at, SEGMENT_HEADER_BYTES)).getUint32(4, true);
    if (length > MAX_IMAGE_BYTES - at) return null;
    at += SEGMENT_HEADER_BYTES;
    for (const byte of read(at, length)) sum ^= byte;
    at += length;
  }
  // The checksum is the last byte of the next row of 16.
  const end = Math.floor(at / 16) * 16 + 16;
  return read(end - 1, 1)[0] === sum ? end : null;
}

function hashFits(read: Read, end: number): boolean {
  return createHash('sha256').update(read(0, end)).digest().equals(read(end, HASH_BYTES));
}

function readVersion(read: Read): string | null {
  const description = read(HEADER_BYTES + SEGMENT_HEADER_BYTES, 48);
  if (viewOf(description).getUint32(0, true) !== APP_DESCRIPTION) return null;
  return new TextDecoder().decode(description.subarray(16)).split('\0')[0] || null;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** A small image that starts: what a board from the shop carries. */
export function makeImage(chipId: number, version: string | null): Uint8Array {
  const segment = new Uint8Array(256);
  if (version !== null) {
    new DataView(segment.buffer).setUint32(0, APP_DESCRIPTION, true);
    segment.set(new TextEncoder().encode(version).subarray(0, 31), 16);
    segment.set(new TextEncoder().encode('aerator-controller'), 48);
  }
  const end = Math.floor((HEADER_BYTES + SEGMENT_HEADER_BYTES + segment.length) / 16) * 16 + 16;
  const bytes = new Uint8Array(end + HASH_BYTES);
  const view = new DataView(bytes.buffer);
  bytes.set([MAGIC, 1, 2, 0x20]);
  view.setUint32(4, 0x40080000, true);
  view.setUint16(12, chipId, true);
  bytes[23] = 1;
  view.setUint32(HEADER_BYTES, 0x3f400020, true);
  view.setUint32(HEADER_BYTES + 4, segment.length, true);
  bytes.set(segment, HEADER_BYTES + SEGMENT_HEADER_BYTES);
  let sum = 0xef;
  for (const byte of segment) sum ^= byte;
  bytes[end - 1] = sum;
  bytes.set(createHash('sha256').update(bytes.subarray(0, end)).digest(), end);
  return bytes;
}

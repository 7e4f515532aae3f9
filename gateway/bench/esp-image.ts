import { createHash } from 'node:crypto';
import { BenchTrouble } from './trouble.ts';

const MAGIC = 0xe9;
const HEAD = 24;
const MAX_SEGMENTS = 16;
const CHECKSUM_SEED = 0xef;
const SHA256_BYTES = 32;
/** At the beginning of the first segment of a program. */
const DESCRIPTION_MAGIC = 0xabcd_5432;

export type EspImage = {
  chipId: number;
  /** With checksum and digest. */
  length: number;
  program: ProgramDescription | null;
};

export type ProgramDescription = { project: string; version: string };

/**
 * Reads an image of the ESP32 family (bootloader or program) as its boot loader does: head, segments, checksum, and the
 * SHA-256 behind it where the head announces one. Throws BenchTrouble WRONG_IMAGE or CHECKSUM_REFUSED; `name` is said.
 */
export function readEspImage(bytes: Buffer, name: string): EspImage {
  if (bytes.length < HEAD + 8 || bytes[0] !== MAGIC) throw noImage(name, 'it does not begin like one');
  const segments = bytes.readUInt8(1);
  if (segments === 0 || segments > MAX_SEGMENTS) throw noImage(name, `it has ${segments} segments`);
  let at = HEAD;
  let checksum = CHECKSUM_SEED;
  for (let segment = 0; segment < segments; segment += 1) {
    if (at + 8 > bytes.length) throw cutShort(name);
    const length = bytes.readUInt32LE(at + 4);
    at += 8;
    if (length > bytes.length - at) throw cutShort(name);
    for (const byte of bytes.subarray(at, at + length)) checksum ^= byte;
    at += length;
  }
  // the checksum is the last byte of a block of 16
  const sealAt = at + 15 - (at % 16);
  if (sealAt >= bytes.length) throw cutShort(name);
  if (bytes[sealAt] !== checksum) throw damaged(name, 'its checksum is wrong');
  const end = sealAt + 1;
  const chipId = bytes.readUInt16LE(12);
  const program = describedIn(bytes.subarray(HEAD + 8));
  if (bytes.readUInt8(23) !== 1) return { chipId, length: end, program };
  const digest = bytes.subarray(end, end + SHA256_BYTES);
  if (digest.length < SHA256_BYTES) throw cutShort(name);
  if (!createHash('sha256').update(bytes.subarray(0, end)).digest().equals(digest))
    throw damaged(name, 'the digest at its end is wrong');
  return { chipId, length: end + SHA256_BYTES, program };
}

/** The name and version a program carries; `bytes` are those of its first segment. */
export function describedIn(bytes: Buffer): ProgramDescription | null {
  if (bytes.length < 80 || bytes.readUInt32LE(0) !== DESCRIPTION_MAGIC) return null;
  return { version: textIn(bytes.subarray(16, 48)), project: textIn(bytes.subarray(48, 80)) };
}

/** Only what can be shown: a foreign board may hold anything there. */
function textIn(field: Buffer): string {
  return field
    .toString('latin1')
    .replace(/\0.*$/s, '')
    .replace(/[^\x20-\x7e]/g, '?');
}

const NEXT = 'take the file as the build wrote it, or fetch it again, and start again; nothing was written';

function noImage(name: string, why: string): BenchTrouble {
  return new BenchTrouble('WRONG_IMAGE', { message: `${name} is no image for an ESP32: ${why}`, next: NEXT });
}

function cutShort(name: string): BenchTrouble {
  return new BenchTrouble('WRONG_IMAGE', { message: `${name} is cut short`, next: NEXT });
}

function damaged(name: string, why: string): BenchTrouble {
  return new BenchTrouble('CHECKSUM_REFUSED', { message: `${name} is damaged: ${why}`, next: NEXT });
}

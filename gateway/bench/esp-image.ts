import { createHash } from 'node:crypto';
import { type InEach, inEach } from '#core/each-language.ts';
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
  if (bytes.length < HEAD + 8 || bytes[0] !== MAGIC)
    throw noImage(name, inEach('não começa como uma', 'it does not begin like one', 'no comienza como una'));
  const segments = bytes.readUInt8(1);
  if (segments === 0 || segments > MAX_SEGMENTS)
    throw noImage(
      name,
      inEach(`tem ${segments} segmentos`, `it has ${segments} segments`, `tiene ${segments} segmentos`),
    );
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
  if (bytes[sealAt] !== checksum)
    throw damaged(
      name,
      inEach(
        'a soma de verificação está errada',
        'its checksum is wrong',
        'la suma de verificación está mal',
      ),
    );
  const end = sealAt + 1;
  const chipId = bytes.readUInt16LE(12);
  const program = describedIn(bytes.subarray(HEAD + 8));
  if (bytes.readUInt8(23) !== 1) return { chipId, length: end, program };
  const digest = bytes.subarray(end, end + SHA256_BYTES);
  if (digest.length < SHA256_BYTES) throw cutShort(name);
  if (!createHash('sha256').update(bytes.subarray(0, end)).digest().equals(digest))
    throw damaged(
      name,
      inEach('o resumo no fim está errado', 'the digest at its end is wrong', 'el resumen al final está mal'),
    );
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

const NEXT = inEach(
  'use o arquivo como a compilação o escreveu, ou baixe-o de novo, e recomece; nada foi gravado',
  'take the file as the build wrote it, or fetch it again, and start again; nothing was written',
  'use el archivo como lo escribió la compilación, o descárguelo de nuevo, y recomience; no se grabó nada',
);

function noImage(name: string, why: InEach): BenchTrouble {
  return new BenchTrouble('WRONG_IMAGE', {
    message: inEach(
      `${name} não é uma imagem para ESP32: ${why['pt-BR']}`,
      `${name} is no image for an ESP32: ${why.en}`,
      `${name} no es una imagen para ESP32: ${why.es}`,
    ),
    next: NEXT,
  });
}

function cutShort(name: string): BenchTrouble {
  return new BenchTrouble('WRONG_IMAGE', {
    message: inEach(`${name} está cortado`, `${name} is cut short`, `${name} está cortado`),
    next: NEXT,
  });
}

function damaged(name: string, why: InEach): BenchTrouble {
  return new BenchTrouble('CHECKSUM_REFUSED', {
    message: inEach(
      `${name} está danificado: ${why['pt-BR']}`,
      `${name} is damaged: ${why.en}`,
      `${name} está dañado: ${why.es}`,
    ),
    next: NEXT,
  });
}

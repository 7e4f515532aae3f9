import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { type InBoth, inBoth } from '#core/both-languages.ts';
import type { JobOf } from './job.ts';
import { BenchTrouble } from './trouble.ts';

export type FirmwarePart = { name: string; offset: number; bytes: Buffer };

export type Firmware = {
  /** As the manifest says, e.g. `ESP32`; null where single files were named. */
  chip: string | null;
  version: string | null;
  parts: FirmwarePart[];
};

/** The largest flash of the family. */
const MAX_PART = 32 * 2 ** 20;
const MAX_MANIFEST = 65_536;
export const MANIFEST = 'manifest.json';

const hexOffset = z.string().regex(/^0x[0-9a-f]{1,7}$/i);

export const firmwareManifest = z.object({
  chip: z.string().min(1).max(32),
  version: z.string().min(1).max(64),
  parts: z
    .array(
      z.object({
        /** Beside the manifest; no folders. */
        file: z.string().regex(/^[\w][\w.+-]{0,127}$/, 'is the plain name of a file beside the manifest'),
        offset: z.union([z.int().min(0).max(0xfff_ffff), hexOffset]).transform(Number),
        sha256: z.string().regex(/^[0-9a-f]{64}$/i, 'is a SHA-256 in hex'),
      }),
    )
    .min(1)
    .max(16),
});

export type FirmwareManifest = z.output<typeof firmwareManifest>;

/** Reads what a job names, and holds a bundle to the digests of its manifest. Throws BenchTrouble; nothing was touched. */
export async function readFirmware(firmware: JobOf<'flash'>['firmware']): Promise<Firmware> {
  if ('files' in firmware) {
    const parts: FirmwarePart[] = [];
    for (const { file, offset } of firmware.files)
      parts.push({ name: path.basename(file), offset, bytes: await readBounded(file, MAX_PART) });
    return { chip: null, version: null, parts };
  }
  const file = await manifestFile(firmware.bundle);
  const manifest = parseManifest(await readBounded(file, MAX_MANIFEST), file);
  const parts: FirmwarePart[] = [];
  for (const part of manifest.parts) {
    const bytes = await readBounded(path.join(path.dirname(file), part.file), MAX_PART);
    const digest = createHash('sha256').update(bytes).digest('hex');
    if (digest !== part.sha256.toLowerCase())
      throw new BenchTrouble('CHECKSUM_REFUSED', {
        message: inBoth(
          `${part.file} não é o que o manifesto diz: o SHA-256 é ${digest}`,
          `${part.file} is not what its manifest says: the SHA-256 is ${digest}`,
        ),
        next: inBoth(
          'copie o pacote de novo, com todos os arquivos, e recomece; nada foi gravado',
          'copy the bundle again, all of its files, and start again; nothing was written',
        ),
      });
    parts.push({ name: part.file, offset: part.offset, bytes });
  }
  return { chip: manifest.chip, version: manifest.version, parts };
}

/** The manifest of a bundle without its parts, for a list. Throws BenchTrouble. */
export async function readManifest(bundle: string): Promise<FirmwareManifest> {
  const file = await manifestFile(bundle);
  return parseManifest(await readBounded(file, MAX_MANIFEST), file);
}

async function manifestFile(bundle: string): Promise<string> {
  const found = await stat(bundle).catch(() => null);
  return found?.isDirectory() ? path.join(bundle, MANIFEST) : bundle;
}

function parseManifest(bytes: Buffer, file: string): FirmwareManifest {
  const { data, error } = firmwareManifest.safeParse(parseJson(bytes));
  if (data !== undefined) return data;
  const [issue] = error.issues;
  const why = `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`;
  throw new BenchTrouble('WRONG_IMAGE', {
    message: inBoth(
      `${file} não é um manifesto de firmware: ${why}`,
      `${file} is no manifest of a firmware: ${why}`,
    ),
    next: inBoth(
      'use a pasta como foi publicada: manifest.json e os arquivos dele',
      'take the folder as it was published: manifest.json and its files',
    ),
  });
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}

/** A file of at most so many bytes; a device or a pipe is none. */
async function readBounded(file: string, maxBytes: number): Promise<Buffer> {
  const opened = await open(file).catch((cause: unknown) => {
    throw notReadable(
      file,
      inBoth('não está lá ou não pode ser lido', 'it is not there or may not be read'),
      cause,
    );
  });
  try {
    const facts = await opened.stat();
    if (!facts.isFile()) throw notReadable(file, inBoth('não é um arquivo', 'it is no file'));
    if (facts.size > maxBytes)
      throw notReadable(file, inBoth(`passa de ${maxBytes} bytes`, `it is larger than ${maxBytes} bytes`));
    if (facts.size === 0) throw notReadable(file, inBoth('está vazio', 'it is empty'));
    return await opened.readFile();
  } finally {
    await opened.close();
  }
}

function notReadable(file: string, why: InBoth, cause?: unknown): BenchTrouble {
  const said = {
    message: inBoth(`${file} não serve: ${why['pt-BR']}`, `${file} cannot be taken: ${why.en}`),
    next: inBoth(
      'corrija o nome do arquivo e comece de novo',
      'correct the name of the file and start again',
    ),
  };
  return new BenchTrouble('BAD_INPUT', said, cause);
}

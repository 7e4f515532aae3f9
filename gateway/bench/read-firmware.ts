import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import { type InBoth, inBoth } from '#core/both-languages.ts';
import { AppError } from '#core/errors.ts';
import {
  type FirmwareFile,
  openFile,
  requireSound,
  statementOf,
} from '#features/equipment/firmware/store-firmware.ts';
import { statementOfBundle } from './check-firmware.ts';
import type { Firmware, FirmwareManifest, FirmwarePart, Signed } from './firmware-manifest.ts';
import { firmwareManifest } from './firmware-manifest.ts';
import { type JobOf, schemaWords } from './job.ts';
import { BenchTrouble } from './trouble.ts';

/** The largest flash of the family. */
const MAX_PART = 32 * 2 ** 20;
const MAX_MANIFEST = 65_536;
export const MANIFEST = 'manifest.json';

/** Reads what a job names, and holds a bundle to the digests of its manifest. Throws BenchTrouble; nothing was touched. */
export async function readFirmware(firmware: JobOf<'flash'>['firmware']): Promise<Firmware> {
  if ('files' in firmware) return readFiles(firmware.files);
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
  return { chip: manifest.chip, version: manifest.version, parts, signed: signedIn(manifest) };
}

/** What the signature of a manifest stands under; null without one. */
export function signedIn(manifest: FirmwareManifest): Signed[] | null {
  const { signature } = manifest;
  return signature == null ? null : [{ statement: statementOfBundle(manifest), signature }];
}

/** Single files, as they are; a firmware file for the air is opened, and what its publisher signed is its image. */
async function readFiles(files: readonly { file: string; offset: number }[]): Promise<Firmware> {
  const parts: FirmwarePart[] = [];
  const packages: FirmwareFile['manifest'][] = [];
  for (const { file, offset } of files) {
    const name = path.basename(file);
    const bytes = await readBounded(file, MAX_PART);
    if (!file.endsWith('.sfw')) {
      parts.push({ name, offset, bytes });
      continue;
    }
    const { manifest, image } = openPackage(name, bytes);
    packages.push(manifest);
    parts.push({ name, offset, bytes: Buffer.from(image) });
  }
  const [first] = packages;
  return {
    chip: first?.chip ?? null,
    version: first?.version ?? null,
    parts,
    signed:
      packages.length < files.length
        ? null
        : packages.map((one) => ({ statement: statementOf(one), signature: one.signature })),
  };
}

function openPackage(name: string, bytes: Buffer): FirmwareFile {
  try {
    const opened = openFile(bytes);
    requireSound(opened, createHash('sha256').update(opened.image).digest('hex'));
    return opened;
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    const said = {
      message: inBoth(
        `${name} não é um firmware assinado, ou está danificado`,
        `${name} is no signed firmware, or it is damaged`,
      ),
      next: inBoth(
        'baixe de novo o arquivo .sfw do fabricante e recomece; nada foi gravado',
        'fetch the .sfw file of its publisher again and start again; nothing was written',
      ),
    };
    throw new BenchTrouble('CHECKSUM_REFUSED', said, cause);
  }
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
  const field = issue?.path.join('.') ?? '';
  const why = schemaWords(issue);
  throw new BenchTrouble('WRONG_IMAGE', {
    message: inBoth(
      `${file} não é um manifesto de firmware: ${field} ${why['pt-BR']}`,
      `${file} is no manifest of a firmware: ${field} ${why.en}`,
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

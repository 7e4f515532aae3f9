import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import { type InEach, inEach } from '#core/each-language.ts';
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
        message: inEach(
          `${part.file} não é o que o manifesto diz: o SHA-256 é ${digest}`,
          `${part.file} is not what its manifest says: the SHA-256 is ${digest}`,
          `${part.file} no es lo que dice el manifiesto: el SHA-256 es ${digest}`,
        ),
        next: inEach(
          'copie o pacote de novo, com todos os arquivos, e recomece; nada foi gravado',
          'copy the bundle again, all of its files, and start again; nothing was written',
          'copie el paquete de nuevo, con todos los archivos, y recomience; no se grabó nada',
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
      message: inEach(
        `${name} não é um firmware assinado, ou está danificado`,
        `${name} is no signed firmware, or it is damaged`,
        `${name} no es un firmware firmado, o está dañado`,
      ),
      next: inEach(
        'baixe de novo o arquivo .sfw do fabricante e recomece; nada foi gravado',
        'fetch the .sfw file of its publisher again and start again; nothing was written',
        'descargue de nuevo el archivo .sfw del fabricante y recomience; no se grabó nada',
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
    message: inEach(
      `${file} não é um manifesto de firmware: ${field} ${why['pt-BR']}`,
      `${file} is no manifest of a firmware: ${field} ${why.en}`,
      `${file} no es un manifiesto de firmware: ${field} ${why.es}`,
    ),
    next: inEach(
      'use a pasta como foi publicada: manifest.json e os arquivos dele',
      'take the folder as it was published: manifest.json and its files',
      'use la carpeta como fue publicada: manifest.json y sus archivos',
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
      inEach(
        'não está lá ou não pode ser lido',
        'it is not there or may not be read',
        'no está ahí o no se puede leer',
      ),
      cause,
    );
  });
  try {
    const facts = await opened.stat();
    if (!facts.isFile())
      throw notReadable(file, inEach('não é um arquivo', 'it is no file', 'no es un archivo'));
    if (facts.size > maxBytes)
      throw notReadable(
        file,
        inEach(
          `passa de ${maxBytes} bytes`,
          `it is larger than ${maxBytes} bytes`,
          `pasa de ${maxBytes} bytes`,
        ),
      );
    if (facts.size === 0) throw notReadable(file, inEach('está vazio', 'it is empty', 'está vacío'));
    return await opened.readFile();
  } finally {
    await opened.close();
  }
}

function notReadable(file: string, why: InEach, cause?: unknown): BenchTrouble {
  const said = {
    message: inEach(
      `${file} não serve: ${why['pt-BR']}`,
      `${file} cannot be taken: ${why.en}`,
      `${file} no sirve: ${why.es}`,
    ),
    next: inEach(
      'corrija o nome do arquivo e comece de novo',
      'correct the name of the file and start again',
      'corrija el nombre del archivo y comience de nuevo',
    ),
  };
  return new BenchTrouble('BAD_INPUT', said, cause);
}

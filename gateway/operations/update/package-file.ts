import { execFile } from 'node:child_process';
import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { createReadStream, createWriteStream, readFileSync } from 'node:fs';
import { chmod, mkdir, open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { isCode, syncFolder } from '#adapters/backup/safe-files.ts';
import { afterTrouble } from './read-again.ts';
import { isVersion } from './update-state.ts';
import { UpdateRefused } from './update-trouble.ts';

// What a program folder consists of. Signed, so that whoever checks the signature and then every file against it knows
// that nothing was added, changed or lost, on the way here or on a worn card.

export const PRODUCT = 'shrimp-farm-gateway';
export const MANIFEST_FILE = 'manifest.json';
export const SIGNATURE_FILE = 'manifest.sig';
export const ARCHS = ['amd64', 'arm64'] as const;
export type Arch = (typeof ARCHS)[number];

export type ManifestFile = { path: string; bytes: number; mode: number; sha256: string };
export type Manifest = {
  format: 1;
  product: string;
  version: string;
  arch: Arch;
  /** `expandOnly`: the version before runs on the schema afterwards. */
  migrations: { name: string; expandOnly: boolean }[];
  files: ManifestFile[];
};

/** A longer one is none of ours; it is read into memory before its signature is known to be good. */
export const MAX_MANIFEST_BYTES = 8 * 1024 * 1024;
const SIGNATURE_BYTES = 64;

export const manifestBytes = (manifest: Manifest): Buffer => Buffer.from(JSON.stringify(manifest));

export function signManifest(bytes: Buffer, privateKey: KeyObject): Buffer {
  return sign(null, bytes, privateKey);
}

/** The public keys of a PEM file, which may hold several: a key is followed by its successor for a while. */
export function readPublicKeys(pem: string): KeyObject[] {
  const blocks = pem.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? [];
  return blocks.flatMap(keyIn);
}

/** A damaged key opens nothing, and must not keep the launcher from starting what needs none. */
function keyIn(block: string): KeyObject[] {
  try {
    const key = createPublicKey(block);
    return key.asymmetricKeyType === 'ed25519' ? [key] : [];
  } catch {
    return [];
  }
}

/** Throws UpdateRefused unless one of the keys signed these very bytes. Only then are they looked into. */
function openManifest(bytes: Buffer, signature: Buffer, keys: readonly KeyObject[]): Manifest {
  if (keys.length === 0)
    throw new UpdateRefused(
      'NOT_MANAGED',
      'this installation knows no key of updates; install a package by hand',
    );
  const isSigned =
    signature.length === SIGNATURE_BYTES && keys.some((key) => verify(null, bytes, key, signature));
  if (!isSigned)
    throw new UpdateRefused('UNSIGNED', 'the package is not signed by a key that this installation trusts');
  return checkedManifest(JSON.parse(bytes.toString('utf8')));
}

/** What a signer of ours wrote has this form; one of another format is told apart from a damaged one. */
function checkedManifest(found: unknown): Manifest {
  // signed by us: only the format may be one that this version does not know
  const manifest = found as Manifest;
  if (manifest.format !== 1)
    throw new UpdateRefused('FOREIGN', 'the package is of a newer kind; update to an earlier version first');
  if (manifest.product !== PRODUCT)
    throw new UpdateRefused('FOREIGN', `the package is of another program (${manifest.product})`);
  if (!isVersion(manifest.version))
    throw new UpdateRefused('DAMAGED', 'the package does not say which version it is');
  for (const { path } of manifest.files) {
    if (!isInside(path))
      throw new UpdateRefused('DAMAGED', `the package names a file outside of it: ${path}`);
  }
  return manifest;
}

function isInside(path: string): boolean {
  if (path === MANIFEST_FILE || path === SIGNATURE_FILE) return false;
  if (path.includes('\\') || path.includes('\0')) return false;
  return path.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
}

/** The kind of machine this process runs on; null: none that packages are made for. */
export function archOf(nodeArch: string): Arch | null {
  return nodeArch === 'x64' ? 'amd64' : nodeArch === 'arm64' ? 'arm64' : null;
}

// An update in one file: mark, length of the manifest, manifest, signature, and the bytes of its files one after the
// other, compressed. Who it is from is known before any of them is unpacked.

export const PACKAGE_ENDING = '.update';
const MARK = Buffer.from('SFGWUPD1');
const HEAD_BYTES = MARK.length + 4;
const CHUNK_BYTES = 256 * 1024;

type Made = { manifest: Manifest; folder: string; privateKey: KeyObject; level?: number };

/** Writes the update of a program folder. */
export async function writePackage(
  file: string,
  { manifest, folder, privateKey, level }: Made,
): Promise<void> {
  const text = manifestBytes(manifest);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  async function* contents() {
    for (const { path, bytes } of manifest.files)
      yield* createReadStream(join(folder, path), { highWaterMark: Math.min(CHUNK_BYTES, bytes + 1) });
  }
  const compress = createZstdCompress({
    params: { [constants.ZSTD_c_compressionLevel]: level ?? 19, [constants.ZSTD_c_checksumFlag]: 1 },
  });
  const out = createWriteStream(file);
  out.write(Buffer.concat([MARK, length, text, signManifest(text, privateKey)]));
  await pipeline(Readable.from(contents()), compress, out);
}

export type OpenedPackage = {
  file: string;
  manifest: Manifest;
  manifestText: Buffer;
  signature: Buffer;
  contentAt: number;
  bytes: number;
};

/** Reads who an update is from and what it is. Throws UpdateRefused; unpacks nothing. */
export async function openPackage(file: string, keys: readonly KeyObject[]): Promise<OpenedPackage> {
  const handle = await open(file, 'r').catch((cause: unknown) => {
    if (isCode(cause, 'ENOENT')) throw new UpdateRefused('NOT_FOUND', `there is no file ${file}`, { cause });
    throw new UpdateRefused('NOT_FOUND', `${file} cannot be read`, { cause });
  });
  try {
    const head = await read(handle, 0, HEAD_BYTES);
    if (!head.subarray(0, MARK.length).equals(MARK))
      throw new UpdateRefused('UNSIGNED', `${file} is no update of this program`);
    const length = head.readUInt32BE(MARK.length);
    if (length > MAX_MANIFEST_BYTES) throw new UpdateRefused('DAMAGED', `${file} is damaged`);
    const manifestText = await read(handle, HEAD_BYTES, length);
    const signature = await read(handle, HEAD_BYTES + length, SIGNATURE_BYTES);
    const manifest = openManifest(manifestText, signature, keys);
    const { size } = await handle.stat();
    const contentAt = HEAD_BYTES + length + SIGNATURE_BYTES;
    return { file, manifest, manifestText, signature, contentAt, bytes: size };
  } finally {
    await handle.close();
  }
}

type Handle = Awaited<ReturnType<typeof open>>;

async function read(handle: Handle, at: number, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, at);
  if (bytesRead < bytes) throw new UpdateRefused('DAMAGED', 'the package is cut off; copy it again');
  return buffer;
}

/**
 * Unpacks into a new folder; every file is checked while it is written, and all is on disk afterwards. Throws
 * UpdateRefused for a package whose bytes are not those that were signed.
 */
export async function unpackPackage(opened: OpenedPackage, folder: string): Promise<void> {
  const { manifest, manifestText, signature } = opened;
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const packed = createReadStream(opened.file, { start: opened.contentAt, highWaterMark: CHUNK_BYTES });
  const plain = packed.pipe(createZstdDecompress());
  // a stick that is pulled speaks through the stream that is read
  packed.on('error', (error) => plain.destroy(error));
  plain.on('error', () => undefined);
  const take = taker(plain[Symbol.asyncIterator]() as AsyncIterator<Buffer>);
  try {
    for (const { path, bytes, mode, sha256 } of manifest.files) {
      const to = join(folder, path);
      await mkdir(dirname(to), { recursive: true, mode: 0o755 });
      const hash = createHash('sha256');
      const handle = await open(to, 'wx', mode);
      try {
        for (let left = bytes; left > 0; ) {
          const chunk = await take(left);
          if (chunk === null) throw new UpdateRefused('DAMAGED', 'the package is cut off; copy it again');
          hash.update(chunk);
          await handle.writeFile(chunk);
          left -= chunk.length;
        }
      } finally {
        await handle.close();
      }
      await chmod(to, mode);
      if (hash.digest('hex') !== sha256)
        throw new UpdateRefused('DAMAGED', `the package is damaged (${path}); copy it again`);
    }
    if ((await take(1)) !== null) throw new UpdateRefused('DAMAGED', 'the package holds more than it names');
  } catch (error) {
    if (error instanceof UpdateRefused) throw error;
    // what reading it or taking it apart says; what writing says is for the caller
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (
      code.startsWith('ZSTD') ||
      code === 'Z_BUF_ERROR' ||
      code === 'EIO' ||
      code === 'ERR_STREAM_PREMATURE_CLOSE'
    )
      throw new UpdateRefused('DAMAGED', 'the package is damaged; copy it again', { cause: error });
    throw error;
  } finally {
    packed.destroy();
    plain.destroy();
  }
  await writeFile(join(folder, SIGNATURE_FILE), signature, { flush: true });
  await writeFile(join(folder, MANIFEST_FILE), manifestText, { flush: true });
  await syncAll(folder);
}

/**
 * Thousands of files go to a card together a hundred times faster than one by one. Where it cannot be had, the start
 * that finds one of them damaged goes back.
 */
async function syncAll(folder: string): Promise<void> {
  await promisify(execFile)('sync', ['-f', folder]).catch(() => undefined);
  await syncFolder(dirname(folder));
}

/** Hands out the stream in pieces of at most the wanted length; null: it is over. */
function taker(stream: AsyncIterator<Buffer>): (most: number) => Promise<Buffer | null> {
  let rest: Buffer = Buffer.alloc(0);
  return async (most) => {
    while (rest.length === 0) {
      const next = await stream.next();
      if (next.done) return null;
      rest = next.value;
    }
    const piece = rest.subarray(0, most);
    rest = rest.subarray(piece.length);
    return piece;
  };
}

/** Space that unpacking takes. */
export const unpackedBytes = (manifest: Manifest): number =>
  manifest.files.reduce((sum, { bytes }) => sum + Math.ceil(bytes / 4096) * 4096, 0);

export const isFolder = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
};

/** What is started of a program: older launchers know it by this name. */
export const mainOf = (folder: string): string => join(folder, 'gateway', 'dist', 'main.js');

/** null: there is no program, or nothing that makes sense in the place of its version. */
export function versionIn(folder: string): string | null {
  try {
    const said: unknown = JSON.parse(textOf(join(folder, 'package.json')));
    const version = typeof said === 'object' && said !== null && 'version' in said ? said.version : null;
    return typeof version === 'string' && isVersion(version) ? version : null;
  } catch {
    return null;
  }
}

/** Empty where it cannot be read. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/**
 * What is wrong with an applied program, in few words; null: it is what was signed, to the last byte, and nothing else
 * lies there. Looked at before every start: whoever could write into the data folder must not thereby get to run.
 */
export async function programTrouble(folder: string, keys: readonly KeyObject[]): Promise<string | null> {
  try {
    return await afterTrouble(() => lookAt(folder, keys));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function lookAt(folder: string, keys: readonly KeyObject[]): Promise<string | null> {
  const text = await readFile(join(folder, MANIFEST_FILE));
  const manifest = openManifest(text, await readFile(join(folder, SIGNATURE_FILE)), keys);
  const wanted = new Set([MANIFEST_FILE, SIGNATURE_FILE, ...manifest.files.map(({ path }) => path)]);
  for (const path of await filesBelow(folder)) {
    if (!wanted.delete(path)) return `${path} does not belong there`;
  }
  for (const { path, sha256 } of manifest.files) {
    if (wanted.has(path)) return `${path} is missing`;
    if ((await sha256Of(join(folder, path))) !== sha256) return `${path} is damaged`;
  }
  return null;
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  // a link is no file of ours, wherever it leads
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

const PIECE_BYTES = 1024 * 1024;

/** No more memory than the file needs: a program is a thousand small files and a large one, and a box has little. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size + 1));
    for (;;) {
      const { bytesRead } = await handle.read(piece, 0, piece.length);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(piece.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}

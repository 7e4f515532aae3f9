import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { UpdateRefused } from './update-trouble.ts';
import { isVersion } from './version-order.ts';

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
export const SIGNATURE_BYTES = 64;

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
export function openManifest(bytes: Buffer, signature: Buffer, keys: readonly KeyObject[]): Manifest {
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

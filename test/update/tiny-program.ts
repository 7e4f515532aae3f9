import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { archOf, type Manifest, PRODUCT, sha256Of, writePackage } from '#operations/update/package-file.ts';

// A program of a few lines in the form of ours, so that every way an update can end is tried in a moment.

export type Behaviour =
  | 'healthy'
  | 'crashes'
  | 'hangs'
  | 'sick'
  | 'cannot open the database'
  | 'changes the database for good';

const main = (behaviour: Behaviour) => `
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const behaviour = ${JSON.stringify(behaviour)};
if (process.argv[2] === 'update') {
  if (behaviour === 'cannot open the database') { console.error('no such column'); process.exit(1); }
  const [, accepts] = process.argv.slice(3);
  process.exit(existsSync(accepts) && readFileSync(accepts, 'utf8') === 'newer' ? 4 : 0);
}
appendFileSync(process.env.DATA_DIR + '/started.log', version + '\\n');
console.log(JSON.stringify({ msg: 'serving', version, pid: process.pid }));
if (behaviour === 'changes the database for good') writeFileSync(process.env.DATA_DIR + '/farm.db', 'newer');
if (behaviour === 'crashes' || behaviour === 'changes the database for good') process.exit(1);
const timer = setInterval(() => {}, 1000);
process.on('SIGTERM', () => { clearInterval(timer); process.exit(0); });
process.once('disconnect', () => process.exit(0));
if (process.env.ON_TRIAL === '1' && behaviour !== 'hangs')
  process.send({ isHealthy: behaviour === 'healthy', missing: 'messages do not get through its broker' });
if (behaviour === 'hangs') for (;;);
`;

export type Signer = { privateKey: KeyObject; publicKeys: KeyObject[]; pem: string };

export function aSigner(): Signer {
  const { privateKey } = generateKeyPairSync('ed25519');
  const publicKey = createPublicKey(privateKey);
  return {
    privateKey,
    publicKeys: [publicKey],
    pem: String(publicKey.export({ type: 'spki', format: 'pem' })),
  };
}

const folders: string[] = [];

/** For `afterAll` of every file that asks for a folder. */
export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** A folder that `removeFolders` takes away. */
export function aFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `updates-${name}-`));
  folders.push(folder);
  return folder;
}

type Tiny = { version: string; behaviour?: Behaviour; signer: Signer };

/** Lays a program out as a package does. */
export function tinyProgram(folder: string, { version, behaviour = 'healthy', signer }: Tiny): string[] {
  const files: Record<string, [string, number]> = {
    'bin/node': [`#!/bin/sh\nexec "${process.execPath}" "$@"\n`, 0o755],
    'gateway/dist/main.js': [main(behaviour), 0o644],
    'package.json': [JSON.stringify({ name: PRODUCT, version, type: 'module' }), 0o644],
    'scripts/require-node.mjs': ['\n', 0o644],
    'update-keys.pem': [signer.pem, 0o644],
  };
  for (const [path, [text, mode]] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode });
  }
  return Object.keys(files);
}

type Made = Tiny & Partial<Pick<Manifest, 'arch' | 'migrations' | 'product'>> & { to: string };

/** A signed update of a tiny program; answers its file. */
export async function tinyUpdate({ to, ...tiny }: Made): Promise<string> {
  const folder = aFolder('tiny');
  const paths = tinyProgram(folder, tiny);
  const files = await Promise.all(
    paths.map(async (path) => {
      const text = join(folder, path);
      const { size, mode } = statSync(text);
      return { path, bytes: size, mode: mode & 0o777, sha256: await sha256Of(text) };
    }),
  );
  const manifest: Manifest = {
    format: 1,
    product: tiny.product ?? PRODUCT,
    version: tiny.version,
    arch: tiny.arch ?? archOf(process.arch) ?? 'amd64',
    migrations: tiny.migrations ?? [],
    files,
  };
  const file = join(to, `${PRODUCT}_${tiny.version}_${manifest.arch}.update`);
  await writePackage(file, { manifest, folder, privateKey: tiny.signer.privateKey, level: 1 });
  return file;
}

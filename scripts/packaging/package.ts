import { spawnSync } from 'node:child_process';
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  ARCHS,
  type Arch,
  MANIFEST_FILE,
  manifestBytes,
  PACKAGE_ENDING,
  PRODUCT,
  SIGNATURE_FILE,
  signManifest,
  writePackage,
} from '#operations/update/package-file.ts';
import { isVersion } from '#operations/update/update-state.ts';
import { makeDeb } from './make-deb.ts';
import { manifestOf, NODE_NAMES, type ProgramFile, programFiles, writeTree } from './program-files.ts';

const HELP = `npm run package -- [options]   makes what is installed and what updates it, without the internet

  --arch ARCH          amd64 or arm64; by default both, as far as their Node is here
  --key FILE           private Ed25519 key (PEM) that signs; without it the result does not update itself
  --also-trust FILE    further public keys (PEM) that the installed program trusts: the next key, before it signs
  --to FOLDER          where the packages go [./dist]
  --version V          another version than that of package.json
  --only deb|update    make one of the two
  --fast               compress little or not at all, for tests
  --node-amd64 FILE    Node for that machine, where its package is not installed (--node-arm64 likewise)

A key: openssl genpkey -algorithm ed25519 -out update-key.pem. Keep it off the box and off this folder.
`;

const ROOT = resolve(import.meta.dirname, '..', '..');

export type Order = {
  arch: Arch;
  version: string;
  to: string;
  privateKey: KeyObject | null;
  alsoTrust: string;
  node: string;
  isFast: boolean;
  only: 'deb' | 'update' | null;
  at: Date;
  root?: string;
  /** Where programs are laid out; the system's temporary folder by default. */
  scratch?: string;
  /** Last changes to what is packed, for tests of versions that go wrong. */
  revise?: (files: ProgramFile[]) => ProgramFile[];
};

export type Packed = { deb: string | null; update: string | null; installedBytes: number };

/** Makes the packages of one kind of machine. */
export async function packOne(order: Order): Promise<Packed> {
  const { arch, version, to, privateKey, isFast, only, at, root = ROOT, scratch = tmpdir() } = order;
  const publicKey =
    privateKey === null ? '' : String(createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }));
  const updateKeys = `${publicKey}${order.alsoTrust}`;
  const parts = { root, arch, version, node: order.node, updateKeys: updateKeys === '' ? null : updateKeys };
  const files = (order.revise ?? ((same) => same))(programFiles(parts));
  const manifest = await manifestOf(files, parts);
  mkdirSync(to, { recursive: true });
  const installedBytes = manifest.files.reduce((sum, { bytes }) => sum + bytes, 0);
  let update: string | null = null;
  if (privateKey !== null && only !== 'deb') {
    const folder = mkdtempSync(join(scratch, 'program-'));
    try {
      writeTree(folder, files, at);
      update = join(to, `${PRODUCT}_${version}_${arch}${PACKAGE_ENDING}`);
      await writePackage(update, { manifest, folder, privateKey, level: isFast ? 1 : 15 });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  if (only === 'update') return { deb: null, update, installedBytes };
  const text = manifestBytes(manifest);
  const signed: ProgramFile[] = [
    { path: MANIFEST_FILE, mode: 0o644, from: text },
    ...(privateKey === null
      ? []
      : [{ path: SIGNATURE_FILE, mode: 0o644 as const, from: signManifest(text, privateKey) }]),
  ];
  const program = [...files, ...signed];
  const deb = makeDeb({ root, arch, version, program, to, at, compression: isFast ? 'none' : 'xz', scratch });
  return { deb, update, installedBytes };
}

/** Times in a package: those of the last change of the sources, so that two builds give the same. */
export function buildTime(root = ROOT): Date {
  const given = process.env['SOURCE_DATE_EPOCH'];
  if (given !== undefined) return new Date(Number(given) * 1000);
  const asked = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' });
  const seconds = asked.status === 0 ? Number(asked.stdout) : Number.NaN;
  return new Date(seconds > 0 ? seconds * 1000 : Date.UTC(2026, 0, 1));
}

export const installedNode = (arch: Arch, root = ROOT): string =>
  join(root, 'node_modules', `node-${NODE_NAMES[arch]}`, 'bin', 'node');

export const hasDpkgDeb = (): boolean => spawnSync('dpkg-deb', ['--version']).status === 0;

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      arch: { type: 'string' },
      key: { type: 'string' },
      'also-trust': { type: 'string' },
      to: { type: 'string' },
      version: { type: 'string' },
      only: { type: 'string' },
      fast: { type: 'boolean' },
      'node-amd64': { type: 'string' },
      'node-arm64': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return console.log(HELP);
  const version = values.version ?? ownVersion();
  if (!isVersion(version)) throw new Error(`${version} is no version`);
  const wanted = ARCHS.filter((arch) => values.arch === undefined || values.arch === arch);
  if (wanted.length === 0) throw new Error('--arch must be amd64 or arm64');
  const canDeb = hasDpkgDeb();
  if (!canDeb) console.warn('No .deb: dpkg-deb is not installed here.');
  const isUnsigned = values.key === undefined;
  if (isUnsigned) console.warn('Not signed (--key): what is installed from this does not update itself.');
  else if (values['also-trust'] === undefined)
    console.warn('Only this key is trusted (--also-trust): if it is lost, every box has to be visited.');
  for (const arch of wanted) {
    const node = values[`node-${arch}`] ?? installedNode(arch);
    if (!existsSync(node) && values.arch === undefined) {
      console.warn(
        `Nothing for ${arch}: the package node-${NODE_NAMES[arch]} is not installed; see --node-${arch}.`,
      );
      continue;
    }
    const packed = await packOne({
      arch,
      version,
      node,
      to: resolve(values.to ?? 'dist'),
      privateKey: isUnsigned ? null : createPrivateKey(readFileSync(values.key ?? '')),
      alsoTrust: values['also-trust'] === undefined ? '' : readFileSync(values['also-trust'], 'utf8'),
      isFast: values.fast ?? false,
      only: !canDeb || values.only === 'update' ? 'update' : values.only === 'deb' ? 'deb' : null,
      at: buildTime(),
    });
    tell(packed);
  }
}

function tell({ deb, update, installedBytes }: Packed): void {
  const hasConsole = existsSync(join(ROOT, 'desktop', 'console', 'dist'));
  if (!hasConsole)
    console.warn('Without the console: desktop/console/dist is not there (scripts/build-console.mjs).');
  for (const file of [deb, update]) {
    if (file !== null) console.log(`${file}  ${(statSync(file).size / 1e6).toFixed(1)} MB`);
  }
  console.log(`installed ${(installedBytes / 1e6).toFixed(1)} MB`);
}

function ownVersion(): string {
  return (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
}

if (import.meta.main) {
  await main(process.argv.slice(2)).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
}

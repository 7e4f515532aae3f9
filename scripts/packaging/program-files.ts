import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  globSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Arch, type Manifest, type ManifestFile, PRODUCT } from '#operations/update/package-file.ts';
import { isExpandOnly, readMigrations } from '../../gateway/adapters/sql/migrate.ts';
import { builtFiles } from '../build-when-changed.mjs';

// What belongs on a box, and nothing else: the program as it was built, the packages it needs, and Node itself.

/** A file of the program: from a file here, or made. */
export type ProgramFile = { path: string; mode: 0o644 | 0o755; from: string | Buffer };

export const NODE_NAMES: Readonly<Record<Arch, string>> = { amd64: 'linux-x64', arm64: 'linux-arm64' };
/** Systems with their processors, as packages call them, and how Node is called there. */
export const MACHINES = {
  'linux-x64': { node: 'bin/node', head: [0x7f, 0x45, 0x4c, 0x46], cpu: 0x3e },
  'linux-arm64': { node: 'bin/node', head: [0x7f, 0x45, 0x4c, 0x46], cpu: 0xb7 },
  // MZ; what it is made for stands further in
  'win32-x64': { node: 'bin/node.exe', head: [0x4d, 0x5a], cpu: null },
} as const satisfies Record<string, { node: string; head: readonly number[]; cpu: number | null }>;
export type Machine = keyof typeof MACHINES;

const OWN = ['scripts/require-node.mjs', 'migrations/**/*.sql', 'docs/**/*', 'README.md'];
const BUILT = ['gateway/dist', 'desktop/console/dist', 'desktop/guide/dist'];
/** Of packages: what only people and compilers read, and what other systems need. */
const LEFT_OUT =
  /(?:\.d\.[cm]?ts|\.ts|\.tsx|\.map|\.md|\.markdown|\.c|\.cc|\.cpp|\.h|\.gyp|\.gypi|\.flow|\.patch|\.sh|\.yml|\.yaml)$|\/(?:test|tests|__tests__|example|examples|bench|benchmark|benchmarks|docs|\.github)\/|\/\.[^/]+$/i;
/** By package: folders that only its own build needs, or that serve browsers that bundle it. */
const NOT_NEEDED =
  /^node_modules\/(?:better-sqlite3\/(?:deps|src)|argon2\/argon2)\/|^node_modules\/swagger-ui-dist\/(?:swagger-ui-es-|swagger-ui\.js$)/;

type Parts = { root: string; arch: Arch; version: string; node: string; updateKeys: string | null };

/** Every file of the program, by path. Throws a sentence for people when a part is missing. */
export function programFiles({ arch, ...parts }: Parts): ProgramFile[] {
  // what is called linux-x64 and linux-arm64 there is called so here
  return filesFor({ ...parts, machine: NODE_NAMES[arch] as Machine });
}

/** The same for any system that the program runs on. */
export function filesFor({
  root,
  machine,
  version,
  node,
  updateKeys,
}: Omit<Parts, 'arch'> & { machine: Machine }): ProgramFile[] {
  requireMachine(node, machine);
  const files: ProgramFile[] = [
    ...[
      ...OWN.flatMap((pattern) => filesOf(root, pattern)),
      ...BUILT.flatMap((out) => builtOf(root, out)),
    ].map((path) => ({
      path,
      mode: 0o644 as const,
      from: join(root, path),
    })),
    ...packageFiles(root, machine),
    { path: MACHINES[machine].node, mode: 0o755, from: node },
    { path: 'package.json', mode: 0o644, from: ownPackage(root, version) },
    ...(updateKeys === null
      ? []
      : [{ path: 'update-keys.pem', mode: 0o644 as const, from: Buffer.from(updateKeys) }]),
  ];
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function filesOf(root: string, pattern: string): string[] {
  return globSync(pattern, { cwd: root }).filter((path) => statSync(join(root, path)).isFile());
}

function builtOf(root: string, out: string): string[] {
  const files = builtFiles(join(root, out));
  if (files.length === 0) throw new Error(`${out} was not built; use npm run package`);
  return files.map((file) => `${out}/${file}`);
}

type Locked = { dev?: boolean; devOptional?: boolean };

/** The packages that the lock file names for running, as they are installed. */
function packageFiles(root: string, machine: Machine): ProgramFile[] {
  // npm's own file, and ours
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked & { optionalDependencies?: Record<string, string> }>;
  };
  const platform = Object.keys(packages['']?.optionalDependencies ?? {});
  const wanted = Object.entries(packages)
    .filter(([at, { dev, devOptional }]) => at.startsWith('node_modules/') && !dev && !devOptional)
    .map(([at]) => at)
    .filter((at) => !platform.some((name) => at === `node_modules/${name}`));
  const missing = wanted.find((at) => !existsSync(join(root, at)));
  if (missing !== undefined) throw new Error(`${missing} is not installed; run npm ci`);
  return wanted.flatMap((at) =>
    globSync(`${at}/**/*`, { cwd: root, exclude: (path) => path.endsWith(`${at}/node_modules`) })
      .filter((path) => isNeeded(path, machine) && statSync(join(root, path)).isFile())
      .map((path) => ({ path, mode: 0o644 as const, from: join(root, path) })),
  );
}

/** A package inside a package has its own entry in the lock file. */
function isNeeded(path: string, machine: Machine): boolean {
  if (/\/LICEN[CS]E[^/]*$/i.test(path)) return true;
  if (LEFT_OUT.test(path) || NOT_NEEDED.test(path)) return false;
  const native = /\/prebuilds\/([^/]+)(?:\/([^/]+))?$/.exec(path);
  if (native === null) return true;
  const [, first = '', second = ''] = native;
  return first.replace(/\.node$/, '') === machine && !second.includes('musl');
}

/** Name and version: all that the program reads of it. */
function ownPackage(root: string, version: string): Buffer {
  const { name, description, license, type } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  ) as Record<string, unknown>;
  return Buffer.from(`${JSON.stringify({ name, version, description, license, type }, null, 2)}\n`);
}

function requireMachine(node: string, machine: Machine): void {
  if (!existsSync(node)) {
    throw new Error(
      `no Node for ${machine}: its package is not installed here (npm leaves out what is for another machine). ` +
        'Give its program with --node (npm run package: --node-amd64, --node-arm64)',
    );
  }
  const { head, cpu } = MACHINES[machine];
  const found = readFileSync(node).subarray(0, 20);
  const isProgram = found.subarray(0, head.length).equals(Buffer.from(head));
  // bytes 18 and 19 of an ELF file say for which processor it is
  if (!isProgram || (cpu !== null && found.readUInt16LE(18) !== cpu))
    throw new Error(`${node} is no Node for ${machine}`);
}

/** The list that is signed. */
export async function manifestOf(
  files: readonly ProgramFile[],
  { root, arch, version }: Parts,
): Promise<Manifest> {
  const described: ManifestFile[] = [];
  for (const { path, mode, from } of files) described.push({ path, mode, ...(await measure(from)) });
  const migrations = readMigrations(join(root, 'migrations', 'sqlite')).map(({ name, sql }) => ({
    name,
    expandOnly: isExpandOnly(sql),
  }));
  return { format: 1, product: PRODUCT, version, arch, migrations, files: described };
}

/** Read whole: a buffer for streaming each of thousands of small files costs more than the sum itself. */
async function measure(from: string | Buffer): Promise<{ bytes: number; sha256: string }> {
  const content = typeof from === 'string' ? await readFile(from) : from;
  return { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
}

export type TreeFile = { path: string; mode: number; from: string | Buffer };

/** Lays files out, with nothing in them that depends on who does it and when. */
export function writeTree(folder: string, files: readonly TreeFile[], at: Date): void {
  for (const { path, mode, from } of files) {
    const to = join(folder, path);
    mkdirSync(dirname(to), { recursive: true });
    if (typeof from === 'string') copyFileSync(from, to);
    else writeFileSync(to, from);
    chmodSync(to, mode);
  }
  settle(folder, at);
}

function settle(folder: string, at: Date): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) settle(path, at);
    else lutimesSync(path, at, at);
  }
  lutimesSync(folder, at, at);
}

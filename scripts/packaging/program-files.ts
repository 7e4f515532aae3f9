import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isExpandOnly } from '../../gateway/adapters/sql/expand-only.ts';
import { readMigrations } from '../../gateway/adapters/sql/migrate.ts';
import { type Arch, type Manifest, type ManifestFile, PRODUCT } from '../../gateway/update/manifest.ts';
import { builtFiles } from '../build-when-changed.mjs';

// What belongs on a box, and nothing else: the program as it was built, the packages it needs, and Node itself.

/** A file of the program: from a file here, or made. */
export type ProgramFile = { path: string; mode: 0o644 | 0o755; from: string | Buffer };

export const NODE_NAMES: Readonly<Record<Arch, string>> = { amd64: 'linux-x64', arm64: 'linux-arm64' };
/** What the header of a program says about the machine it runs on. */
const MACHINES: Readonly<Record<Arch, number>> = { amd64: 0x3e, arm64: 0xb7 };

const OWN = ['scripts/require-node.mjs', 'migrations/**/*.sql', 'docs/**/*', 'README.md'];
const BUILT = ['gateway/dist', 'desktop/console/dist'];
/** Of packages: what only people and compilers read, and what other systems need. */
const LEFT_OUT =
  /(?:\.d\.[cm]?ts|\.ts|\.tsx|\.map|\.md|\.markdown|\.c|\.cc|\.cpp|\.h|\.gyp|\.gypi|\.flow|\.patch|\.sh|\.yml|\.yaml)$|\/(?:test|tests|__tests__|example|examples|bench|benchmark|benchmarks|docs|\.github)\/|\/\.[^/]+$/i;
/** By package: folders that only its own build needs, or that serve browsers that bundle it. */
const NOT_NEEDED =
  /^node_modules\/(?:better-sqlite3\/(?:deps|src)|argon2\/argon2)\/|^node_modules\/swagger-ui-dist\/(?:swagger-ui-es-|swagger-ui\.js$)/;

export type Parts = { root: string; arch: Arch; version: string; node: string; updateKeys: string | null };

/** Every file of the program, by path. Throws a sentence for people when a part is missing. */
export function programFiles({ root, arch, version, node, updateKeys }: Parts): ProgramFile[] {
  requireMachine(node, arch);
  const files: ProgramFile[] = [
    ...[
      ...OWN.flatMap((pattern) => filesOf(root, pattern)),
      ...BUILT.flatMap((out) => builtOf(root, out)),
    ].map((path) => ({
      path,
      mode: 0o644 as const,
      from: join(root, path),
    })),
    ...packageFiles(root, arch),
    { path: 'bin/node', mode: 0o755, from: node },
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
function packageFiles(root: string, arch: Arch): ProgramFile[] {
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
      .filter((path) => isNeeded(path, arch) && statSync(join(root, path)).isFile())
      .map((path) => ({ path, mode: 0o644 as const, from: join(root, path) })),
  );
}

/** A package inside a package has its own entry in the lock file. */
function isNeeded(path: string, arch: Arch): boolean {
  if (/\/LICEN[CS]E[^/]*$/i.test(path)) return true;
  if (LEFT_OUT.test(path) || NOT_NEEDED.test(path)) return false;
  const native = /\/prebuilds\/([^/]+)(?:\/([^/]+))?$/.exec(path);
  if (native === null) return true;
  const [, first = '', second = ''] = native;
  return first.replace(/\.node$/, '') === NODE_NAMES[arch] && !second.includes('musl');
}

/** Name and version: all that the program reads of it. */
function ownPackage(root: string, version: string): Buffer {
  const { name, description, license, type } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  ) as Record<string, unknown>;
  return Buffer.from(`${JSON.stringify({ name, version, description, license, type }, null, 2)}\n`);
}

function requireMachine(node: string, arch: Arch): void {
  if (!existsSync(node)) {
    const name = `node-${NODE_NAMES[arch]}`;
    throw new Error(
      `no Node for ${arch}: the package ${name} is not installed here (npm leaves out what is for another machine). ` +
        `Give its program with --node-${arch} FILE`,
    );
  }
  const head = readFileSync(node).subarray(0, 20);
  const isProgram = head.subarray(0, 4).equals(Buffer.from([0x7f, 0x45, 0x4c, 0x46]));
  if (!isProgram || head.readUInt16LE(18) !== MACHINES[arch])
    throw new Error(`${node} is no Node for ${arch}`);
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

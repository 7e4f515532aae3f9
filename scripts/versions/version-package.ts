import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Programs of other versions, to stand beside today's. Each lies in a folder of its own outside the repository, with
// today's packages; the repository is read and left as it is.

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = process.env['VERSIONS_CACHE'] ?? join(tmpdir(), 'shrimp-farm-versions');
const PACKAGES = join(ROOT, 'node_modules');
const WRITER = 'scripts/versions/farm-writer.ts';

/** The first version that synchronises and starts. */
export const FIRST_VERSION = '3553405';

export type VersionPackage = {
  root: string;
  /** What is started. */
  main: string;
  writer: string;
  /** Options with a port of the machine's own, to be set off. */
  ports: readonly string[];
};

export const TODAY: VersionPackage = packageIn(ROOT);

function packageIn(root: string): VersionPackage {
  const built = join(root, 'gateway/dist/main.js');
  const options = readFileSync(
    placeIn(root, 'gateway/runtime/options.ts', 'gateway/runtime/config.ts', 'gateway/config.ts'),
    'utf8',
  );
  return {
    root,
    // the first versions were started from their sources
    main: existsSync(join(root, 'scripts/build-program.mjs')) ? built : join(root, 'gateway/main.ts'),
    writer: join(root, WRITER),
    ports: ['https', 'mqtts', 'discovery', 'ntp'].filter((name) => options.includes(`'${name}-port'`)),
  };
}

/** Where a file lies in a version: some have moved since. Names, the newest first. */
function placeIn(root: string, ...names: readonly [string, ...string[]]): string {
  const files = names.map((name) => join(root, name));
  return files.find((file) => existsSync(file)) ?? join(root, names[0]);
}

/** The writer of today, by the imports of the version in that folder. */
function writerFor(root: string): string {
  const writer = readFileSync(join(ROOT, WRITER), 'utf8');
  return existsSync(join(root, 'gateway/store')) ? writer : writer.replaceAll('#store/merge/', '#core/sync/');
}

/** Why a commit cannot be started here; null: it can. */
export function whyNoVersion(commit: string): string | null {
  try {
    git('cat-file', '-e', `${commit}^{commit}`);
    const asked = JSON.parse(git('show', `${commit}:package.json`)) as {
      dependencies: Record<string, string>;
    };
    const changed = Object.entries(asked.dependencies).filter(
      ([name, version]) => majorOf(installed(name)) !== majorOf(version),
    );
    return changed.length === 0
      ? null
      : `its packages are others: ${changed.map(([name]) => name).join(', ')}`;
  } catch {
    return 'its commit is not here: no git, or not the whole history';
  }
}

const majorOf = (version: string | null): string | undefined => version?.split('.')[0];

function installed(name: string): string | null {
  const file = join(ROOT, 'node_modules', name, 'package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version : null;
}

const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** Lays out the program of a commit, and builds it where it was built then. */
export function packageOf(commit: string): VersionPackage {
  const name = git('rev-parse', '--short=12', commit).trim();
  const root = join(CACHE, name);
  if (!existsSync(root)) {
    const unfinished = `${root}.${process.pid}`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    const archive = join(unfinished, 'sources.tar');
    git('archive', '--output', archive, name);
    execFileSync('tar', ['-xf', archive, '-C', unfinished]);
    rmSync(archive);
    symlinkSync(PACKAGES, join(unfinished, 'node_modules'));
    if (existsSync(join(unfinished, 'scripts/build-program.mjs')))
      execFileSync(process.execPath, ['scripts/build-program.mjs'], { cwd: unfinished, stdio: 'inherit' });
    try {
      renameSync(unfinished, root);
    } catch {
      // another run was first
      rmSync(unfinished, { recursive: true, force: true });
    }
  }
  linkPackages(root);
  mkdirSync(join(root, 'scripts/versions'), { recursive: true });
  writeFileSync(join(root, WRITER), writerFor(root));
  return packageIn(root);
}

/** A version that another checkout laid out has the packages of that checkout, which may be gone: it takes those of this one. */
function linkPackages(root: string): void {
  const link = join(root, 'node_modules');
  if (readlinkSync(link) === PACKAGES) return;
  const ours = `${link}.${process.pid}`;
  rmSync(ours, { force: true });
  symlinkSync(PACKAGES, ours);
  // in one step: programs of another run may be starting from it
  renameSync(ours, link);
}

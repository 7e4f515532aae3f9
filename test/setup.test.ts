import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import packageJson from '../package.json' with { type: 'json' };

const ROOT = path.resolve(import.meta.dirname, '..');
const LockFile = z.object({
  packages: z.record(
    z.string(),
    z.object({ optionalDependencies: z.record(z.string(), z.string()).optional() }),
  ),
});
const BUNDLED_NODE = `node-${process.platform}-${process.arch}`;

describe.skipIf(process.platform === 'win32')('setting up a clone', () => {
  let clone: string;

  beforeEach(() => {
    clone = fs.mkdtempSync(path.join(tmpdir(), 'farm-setup-'));
    fs.mkdirSync(path.join(clone, 'scripts'));
    fs.copyFileSync(path.join(ROOT, 'scripts/setup.mjs'), path.join(clone, 'scripts/setup.mjs'));
    writeLockFile('1.0.0');
    fs.writeFileSync(path.join(clone, 'npm-cli.js'), FAKE_NPM);
  });

  afterEach(() => {
    fs.rmSync(clone, { recursive: true, force: true });
  });

  test('the first run installs without install scripts, links our Node and leaves no lock', () => {
    expect(setUp()).toEqual({ code: 0, errors: '' });

    expect(installs()).toEqual([expect.stringContaining('ci --ignore-scripts')]);
    expect(fs.readlinkSync(path.join(clone, 'node_modules/.bin/node'))).toBe(`../${BUNDLED_NODE}/bin/node`);
    expect(fs.readdirSync(clone).filter((name) => name.startsWith('.setup'))).toEqual([]);
  });

  test('the second run does nothing', () => {
    setUp();
    expect(setUp()).toEqual({ code: 0, errors: '' });

    expect(installs()).toHaveLength(1);
  });

  test('a changed lock file installs again', () => {
    setUp();
    writeLockFile('1.0.1');
    setUp();

    expect(installs()).toHaveLength(2);
  });

  test('packages that already match the lock file, as after npm install by hand, are left alone', () => {
    setUp();
    fs.writeFileSync(path.join(clone, 'node_modules/.setup-stamp'), 'of another lock file');

    expect(setUp()).toEqual({ code: 0, errors: '' });
    expect(installs()).toHaveLength(1);
  });

  test('a lost link to our Node is made again', () => {
    setUp();
    fs.rmSync(path.join(clone, 'node_modules/.bin/node'));
    setUp();

    expect(fs.existsSync(path.join(clone, 'node_modules/.bin/node'))).toBe(true);
  });

  test('two at the same time install once', async () => {
    expect(await Promise.all([setUpLater(), setUpLater()])).toEqual([0, 0]);

    expect(installs()).toHaveLength(1);
  });

  test('a lock left behind by a killed set-up does not stop the next one', () => {
    const lock = path.join(clone, '.setup-lock');
    fs.mkdirSync(lock);
    fs.utimesSync(lock, new Date(0), new Date(0));

    expect(setUp()).toEqual({ code: 0, errors: '' });
  });

  test('a failed install says so in one sentence and is tried again next time', () => {
    expect(setUp({ FAKE_NPM_EXIT_CODE: '7' })).toEqual({
      code: 1,
      errors: 'Set-up: the packages could not be installed (npm ci: 7), see above.\n',
    });

    expect(setUp()).toEqual({ code: 0, errors: '' });
    expect(installs()).toHaveLength(2);
  });

  test('packages that do not load under our Node are refused in one sentence', () => {
    const { code, errors } = setUp({ FAKE_NPM_WITHOUT: 'argon2' });

    expect({ code, last: errors.trim().split('\n').at(-1) }).toEqual({
      code: 1,
      last: expect.stringMatching(/^Set-up: better-sqlite3 or argon2 does not load under Node 2\d/),
    });
  });

  function setUp(env: Record<string, string> = {}): { code: number | null; errors: string } {
    const script = path.join(clone, 'scripts/setup.mjs');
    const result = spawnSync(process.execPath, [script], { env: withFakeNpm(env), encoding: 'utf8' });
    return { code: result.status, errors: result.stderr };
  }

  function setUpLater(): Promise<number | null> {
    const script = path.join(clone, 'scripts/setup.mjs');
    const child = spawn(process.execPath, [script], { env: withFakeNpm({}), stdio: 'ignore' });
    return new Promise((resolve) => child.once('exit', resolve));
  }

  function withFakeNpm(env: Record<string, string>): NodeJS.ProcessEnv {
    const npm = path.join(clone, 'npm-cli.js');
    return { ...process.env, npm_execpath: npm, REAL_MODULES: path.join(ROOT, 'node_modules'), ...env };
  }

  /** The command lines npm was called with. */
  function installs(): string[] {
    return fs.readFileSync(path.join(clone, 'npm-calls'), 'utf8').trim().split('\n');
  }

  function writeLockFile(version: string): void {
    const packages = {
      '': {},
      'node_modules/argon2': { version },
      'node_modules/node-for-another-machine': { version, optional: true },
    };
    fs.writeFileSync(path.join(clone, 'package-lock.json'), JSON.stringify({ packages }));
  }
});

// Stands in for the registry: node_modules with our running Node and the two native packages of this clone.
const FAKE_NPM = `
const fs = require('node:fs');
fs.appendFileSync('npm-calls', process.argv.slice(2).join(' ') + '\\n');
if (process.env.FAKE_NPM_EXIT_CODE) process.exit(Number(process.env.FAKE_NPM_EXIT_CODE));
fs.rmSync('node_modules', { recursive: true, force: true });
fs.mkdirSync('node_modules/${BUNDLED_NODE}/bin', { recursive: true });
fs.symlinkSync(process.execPath, 'node_modules/${BUNDLED_NODE}/bin/node');
for (const name of ['better-sqlite3', 'argon2']) {
  if (name !== process.env.FAKE_NPM_WITHOUT) fs.symlinkSync(process.env.REAL_MODULES + '/' + name, 'node_modules/' + name);
}
const { packages } = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'));
delete packages[''];
delete packages['node_modules/node-for-another-machine'];
fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages }));
`;

describe('the version guard', () => {
  const guard = path.join(ROOT, 'scripts/require-node.mjs');

  test('an old Node gets one sentence instead of a crash', () => {
    const pretendOld = "Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })";
    const result = startProgram(['--import', `data:text/javascript,${encodeURIComponent(pretendOld)}`]);

    expect(result).toEqual({
      code: 1,
      output: '',
      errors:
        'This program needs Node 24 or newer and was started with Node 20.20.2; use "npm start", which brings its own.\n',
    });
  });

  test('this Node goes on to the program', () => {
    expect(startProgram([])).toEqual({ code: 0, output: 'started\n', errors: '' });
  });

  function startProgram(before: string[]) {
    const args = [...before, '--import', guard, '-e', "console.log('started')"];
    const result = spawnSync(process.execPath, args, { encoding: 'utf8' });
    return { code: result.status, output: result.stdout, errors: result.stderr };
  }
});

test('the lock file names the packages of every platform, without which npm ci refuses it', () => {
  // When this fails: node scripts/complete-lock-file.mjs
  const { packages } = LockFile.parse(
    JSON.parse(fs.readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')),
  );
  const optional = Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));

  expect(optional.filter((name) => !(`node_modules/${name}` in packages))).toEqual([]);
});

test('every npm script sets up first', () => {
  const scripts: Record<string, string> = packageJson.scripts;
  const names = Object.keys(scripts).filter((name) => !(name.startsWith('pre') && name.slice(3) in scripts));

  // what else must be made before comes behind it
  expect(
    names.filter((name) => !/^node scripts\/setup\.mjs( &&|$)/.test(scripts[`pre${name}`] ?? '')),
  ).toEqual([]);
});

test('a campaign or a measurement builds the programs of its own that it starts', () => {
  const scripts: Record<string, string> = packageJson.scripts;
  expect(['soak', 'bench'].filter((name) => !scripts[`pre${name}`]?.endsWith(' --children'))).toEqual([]);
});

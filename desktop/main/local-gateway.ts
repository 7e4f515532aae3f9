import { type ChildProcess, spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  truncateSync,
} from 'node:fs';
import path from 'node:path';
import type { App } from 'electron';
import * as z from 'zod';
import type { LocalTold, Skew } from '../ipc.ts';

// On a PC that is the box itself the program starts the gateway as a process of its own, on the Node that comes with
// it, and starts it anew when it ends. The gateway needs nothing of this program to go on: it writes its log to a file,
// and stays when this program falls or its session ends. The next start finds it and takes it over. It ends by its own
// system's stop, or when a person who was told what stops says so.

export type LocalGateway = {
  url: string;
  told(): LocalTold;
  /** Whether the gateway is one that this program started, now or before, and may stop. */
  isOwn(): boolean;
  /** Ends the gateway. */
  stop(): Promise<void>;
};

const RESTART_MS = [1_000, 2_000, 5_000, 10_000] as const;
const STEADY_MS = 60_000;
const LOOK_MS = 2_000;
/** A start takes a minute at most; one that takes longer is not called a start any more. */
const LATE_MS = 120_000;
/** A gateway that answers nothing this often in a row is not there. */
const MISSES = 3;
const STOP_MS = 8_000;
const LOG_BYTES = 10_000_000;
const LAST_WORDS_BYTES = 8_000;

type LocalDeps = {
  /** Folder of the program: holds gateway/dist/main.js and node_modules. */
  program: string;
  node: string;
  data: string;
  httpPort: number;
  /** Whether a gateway answers at the port of this one. */
  answers: () => Promise<boolean>;
  changed: (told: LocalTold) => void;
  pause: (ms: number) => Promise<void>;
  now: () => number;
  /** When this machine started, in milliseconds. */
  bootedAt: () => number;
};

export function startLocalGateway(deps: LocalDeps): LocalGateway {
  let told: LocalTold = { at: 'starting', trouble: null };
  let child: ChildProcess | null = null;
  /** A gateway that an earlier start of this program left behind. */
  let found: number | null = null;
  let isStopping = false;
  const logFile = path.join(deps.data, 'gateway.log');

  const tell = (next: LocalTold) => {
    if (JSON.stringify(next) === JSON.stringify(told)) return;
    told = next;
    deps.changed(told);
  };
  /** Until a gateway that somebody else started is gone. */
  const watchOther = async () => {
    found = ownProcess(deps);
    tell({ at: 'running', trouble: null });
    for (let misses = 0; misses < MISSES && !isStopping; ) {
      await deps.pause(LOOK_MS);
      misses = (await deps.answers()) ? 0 : misses + 1;
    }
    found = null;
  };
  const untilSteady = async (one: ChildProcess, startedAt: number) => {
    while (one.exitCode === null && one.signalCode === null && child === one) {
      if (await deps.answers()) return tell({ at: 'running', trouble: null });
      if (deps.now() - startedAt > LATE_MS) tell({ at: 'late', trouble: told.trouble });
      await deps.pause(LOOK_MS);
    }
  };
  /** A whole life of the gateway; answers what it said last. */
  const live = async (startedAt: number): Promise<string> => {
    const log = openLog(logFile);
    const one = start(deps, log.fd ?? 'ignore');
    child = one;
    void untilSteady(one, startedAt);
    const failure = await ended(one);
    child = null;
    return (log.fd === null ? '' : lastWords(logFile, log.from)) || failure || log.failure;
  };
  const run = async () => {
    for (let falls = 0; !isStopping; ) {
      const startedAt = deps.now();
      let words: string;
      try {
        // two on one machine would fight for the ports and the database
        if (await deps.answers()) {
          await watchOther();
          continue;
        }
        if (isStopping) break;
        tell({ at: falls === 0 ? 'starting' : 'restarting', trouble: told.trouble });
        words = await live(startedAt);
      } catch (error) {
        // whatever it is: nobody else on this machine tries again
        words = String(error);
      }
      if (isStopping) break;
      // one that ran for a while is not falling over and over
      falls = deps.now() - startedAt > STEADY_MS ? 1 : falls + 1;
      tell({ at: 'restarting', trouble: troubleIn(words) });
      await deps.pause(RESTART_MS[Math.min(falls, RESTART_MS.length) - 1] ?? 10_000);
    }
    tell({ at: 'stopped', trouble: null });
  };
  const trim = setInterval(() => trimLog(logFile), 60_000);
  const running = run();
  return {
    url: `http://127.0.0.1:${deps.httpPort}/`,
    told: () => told,
    isOwn: () => child !== null || found !== null,
    async stop() {
      isStopping = true;
      clearInterval(trim);
      const pid = child?.pid ?? found;
      if (pid !== null && pid !== undefined) await endProcess(pid, deps.pause);
      await running;
    },
  };
}

function start({ program, node, data, httpPort }: LocalDeps, log: number | 'ignore'): ChildProcess {
  try {
    return spawn(
      node,
      [
        '--max-semi-space-size=4',
        '--max-old-space-size=512',
        '--v8-pool-size=2',
        path.join(program, 'gateway/dist/main.js'),
        '--data',
        data,
        '--http-port',
        String(httpPort),
      ],
      // of its own: it stays when this program ends, however it ends
      { cwd: program, stdio: ['ignore', log, log], windowsHide: true, detached: true },
    );
  } finally {
    if (log !== 'ignore') closeSync(log);
  }
}

/** Answers why it never began; empty: it did. */
const ended = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    child.once('exit', () => resolve(''));
    child.once('error', (error) => resolve(String(error)));
  });

async function endProcess(pid: number, pause: LocalDeps['pause']): Promise<void> {
  if (!signal(pid, 'SIGTERM')) return;
  for (let waited = 0; waited < STOP_MS; waited += 100) {
    await pause(100);
    if (!signal(pid, 0)) return;
  }
  signal(pid, 'SIGKILL');
}

/** False: there is no such process. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

const runFile = z.object({
  process: z.int().positive(),
  address: z.string(),
  started_at: z.number(),
  stopped_at: z.number().nullable(),
});

/** The process that the gateway of this machine noted beside its database; null: what runs here is none of ours. */
function ownProcess({ data, httpPort, bootedAt }: LocalDeps): number | null {
  try {
    const run = runFile.parse(JSON.parse(readFileSync(path.join(data, 'run.json'), 'utf8')));
    // after a power cut its number may be that of any other program
    const isOfThisBoot = run.started_at > bootedAt();
    const isHere = new URL(run.address).port === String(httpPort);
    const runs = run.stopped_at === null && isOfThisBoot && isHere && signal(run.process, 0);
    return runs ? run.process : null;
  } catch {
    return null;
  }
}

/** A disk that takes no log must not keep the gateway from its start: it may still hold the aerators. */
function openLog(file: string): { fd: number | null; from: number; failure: string } {
  try {
    const from = beginLog(file);
    return { fd: openSync(file, 'a', 0o600), from, failure: '' };
  } catch (error) {
    return { fd: null, from: 0, failure: String(error) };
  }
}

/** Answers how long the log is already; a long one is put aside. */
function beginLog(file: string): number {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  try {
    const { size } = statSync(file);
    if (size < LOG_BYTES / 2) return size;
    renameSync(file, `${file}.1`);
  } catch {
    // there was none
  }
  return 0;
}

/** The gateway goes on writing at the end of what is left. */
function trimLog(file: string): void {
  try {
    if (statSync(file).size > LOG_BYTES) truncateSync(file);
  } catch {
    // there is none now
  }
}

function lastWords(file: string, from: number): string {
  try {
    const handle = openSync(file, 'r');
    try {
      const { size } = fstatSync(handle);
      const at = Math.max(from, size - LAST_WORDS_BYTES);
      const bytes = Buffer.alloc(Math.max(0, size - at));
      readSync(handle, bytes, 0, bytes.length, at);
      return bytes.toString('utf8');
    } finally {
      closeSync(handle);
    }
  } catch {
    return '';
  }
}

/** What a gateway said last for people: its log is JSON, its last sentence is not, and of a fault the first line tells most. */
export function troubleIn(words: string): LocalTold['trouble'] {
  const lines = words.split('\n').map((line) => line.trim());
  const said = lines.filter((line) => line !== '' && !/^(?:\{|at |Node\.js v|\^|throw )/.test(line));
  const sentence = (said.find((line) => /Error\b/.test(line)) ?? said.at(-1) ?? '').slice(0, 300);
  const port = /\bport (\d{1,5}) is taken\b/.exec(words)?.[1];
  return { port: port === undefined ? null : Number(port), sentence };
}

export type ProgramFolders = ReturnType<typeof programFolders>;

/** Where things lie, packed and while developing. */
export function programFolders(
  app: Pick<App, 'isPackaged' | 'getAppPath'>,
  resources = process.resourcesPath,
) {
  const code = app.getAppPath();
  // the gateway stands beside the archive: it runs on a Node of its own, which does not read archives
  const program = app.isPackaged ? path.join(resources, 'gateway') : path.resolve(code, '../..');
  const isWindows = process.platform === 'win32';
  const name = isWindows ? 'node.exe' : 'node';
  const platform = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;
  const node = app.isPackaged
    ? path.join(program, 'bin', name)
    : path.join(program, 'node_modules', platform, 'bin', name);
  return { code, shell: path.join(code, 'shell'), program, node };
}

/** Whether a gateway came with this program: there are packages that only watch. */
export const canBeBox = ({ program, node }: Pick<ProgramFolders, 'program' | 'node'>): boolean =>
  existsSync(node) && existsSync(path.join(program, 'gateway/dist/main.js'));

/**
 * How this program stands to the gateway whose console it shows. The last number is for mends that change nothing between
 * the two; null: one of them is not known, or they fit.
 */
export function skewOf(own: string, gateway: string | null): Skew | null {
  const [mine, theirs] = [read(own), gateway === null ? null : read(gateway)];
  if (mine === null || theirs === null) return null;
  const apart = mine.major - theirs.major || mine.minor - theirs.minor;
  return apart === 0 ? null : apart < 0 ? 'outdated' : 'newer';
}

function read(version: string): { major: number; minor: number } | null {
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(version) ?? [];
  return major === undefined || minor === undefined ? null : { major: Number(major), minor: Number(minor) };
}

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { machineStart, programVersion } from '#adapters/system/machine-facts.ts';
import { START_CAUSES, type StartCause } from '#features/system/doctor/ports.ts';
import type { Config } from '#runtime/config.ts';
import type { World } from '#runtime/world.ts';

// One small file beside the database that says which process runs, where it listens, and how the run before ended. With
// the key in it who may read the data folder may ask the running program; the key is made anew with every start.

const runFile = z.object({
  format: z.literal(1),
  process: z.int(),
  /** The start of the machine; null where it has no name. */
  machine: z.string().nullable(),
  version: z.string(),
  /** `starting`: its database is being opened, recovered or brought up to date; nobody is served yet. */
  state: z.enum(['starting', 'open']).default('open'),
  address: z.string(),
  key: z.string(),
  started_at: z.number(),
  /** Seconds the machine had been up when the process began: its clock may jump by days while it starts. */
  up_s: z.number().nullable().default(null),
  cause: z.enum(START_CAUSES),
  /** What ended the run before this one. */
  fault_before: z.string().nullable(),
  stopped_at: z.number().nullable(),
  fault: z.string().nullable(),
});
export type Run = z.infer<typeof runFile>;

const FAULT_CHARACTERS = 300;

/** Processes of a hosted instance may share a folder; they differ by their port. */
export function runFileOf({ data, role, httpPort }: Pick<Config, 'data' | 'role' | 'httpPort'>): string {
  return join(data, role === 'gateway' ? 'run.json' : `run-${httpPort}.json`);
}

/** null: there is none, or it is damaged. */
export function readRun(file: string): Run | null {
  try {
    return runFile.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // it only tells: without it a start has no cause, and a doctor looks from outside
    return null;
  }
}

/** Why this run began, by what the last one left behind. */
function causeOf(before: Run | null, now: Pick<Run, 'machine' | 'version'>): StartCause {
  if (before === null) return 'first';
  if (before.version !== now.version) return 'updated';
  const hasNewStart = before.machine !== null && before.machine !== now.machine;
  // a start that came to nothing is no run: what ended the one before it still counts
  if (before.state === 'starting') return hasNewStart ? 'power' : before.cause;
  if (before.fault !== null) return 'fault';
  if (before.stopped_at !== null) return 'stopped';
  return hasNewStart ? 'power' : 'killed';
}

/** Whether the process of that note is still there, as far as its number tells. `machine`: the start of the machine now. */
export const isUnderWay = (run: Run, machine: string | null): boolean =>
  run.stopped_at === null && run.fault === null && run.machine === machine && lives(run.process);

function lives(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, and is somebody else's
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

type RunDeps = {
  file: string;
  folder: string;
  now: () => number;
  process: number;
  machine: string | null;
  /** Seconds this machine has been up. */
  upS: number;
  version: string;
  newKey: () => string;
  /** What cannot be written is told, and harms nothing. */
  failed: (error: unknown) => void;
};

/**
 * Notes that this run begins, before its database is opened: that may take minutes, in which nobody shall take it for
 * stopped. Answers what is known of it, and what to call when its ports are open and when it ends.
 */
export function beginRun(deps: RunDeps) {
  const before = readRun(deps.file);
  const { machine, version } = deps;
  let now = deps.now;
  let run: Run = {
    format: 1,
    process: deps.process,
    machine,
    version,
    state: 'starting',
    address: '',
    key: '',
    started_at: now(),
    up_s: deps.upS,
    cause: causeOf(before, { machine, version }),
    fault_before: (before?.state === 'starting' ? before.fault_before : before?.fault) ?? null,
    stopped_at: null,
    fault: null,
  };
  // one started by mistake beside a gateway that runs fails at the ports, and must not lock the doctor out of that one
  let isOurs = before === null || before.process === deps.process || !isUnderWay(before, machine);
  const write = (content: Run): void => {
    if (!isOurs) return;
    try {
      mkdirSync(deps.folder, { recursive: true, mode: 0o700 });
      writeNow(deps.file, content);
    } catch (error) {
      deps.failed(error);
    }
  };
  write(run);
  return {
    run: (): Run => run,
    /** The ports are open: from here on it is a run, on the clock of the program. */
    opened(address: string, clock: () => number): void {
      now = clock;
      isOurs = true;
      run = { ...run, state: 'open', address, key: deps.newKey(), started_at: now() };
      write(run);
    },
    /** In order, or because the start came to nothing. The key ends with the run. */
    stopped: (): void => write({ ...run, key: '', stopped_at: now() }),
    /** By a fault of ours; written at once, for the process ends. */
    fault: (error: unknown): void => {
      const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      write({ ...run, key: '', fault: text.slice(0, FAULT_CHARACTERS) });
    },
  };
}

export type RunNote = ReturnType<typeof beginRun>;

function writeNow(file: string, content: Run): void {
  const text = `${JSON.stringify(content)}\n`;
  const unfinished = `${file}.unfinished-${process.pid}`;
  try {
    writeDurably(unfinished, text, 'w');
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    // a full disk has no room for another file, but the room of this one: without the note of this run a doctor would
    // take the program for stopped, just when its disk is full
    if (!isFull(error) || !existsSync(file)) throw error;
    writeDurably(file, text, 'r+');
  }
}

function writeDurably(file: string, text: string, flag: 'w' | 'r+'): void {
  const handle = openSync(file, flag, 0o600);
  try {
    const bytes = Buffer.from(text);
    writeSync(handle, bytes);
    ftruncateSync(handle, bytes.length);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

/** Leaves word that this process starts, for a doctor that comes before it answers. */
export async function noteStart(
  config: Config,
  { wallClock, log }: Pick<World, 'wallClock' | 'log'>,
): Promise<RunNote> {
  return beginRun({
    file: runFileOf(config),
    folder: config.data,
    now: wallClock,
    process: process.pid,
    machine: await machineStart(),
    upS: uptime(),
    version: programVersion(),
    newKey: () => randomBytes(32).toString('base64url'),
    failed: (error) => log.warn({ err: error }, 'the note of this run was not written'),
  });
}

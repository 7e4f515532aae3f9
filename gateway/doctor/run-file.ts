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
import { join } from 'node:path';
import * as z from 'zod';
import { START_CAUSES, type StartCause } from '#features/doctor/ports.ts';
import type { Config } from '../config.ts';

// One small file beside the database that says which process runs, where it listens, and how the run before ended. With
// the key in it who may read the data folder may ask the running program; the key is made anew with every start.

const runFile = z.object({
  format: z.literal(1),
  process: z.int(),
  /** The start of the machine; null where it has no name. */
  machine: z.string().nullable(),
  version: z.string(),
  address: z.string(),
  key: z.string(),
  started_at: z.number(),
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
export function causeOf(before: Run | null, now: Pick<Run, 'machine' | 'version'>): StartCause {
  if (before === null) return 'first';
  if (before.version !== now.version) return 'updated';
  if (before.fault !== null) return 'fault';
  if (before.stopped_at !== null) return 'stopped';
  return before.machine !== null && before.machine !== now.machine ? 'power' : 'killed';
}

export type RunDeps = {
  file: string;
  folder: string;
  now: () => number;
  process: number;
  machine: string | null;
  version: string;
  newKey: () => string;
  /** What cannot be written is told, and harms nothing. */
  failed: (error: unknown) => void;
};

/** Notes that this run began. Answers what is known of it, and what to call when it ends. */
export function beginRun(deps: RunDeps, address: string) {
  const before = readRun(deps.file);
  const { machine, version } = deps;
  const run: Run = {
    format: 1,
    process: deps.process,
    machine,
    version,
    address,
    key: deps.newKey(),
    started_at: deps.now(),
    cause: causeOf(before, { machine, version }),
    fault_before: before?.fault ?? null,
    stopped_at: null,
    fault: null,
  };
  const write = (content: Run): void => {
    try {
      mkdirSync(deps.folder, { recursive: true, mode: 0o700 });
      writeNow(deps.file, content);
    } catch (error) {
      deps.failed(error);
    }
  };
  write(run);
  return {
    run,
    /** In order. The key ends with the run. */
    stopped: (): void => write({ ...run, key: '', stopped_at: deps.now() }),
    /** By a fault of ours; written at once, for the process ends. */
    fault: (error: unknown): void => {
      const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      write({ ...run, key: '', fault: text.slice(0, FAULT_CHARACTERS) });
    },
  };
}

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

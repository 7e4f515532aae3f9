import { randomBytes } from 'node:crypto';
import { uptime } from 'node:os';
import { machineStart } from '#adapters/system/machine-facts.ts';
import { programVersion } from '#adapters/system/program-version.ts';
import type { Config } from '#runtime/config.ts';
import type { World } from '#runtime/world.ts';
import { beginRun, type RunNote, runFileOf } from './run-file.ts';

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

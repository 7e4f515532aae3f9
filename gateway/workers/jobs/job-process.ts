import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BackupTrouble, type TroubleCode } from '#adapters/backup/backup-trouble.ts';
import type { Job, JobDone, JobPhase, TellPhase } from '#operations/backup/do-job.ts';

/** What the process says of its job. */
export type JobAnswer =
  | { phase: JobPhase }
  | { done: JobDone }
  | { trouble: string; code: TroubleCode | null }
  | { failure: string };

const FILE = fileURLToPath(new URL('./job-child.ts', import.meta.url));
/** Files pass through in pieces; the box has little memory, and control needs it. */
const FLAGS = [
  '--max-semi-space-size=2',
  '--max-old-space-size=128',
  '--import',
  new URL('../../../scripts/require-node.mjs', import.meta.url).href,
];

/**
 * Runs jobs one after the other in a process of their own, and `stop` ends the one under way. A process, not a thread:
 * its memory goes back whole, and a database so damaged that reading it crashes the driver takes no control with it.
 */
export function createJobProcess(): {
  run: (job: Job, tell?: TellPhase) => Promise<JobDone>;
  stop: () => Promise<void>;
} {
  let under: ChildProcess | null = null;
  let isStopped = false;
  let before: Promise<unknown> = Promise.resolve();

  function start(job: Job, tell: TellPhase): Promise<JobDone> {
    return new Promise((resolve, reject) => {
      if (isStopped) return reject(new Error('the job was cut off (not begun)'));
      const started = fork(FILE, [], {
        execArgv: FLAGS,
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      under = started;
      started.on('message', (answer: JobAnswer) => {
        if ('phase' in answer) tell(answer.phase);
        else if ('done' in answer) resolve(answer.done);
        else if ('trouble' in answer) reject(new BackupTrouble(answer.trouble, undefined, answer.code));
        else reject(new Error(answer.failure));
      });
      started.once('error', reject);
      started.once('exit', (code, signal) => {
        if (under === started) under = null;
        reject(new Error(`the job was cut off (${signal ?? `exit code ${code}`})`));
      });
      started.send(job, (error) => {
        if (error !== null) reject(error);
      });
    });
  }
  return {
    run(job, tell = () => undefined) {
      const done = before.then(() => start(job, tell));
      before = done.catch(() => undefined);
      return done;
    },
    async stop() {
      isStopped = true;
      const ending = under;
      if (ending === null) return;
      await new Promise<void>((resolve) => {
        ending.once('exit', () => resolve());
        ending.kill('SIGKILL');
      });
    },
  };
}

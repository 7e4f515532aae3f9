import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { standBack } from '#adapters/system/stand-back.ts';
import { type JobContext, type JobResult, type Progress, readJob } from './job.ts';
import { runJob } from './run-job.ts';
import { BenchTrouble, cancelled, TROUBLE_CODES, type TroubleCode } from './trouble.ts';

type Answer =
  | { progress: Progress }
  | { done: JobResult }
  | { trouble: { code: string; message: string; next: string } }
  | { failure: string };

const FILE = fileURLToPath(import.meta.url);
/** Tells a started process that it is one. */
const AS_JOB = '--bench-job';
/** The libraries and two copies of the largest firmware. */
const FLAGS = [
  '--max-semi-space-size=2',
  '--max-old-space-size=192',
  '--import',
  new URL('../../scripts/require-node.mjs', import.meta.url).href,
];
/** Time to start the board's program and to close the port; then the process is ended. */
const CANCEL_WITHIN_MS = 5_000;

/**
 * runJob in a process of its own, below the priority of control: serial drivers, compression and a board that floods its
 * line take nothing from the gateway, and a driver that crashes takes only its job. Takes the job unchecked.
 */
export function runInProcess(job: unknown, { tell, signal }: JobContext): Promise<JobResult> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(cancelled());
      return;
    }
    const started = fork(FILE, [AS_JOB], { execArgv: FLAGS, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    let killing: NodeJS.Timeout | undefined;
    const cancel = () => {
      started.send('cancel', () => undefined);
      killing = setTimeout(() => started.kill('SIGKILL'), CANCEL_WITHIN_MS);
    };
    signal.addEventListener('abort', cancel, { once: true });
    started.on('message', (answer: Answer) => {
      if ('progress' in answer) tell(answer.progress);
      else if ('done' in answer) resolve(answer.done);
      else if ('trouble' in answer) reject(troubleFrom(answer.trouble));
      else reject(new Error(answer.failure));
    });
    started.on('error', reject);
    started.once('exit', (code, killedBy) => {
      clearTimeout(killing);
      signal.removeEventListener('abort', cancel);
      reject(
        signal.aborted ? cancelled() : new Error(`the job was cut off (${killedBy ?? `exit code ${code}`})`),
      );
    });
    started.send({ job }, (error) => {
      if (error !== null) reject(error);
    });
  });
}

function troubleFrom({ code, message, next }: { code: string; message: string; next: string }): Error {
  const known = TROUBLE_CODES.find((one): one is TroubleCode => one === code);
  return known === undefined ? new Error(message) : new BenchTrouble(known, { message, next });
}

if (process.argv[1] === FILE && process.argv[2] === AS_JOB) {
  standBack();
  const cancel = new AbortController();
  const answer = (one: Answer, then?: () => void) => process.send?.(one, () => then?.());
  // the gateway is gone: the board is left with its program running, as after a cancel
  process.once('disconnect', () => {
    cancel.abort();
    setTimeout(() => process.exit(1), CANCEL_WITHIN_MS).unref();
  });
  process.on('message', (said: { job: unknown } | 'cancel') => {
    if (said === 'cancel') {
      cancel.abort();
      return;
    }
    const context: JobContext = { tell: (progress) => answer({ progress }), signal: cancel.signal };
    const end = () => process.exit(0);
    Promise.resolve()
      .then(() => runJob(readJob(said.job), context))
      .then(
        (done) => answer({ done }, end),
        (error: unknown) => {
          if (error instanceof BenchTrouble) {
            const { code, message, next } = error;
            answer({ trouble: { code, message, next } }, end);
          } else
            answer({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }, end);
        },
      );
  });
}

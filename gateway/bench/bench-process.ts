import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { JobContext, JobResult, Progress } from './job.ts';
import { BenchTrouble, cancelled, TROUBLE_CODES, type TroubleCode, type TroubleWords } from './trouble.ts';

/** What the process says of its job. */
export type BenchAnswer =
  | { progress: Progress }
  | { done: JobResult }
  | { trouble: { code: string; said: TroubleWords } }
  | { failure: string };

const FILE = fileURLToPath(new URL('./bench-child.ts', import.meta.url));
/** The libraries and two copies of the largest firmware. */
const FLAGS = [
  '--max-semi-space-size=2',
  '--max-old-space-size=192',
  '--import',
  new URL('../../scripts/require-node.mjs', import.meta.url).href,
];
/** Time to start the board's program and to close the port; then the process is ended. */
export const CANCEL_WITHIN_MS = 5_000;

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
    const started = fork(FILE, [], { execArgv: FLAGS, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    let killing: NodeJS.Timeout | undefined;
    const cancel = () => {
      started.send('cancel', () => undefined);
      killing = setTimeout(() => started.kill('SIGKILL'), CANCEL_WITHIN_MS);
    };
    signal.addEventListener('abort', cancel, { once: true });
    started.on('message', (answer: BenchAnswer) => {
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

function troubleFrom({ code, said }: { code: string; said: TroubleWords }): Error {
  const known = TROUBLE_CODES.find((one): one is TroubleCode => one === code);
  return known === undefined ? new Error(said.message.en) : new BenchTrouble(known, said);
}

import { setPriority } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { BackupTrouble } from '#adapters/backup/backup-trouble.ts';
import { doJob, type Job, type JobDone } from './backup-work.ts';

type Answer = { done: JobDone } | { trouble: string } | { failure: string };

/** Runs jobs one after the other in a thread of its own; `stop` ends the one under way. */
export function createBackupThread(): { run: (job: Job) => Promise<JobDone>; stop: () => Promise<void> } {
  let worker: Worker | null = null;
  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        const started = new Worker(new URL(import.meta.url), { workerData: job });
        worker = started;
        started.once('message', (answer: Answer) => {
          if ('done' in answer) resolve(answer.done);
          else if ('trouble' in answer) reject(new BackupTrouble(answer.trouble));
          else reject(new Error(answer.failure));
        });
        started.once('error', reject);
        started.once('exit', () => {
          worker = null;
          reject(new Error('the backup was cut off'));
        });
      }),
    async stop() {
      await worker?.terminate();
    },
  };
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort;
  // control goes first; on Linux a nice value is that of the calling thread alone, elsewhere of the whole program
  if (process.platform === 'linux') setPriority(10);
  // started by run() above, with a job
  doJob(workerData as Job).then(
    (done) => port.postMessage({ done } satisfies Answer),
    (error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      port.postMessage(
        (error instanceof BackupTrouble ? { trouble: text } : { failure: text }) satisfies Answer,
      );
    },
  );
}

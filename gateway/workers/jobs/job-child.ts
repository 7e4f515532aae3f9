import { BackupTrouble } from '#adapters/backup/backup-trouble.ts';
import { standBack } from '#adapters/system/process-pauses.ts';
import { doJob, type Job } from '#operations/backup/do-job.ts';
import type { JobAnswer } from './job-process.ts';

// Does one job of job-process.ts and ends.

standBack();
// the gateway is gone: nobody waits for this any more
process.once('disconnect', () => process.exit(1));
process.once('message', (job: Job) => {
  const tell = (answer: JobAnswer) => process.send?.(answer, () => process.exit(0));
  doJob(job, (phase) => void process.send?.({ phase } satisfies JobAnswer)).then(
    (done) => tell({ done }),
    (error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      tell(error instanceof BackupTrouble ? { trouble: text, code: error.code } : { failure: text });
    },
  );
});

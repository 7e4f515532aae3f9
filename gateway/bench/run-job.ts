import type { BenchJob, JobContext, JobResult } from './job.ts';

/**
 * Does one job at one serial port and answers what came of it. Throws BenchTrouble for what a technician can mend.
 * Libraries are loaded with the job that needs them. Nothing here knows the database: who may do what, and what the
 * gateway has to issue or wait for, is settled by whoever asks.
 */
export async function runJob(job: BenchJob, context: JobContext): Promise<JobResult> {
  switch (job.kind) {
    case 'detect':
      return (await import('./detect-board.ts')).detectBoard(job, context);
    case 'flash':
      return (await import('./flash-board.ts')).flashBoard(job, context);
    case 'verify':
      return (await import('./verify-board.ts')).verifyBoard(job, context);
    case 'erase':
      return (await import('./erase-board.ts')).eraseBoard(job, context);
    case 'backup':
      return (await import('./backup-board.ts')).backupBoard(job, context);
    case 'monitor':
      return (await import('./monitor-board.ts')).monitorBoard(job, context);
    case 'provision':
      return (await import('./provision-board.ts')).provisionBoard(job, context);
    case 'self_test':
      return (await import('./provision-self-test.ts')).selfTestBoard(job, context);
    case 'wifi_scan':
      return (await import('./provision-wifi-scan.ts')).scanFromBoard(job, context);
  }
}

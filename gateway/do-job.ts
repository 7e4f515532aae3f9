// What is done beside the main thread, so that no order waits for it. Each job knows its files and the time, nothing else.

export type Job =
  | { kind: 'backup'; data: string; databaseFile: string; folder: string; madeAt: string; maxBytes: number }
  | { kind: 'snapshot'; data: string; databaseFile: string; madeAt: string; maxBytes: number }
  | { kind: 'check'; databaseFile: string };

export type JobDone = {
  /** The file that was made; null for a check. */
  file: string | null;
  /** Bytes of that file. */
  bytes: number;
  /** Bytes written to the disk of the database, for the life of its card. */
  onCard: number;
  /** What a check found; null: nothing. */
  wrong: string | null;
};

/** Each job brings only what it needs: threads share the memory of the box with control. */
export async function doJob(job: Job): Promise<JobDone> {
  switch (job.kind) {
    case 'backup':
      return (await import('./make-backup.ts')).makeBackup(job);
    case 'snapshot':
      return (await import('./make-snapshot.ts')).makeSnapshot(job);
    case 'check': {
      const { integrityOfFile } = await import('#adapters/sql/check-database.ts');
      return { file: null, bytes: 0, onCard: 0, wrong: integrityOfFile(job.databaseFile) };
    }
  }
}

import type { BACKUP_PHASES } from '#contract/resources/system-backup.ts';

// What is done beside the main thread, so that no order waits for it. Each job knows its files and the time, nothing else.

export type Job =
  | {
      kind: 'backup';
      data: string;
      databaseFile: string;
      folder: string;
      madeAt: string;
      maxBytes: number;
      /** It stays for 30 days whatever the others do. */
      pinned?: boolean;
    }
  | { kind: 'snapshot'; data: string; databaseFile: string; madeAt: string; maxBytes: number }
  | { kind: 'check'; databaseFile: string }
  | { kind: 'prove'; data: string; backup: string; key: string; provedAt: string }
  | { kind: 'stage_restore'; data: string; databaseFile: string; backup: string; key: string; at: string };

/** How far a job is, for whoever waits for it. */
export type JobPhase = (typeof BACKUP_PHASES)[number];
export type TellPhase = (phase: JobPhase) => void;

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

const NOTHING_MADE: JobDone = { file: null, bytes: 0, onCard: 0, wrong: null };

/** Each job brings only what it needs: threads share the memory of the box with control. */
export async function doJob(job: Job, tell: TellPhase = () => undefined): Promise<JobDone> {
  switch (job.kind) {
    case 'backup':
      return (await import('./make-backup.ts')).makeBackup(job, tell);
    case 'snapshot':
      return (await import('./make-snapshot.ts')).makeSnapshot(job);
    case 'check': {
      const { integrityOfFile } = await import('#adapters/sql/check-database.ts');
      return { ...NOTHING_MADE, wrong: integrityOfFile(job.databaseFile) };
    }
    case 'prove': {
      const [{ proveKey }, { readRecoveryKey }, { noteProof }] = await Promise.all([
        import('./read-backup.ts'),
        import('#adapters/backup/recovery-key.ts'),
        import('#adapters/backup/backup-proof.ts'),
      ]);
      tell('opening');
      await proveKey(job.backup, readRecoveryKey(job.key));
      await noteProof(job.data, job.backup, job.provedAt);
      return { ...NOTHING_MADE, file: job.backup };
    }
    case 'stage_restore':
      await (await import('./stage-restore.ts')).stageRestore(job, tell);
      return NOTHING_MADE;
  }
}

import type * as z from 'zod';
import type {
  systemBackupAnswer,
  systemBackupKeyAnswer,
  systemBackupUploadAnswer,
  systemRestoreAnswer,
} from '#contract/resources/system-backup.ts';
import type { Kernel } from '#core/kernel.ts';
import type { PresentPasswordDeps } from '#features/people/present-password.ts';

export type BackupAnswer = z.infer<typeof systemBackupAnswer>;
export type RestoreAnswer = z.infer<typeof systemRestoreAnswer>;
export type NewKey = z.infer<typeof systemBackupKeyAnswer>;
export type UploadAnswer = z.infer<typeof systemBackupUploadAnswer>;
export type Work = NonNullable<BackupAnswer['work']>;

/** What a person may ask of the backups of the box; each begins something and answers at once. */
export type BackupDesk = {
  state: () => Promise<BackupAnswer>;
  /** Throws 409 while something else is under way, or where it cannot be done. */
  run: (wish: { prepare: boolean; keep: boolean }) => Promise<void>;
  newKey: (wish: { replace: boolean }) => Promise<NewKey>;
  /** Throws 422 for what cannot be a key at all. */
  prove: (key: string) => Promise<void>;
  restore: () => Promise<RestoreAnswer>;
  check: (wish: { backup: string; key: string }) => Promise<void>;
  /** The gateway starts anew with the backup that was checked, once `answered` says that the caller heard of it. */
  apply: (wish: { backup: string; by: string }) => Promise<void>;
  drop: () => Promise<void>;
};

/** Backups that people bring to the box, piece by piece. */
export type UploadDesk = {
  /** Throws 409 while somebody else is at it, 507 where the disk has no room. One's own unfinished one ends. */
  begin: (wish: { bytes: number; by: string }) => Promise<UploadAnswer>;
  /** The answer to the last piece names the file, which is on disk by then. Throws 404, 409, 413, 422, 507. */
  take: (piece: { id: string; by: string; offset: number; bytes: Uint8Array }) => Promise<UploadAnswer>;
  cancel: (which: { id: string; by: string }) => Promise<void>;
  remove: (name: string) => Promise<void>;
};

export type BackupAuditDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'>;

export type UploadRouteDeps = BackupAuditDeps & { uploads: UploadDesk };

export type BackupRouteDeps = BackupAuditDeps &
  PresentPasswordDeps & {
    desk: BackupDesk;
    account: (userId: string) => Promise<{ id: string; name: string; password_hash: string } | null>;
  };

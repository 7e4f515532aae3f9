import * as z from 'zod';
import { numberInQuery } from '../fields.ts';

// What a gateway keeps for the day its disk dies, and how it comes back.

/** Name of a backup in the configured folder, or of one that was brought by upload; never a path. */
const backupName = z
  .string()
  .max(80)
  .regex(/^(farm|uploaded)-\d{8}T\d{6}Z(-\d+)?\.backup$/, 'must be the name of a backup that is listed');
/** As it stands on the paper: any case, any spacing. */
const recoveryKeyInput = z.string().min(1).max(200);
const passwordInput = z.string().min(1).max(1_024);

export const BACKUP_PHASES = ['copying', 'writing', 'proving', 'opening', 'migrating', 'comparing'] as const;
/** What can be wrong with a backup, a key or a folder. */
export const BACKUP_TROUBLES = [
  'KEY_SHAPE',
  'KEY_TYPO',
  'KEY_WRONG',
  'DAMAGED',
  'NEWER_VERSION',
  'NO_SPACE',
  'NO_RIGHT',
  'NOT_THERE',
  'NOT_READY',
  'NO_KEY',
] as const;

const work = z.object({
  kind: z.enum(['backup', 'proof', 'check']).describe('check: a backup is made ready to come back'),
  backup: z.string().nullable().describe('The backup it is about, or the one that was made'),
  state: z.enum(['running', 'done', 'failed']),
  phase: z.enum(BACKUP_PHASES).nullable().describe('null: it waits for its turn'),
  began_at: z.string(),
  ended_at: z.string().nullable(),
  code: z.enum(BACKUP_TROUBLES).nullable().describe('Why it failed, where that is known'),
  detail: z.string().nullable().describe('The same as a sentence'),
});

const backupFile = z.object({ name: z.string(), made_at: z.string(), bytes: z.int() });

/** What a console sends at a time: the worst line of a farm carries it within the time a request may take. */
export const UPLOAD_PIECE_BYTES = 1_048_576;
/** The largest file that the sticks of the field hold (FAT32). */
export const MOST_UPLOAD_BYTES = 4 * 1024 ** 3 - 1;
/** Days a backup that was uploaded stays in the gateway. */
export const UPLOADED_KEPT_DAYS = 7;

const uploadedBackup = backupFile.extend({
  made_at: z.string().describe('As the file itself says'),
  uploaded_at: z.string().describe(`It goes ${UPLOADED_KEPT_DAYS} days later`),
  key_id: z.string().describe('Names the recovery key that opens it'),
});

/** An upload under way. */
export const systemBackupUploadAnswer = z.object({
  id: z.string(),
  bytes: z.int().describe('Size of the whole file'),
  received: z.int().describe('From here on goes the next piece'),
  piece_bytes: z.int().describe('The most a piece may hold'),
  name: z.string().nullable().describe('Once the last piece is on disk: its name in the list `uploaded`'),
});

/** GET /system/backup */
export const systemBackupAnswer = z.object({
  folder: z.string().nullable().describe('Where backups go (BACKUP_DIR); null: nowhere'),
  is_ready: z
    .boolean()
    .describe('Whether the folder is there and was made ready; false also where its stick is pulled'),
  is_other_disk: z.boolean().describe('Whether it lies on another disk than the data of the gateway'),
  every_h: z.number().describe('Hours between two backups, as they are made now'),
  next_at: z.string().nullable().describe('When the next one is due; null: none will be made'),
  backups: z
    .array(
      backupFile.extend({
        kept: z.boolean().describe('A person wanted it to stay: for 30 days, of such the newest 5'),
      }),
    )
    .describe('The newest 100, newest first'),
  uploaded: z.array(uploadedBackup).describe('Brought by upload, newest upload first'),
  uploaded_folder: z.string().describe('Where those lie'),
  upload: z
    .object({ bytes: z.int(), received: z.int() })
    .nullable()
    .describe('An upload under way; null: none'),
  key: z
    .object({ id: z.string(), made_at: z.string() })
    .nullable()
    .describe('Names the recovery key; null: none'),
  proved_at: z.string().nullable().describe('When a person last showed that the key opens a backup'),
  trouble: z.string().nullable().describe('What the last attempt failed of'),
  work: work.nullable().describe('What a person asked for last'),
});

/** POST /system/backup/run */
export const systemBackupRun = z.object({
  prepare: z
    .boolean()
    .optional()
    .describe('Make the folder ready first: whoever sends it sees that the stick is plugged in'),
  keep: z
    .boolean()
    .optional()
    .describe('It stays for 30 days whatever its age, as before something is deleted'),
});

/** POST /system/backup/upload */
export const systemBackupUpload = z.object({
  bytes: z.int().min(1).max(MOST_UPLOAD_BYTES).describe('Size of the whole file'),
});
/** PUT /system/backup/upload/{upload_id} */
export const systemBackupUploadPiece = z.object({
  offset: numberInQuery(z.number().int().min(0).max(MOST_UPLOAD_BYTES)).describe('What was received so far'),
});
/** DELETE /system/backup/uploaded/{name} */
export const uploadedName = z
  .string()
  .max(80)
  .regex(/^uploaded-\d{8}T\d{6}Z(-\d+)?\.backup$/, 'must be the name of an uploaded backup');

/** POST /system/backup/key */
export const systemBackupKey = z.object({
  password: passwordInput.describe('Of the caller'),
  replace: z.boolean().optional().describe('There is a key already: backups from now on get a new one'),
});
export const systemBackupKeyAnswer = z.object({
  recovery_key: z.string().describe('Shown only here; nobody keeps it'),
  id: z.string(),
  made_at: z.string(),
});

/** POST /system/backup/proof */
export const systemBackupProof = z.object({ recovery_key: recoveryKeyInput });

/** What a person asks after when data is to come back. */
export const RESTORE_COUNTED = [
  'farms',
  'ponds',
  'batches',
  'control_points',
  'schedules',
  'users',
  'measurements',
  'feeding_records',
  'biometries',
  'expenses',
  'farm_records',
  'feed_stock',
  'harvest_lots',
  'tasks',
  'task_marks',
  'photos',
] as const;

export const restoreCounted = z.object({
  what: z.enum(RESTORE_COUNTED),
  now: z.int().describe('Here now'),
  backup: z.int().describe('In the backup'),
  lost: z.int().describe('Only here: put aside with everything'),
  back: z.int().describe('Only in the backup: come back'),
  differ: z.int().describe('In both, and not alike'),
});

/** GET /system/restore */
export const systemRestoreAnswer = z.object({
  state: z
    .enum(['none', 'checked', 'armed', 'placing', 'placed', 'returning', 'done', 'failed'])
    .describe(
      'checked: a backup lies ready, for an hour; placed: it runs and has to prove itself; failed: all is as it was before',
    ),
  checked: z
    .object({
      backup: z.string(),
      made_at: z.string(),
      checked_at: z.string(),
      newest_at: z.string().nullable().describe('When its last entry was made'),
      farm_names: z.array(z.string()).describe('At most 50'),
      counts: z.array(restoreCounted),
    })
    .nullable()
    .describe('What the backup holds and what would change'),
  aside: z.string().nullable().describe('Folder with what was there before'),
  ended_at: z.string().nullable(),
  detail: z.string().nullable(),
  can_apply: z.boolean().describe('Whether this gateway would be started anew by its system'),
});

/** POST /system/restore/check */
export const systemRestoreCheck = z.object({
  backup: backupName,
  recovery_key: recoveryKeyInput,
  password: passwordInput.describe('Of the caller'),
});

/** POST /system/restore/apply */
export const systemRestoreApply = z.object({
  backup: backupName.describe('The one that was checked'),
  password: passwordInput.describe('Of the caller'),
});

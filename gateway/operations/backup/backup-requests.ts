import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isPrepared, listBackups, prepareFolder } from '#adapters/backup/backup-folder.ts';
import { lastProof } from '#adapters/backup/backup-proof.ts';
import { BackupTrouble } from '#adapters/backup/backup-trouble.ts';
import {
  hasKeyFile,
  newRecoveryKey,
  readKeyFile,
  readRecoveryKey,
  writeKeyFile,
} from '#adapters/backup/recovery-key.ts';
import { createUploads } from '#adapters/backup/uploaded-backups.ts';
import type { Database } from '#adapters/sql/database.ts';
import { accountDataQueries } from '#adapters/sql/queries/people/account-data.ts';
import { updateFactsOf } from '#adapters/sql/update-facts.ts';
import { UPLOAD_PIECE_BYTES, UPLOADED_KEPT_DAYS } from '#contract/resources/system-backup.ts';
import { conflict, invalidField, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { TellChanged } from '#core/tell-changed.ts';
import type { PresentPasswordDeps } from '#features/people/present-password.ts';
import type { BackupDesk, Work } from '#features/system/backup/ports.ts';
import { backupRoutes } from '#features/system/backup/routes.ts';
import { backupUploadRoutes } from '#features/system/backup/upload-routes.ts';
import type { TellPhase } from '#operations/backup/do-job.ts';
import {
  confirmRestore,
  dropPlan,
  isOrphaned,
  readPlan,
  writePlan,
} from '#operations/boot/finish-restore.ts';
import { readState } from '#operations/update/update-folder.ts';
import { type Config, databaseFile } from '#runtime/config.ts';
import type { BackupKeeper, RunJob } from './keep-backups.ts';

const SHOWN = 100;
/** A backup that was checked lies open beside the database: not for longer than a person is at it. */
const CHECKED_MS = 3_600_000;
/** What came back has to run so long before it counts. */
const PROVED_AFTER_MS = 30_000;
/** The caller hears that it begins before the connection ends. */
const ANSWERED_MS = 500;

export type BackupDeskDeps = PresentPasswordDeps & {
  config: Config;
  kernel: Kernel;
  monotonic: () => number;
  database: Pick<Database, 'read' | 'readLong'>;
  backup: BackupKeeper;
  tellChanged: TellChanged;
  /** Ends this process in order; the system starts it anew. null: nobody would. */
  restart: (() => void) | null;
};

/** What people ask of the backups of the box, in the console: one thing at a time, each in a process beside control. */
export function createBackupRequests(deps: BackupDeskDeps) {
  const { config, kernel, monotonic, database, backup, restart } = deps;
  const file = databaseFile(config);
  const begunAt = monotonic();
  const at = {
    run: null as RunJob | null,
    work: null as Work | null,
    isRestarting: false,
    mark: backup.mark(),
  };
  const changed = () => deps.tellChanged('backup', 'everybody');
  const uploads = createUploads({
    ...kernel,
    folder: join(config.data, 'uploaded'),
    monotonic,
    pieceBytes: UPLOAD_PIECE_BYTES,
    keptDays: UPLOADED_KEPT_DAYS,
    changed,
  });
  uploads.clear().catch((error: unknown) => {
    kernel.log.warn({ err: error }, 'what was left of an upload of a backup could not be removed');
  });

  function folderOf(): string {
    if (config.backupDir === null)
      throw conflict('No folder for backups is given to this gateway (BACKUP_DIR)', 'NO_BACKUP_FOLDER');
    return config.backupDir;
  }

  /** Begins it and answers at once. */
  function begin(
    kind: Work['kind'],
    about: string | null,
    doIt: (run: RunJob, tell: TellPhase) => Promise<string | null>,
  ) {
    const { run } = at;
    if (run === null) throw conflict('The gateway is just starting; try again in a moment', 'NOT_OPEN_YET');
    if (at.work?.state === 'running' || at.isRestarting)
      throw conflict('Something else is under way; wait for it', 'ALREADY_RUNNING');
    const work: Work = {
      kind,
      backup: about,
      state: 'running',
      phase: null,
      began_at: isoOf(kernel.now()),
      ended_at: null,
      code: null,
      detail: null,
    };
    at.work = work;
    const note = (next: Partial<Work>) => {
      Object.assign(work, next);
      changed();
    };
    doIt(run, (phase) => note({ phase })).then(
      (made) => note({ state: 'done', backup: made ?? work.backup, ended_at: isoOf(kernel.now()) }),
      (error: unknown) => {
        const detail = error instanceof Error ? error.message : String(error);
        const code = error instanceof BackupTrouble ? error.code : null;
        if (!(error instanceof BackupTrouble))
          kernel.log.error({ err: error, kind }, 'a wish about backups failed');
        note({ state: 'failed', code, detail, ended_at: isoOf(kernel.now()) });
      },
    );
    changed();
  }

  const desk: BackupDesk = {
    async state() {
      const folder = config.backupDir;
      const [found, uploaded, provedAt, key] = await Promise.all([
        folder === null ? [] : listBackups(folder).catch(() => []),
        uploads.list().catch(() => []),
        lastProof(config.data),
        readKeyFile(config.data).catch(() => null),
      ]);
      const isReady = folder !== null && isPrepared(folder);
      const stand = backup.stand();
      return {
        folder,
        is_ready: isReady,
        is_other_disk: folder !== null && (await isOtherDisk(folder, config.data)),
        every_h: backup.everyH(),
        next_at: isReady && key !== null ? isoOf(backup.nextAt(found.at(-1)?.madeAt ?? null)) : null,
        backups: found
          .slice(-SHOWN)
          .reverse()
          .map(({ name, madeAt, bytes, isPinned = false }) => ({
            name,
            made_at: isoOf(madeAt),
            bytes,
            kept: isPinned,
          })),
        uploaded,
        uploaded_folder: uploads.folder,
        upload: uploads.underWay(),
        key: key === null ? null : { id: key.key_id, made_at: key.made_at },
        proved_at: provedAt === null ? null : isoOf(provedAt),
        trouble: stand.trouble,
        work: at.work,
      };
    },
    async run({ prepare, keep }) {
      const folder = folderOf();
      if (!hasKeyFile(config.data))
        throw conflict('There is no recovery key yet: make it first, and write it down', 'NO_RECOVERY_KEY');
      begin('backup', null, async (run, tell) => {
        if (prepare) await prepareFolder(folder);
        return backup.makeNow((job) => run(job, tell), { folder, pinned: keep });
      });
    },
    async newKey({ replace }) {
      if (hasKeyFile(config.data) && !replace)
        throw conflict('There is a recovery key already', 'RECOVERY_KEY_EXISTS');
      const key = newRecoveryKey();
      const madeAt = isoOf(kernel.now());
      await writeKeyFile(config.data, key.publicKey, madeAt);
      changed();
      return { recovery_key: key.text, id: key.id, made_at: madeAt };
    },
    async prove(typed) {
      const folder = folderOf();
      requireKey(typed);
      const newest = (await listBackups(folder).catch(() => [])).at(-1);
      if (newest === undefined) throw conflict('There is no backup in the folder yet', 'NO_BACKUP');
      const provedAt = isoOf(kernel.now());
      begin('proof', newest.name, async (run, tell) => {
        await run(
          { kind: 'prove', data: config.data, backup: join(folder, newest.name), key: typed, provedAt },
          tell,
        );
        return newest.name;
      });
    },
    async restore() {
      const plan = await readPlan(config.data);
      return {
        state: plan?.state ?? 'none',
        checked:
          plan === null
            ? null
            : {
                backup: plan.backup,
                made_at: plan.made_at,
                checked_at: plan.checked_at,
                newest_at: plan.newest_at,
                farm_names: plan.farm_names,
                counts: plan.counts,
              },
        aside: plan?.aside == null ? null : join(config.data, plan.aside),
        ended_at: plan?.ended_at ?? null,
        detail: plan?.detail ?? null,
        can_apply: restart !== null,
      };
    },
    async check({ backup: name, key }) {
      requireKey(key);
      await requireRest();
      const folder = await placeOf(name);
      begin('check', name, async (run, tell) => {
        const job = { kind: 'stage_restore', data: config.data, databaseFile: file, key } as const;
        await run({ ...job, backup: join(folder, name), at: isoOf(kernel.now()) }, tell);
        return name;
      });
    },
    async apply({ backup: name, by }) {
      if (restart === null)
        throw conflict('Nobody would start this gateway anew; use the command', 'NOT_SUPERVISED');
      if (at.work?.state === 'running' || at.isRestarting)
        throw conflict('Something else is under way; wait for it', 'ALREADY_RUNNING');
      const plan = await readPlan(config.data);
      if (plan?.state !== 'checked' || plan.backup !== name)
        throw conflict('This backup does not lie ready; check it first', 'NOT_CHECKED');
      if ((await readState(config.data)).step.at !== 'rest')
        throw conflict('An update of the program is under way; wait for it', 'UPDATE_RUNNING');
      const alarms = updateFactsOf(file).oxygenAlarms;
      if (alarms.length > 0)
        throw conflict(
          'Oxygen or power is in alarm: aeration must not pause now. At the box the command restores all the same',
          'OXYGEN_ALARM',
        );
      at.isRestarting = true;
      await writePlan(config.data, { ...plan, state: 'armed', armed_at: isoOf(kernel.now()), armed_by: by });
      kernel.log.warn({ backup: name }, 'restarting into a backup');
      changed();
      void kernel.pause(ANSWERED_MS).then(restart);
    },
    async drop() {
      if (at.work?.kind === 'check' && at.work.state === 'running')
        throw conflict('It is just being opened; wait for it', 'ALREADY_RUNNING');
      await requireRest();
      await dropPlan(config.data);
      changed();
    },
  };

  /** The folder a backup lies in. */
  async function placeOf(name: string): Promise<string> {
    if (await uploads.has(name)) return uploads.folder;
    const folder = folderOf();
    const isThere = (await listBackups(folder).catch(() => [])).some((one) => one.name === name);
    if (!isThere) throw notFound('Backup');
    return folder;
  }

  /** One that is just being opened stays until that is over. */
  async function removeUploaded(name: string): Promise<void> {
    if (at.work?.state === 'running' && at.work.backup === name)
      throw conflict('It is just being opened; wait for it', 'ALREADY_RUNNING');
    await uploads.remove(name);
  }

  /** A restore on its way is left alone. */
  async function requireRest(): Promise<void> {
    const plan = await readPlan(config.data);
    if (plan !== null && !['checked', 'done', 'failed'].includes(plan.state))
      throw conflict('A restore is on its way; wait for it', 'ALREADY_RUNNING');
  }

  const { account } = accountDataQueries(database.read, database.readLong);
  return {
    routes: [
      ...backupRoutes({ ...kernel, ...deps, desk, account }),
      ...backupUploadRoutes({
        ...kernel,
        uploads: { ...uploads, remove: removeUploaded },
      }),
    ],
    /** Jobs can run from now on. */
    attach(run: RunJob): void {
      at.run = run;
    },
    /** Every minute: what came back proves itself by running; what was checked and left goes. */
    async look(isWell: () => boolean): Promise<void> {
      if (at.mark !== backup.mark()) changed();
      at.mark = backup.mark();
      await uploads.look();
      const plan = await readPlan(config.data);
      if (plan?.state === 'placed' && isWell() && monotonic() - begunAt >= PROVED_AFTER_MS) {
        const authority = await confirmRestore(config.data, kernel.now);
        kernel.log.info(
          { backup: plan.backup, authority },
          'what came back runs well and counts from now on',
        );
        changed();
      }
      const isLeft = plan?.state === 'checked' && kernel.now() - Date.parse(plan.checked_at) > CHECKED_MS;
      const isBusy = at.work?.state === 'running' || at.isRestarting;
      if ((isLeft || (plan === null && isOrphaned(config.data))) && !isBusy) {
        await dropPlan(config.data);
        changed();
      }
    },
  };
}

/** What cannot be a key is told at once, at its field. */
function requireKey(typed: string): void {
  try {
    readRecoveryKey(typed);
  } catch (error) {
    if (error instanceof BackupTrouble)
      throw invalidField(422, 'recovery_key', error.message, error.code ?? 'INVALID');
    throw error;
  }
}

async function isOtherDisk(folder: string, data: string): Promise<boolean> {
  const [one, other] = await Promise.all([stat(folder), stat(data)]).catch(() => [null, null]);
  return one !== null && other !== null && one.dev !== other.dev;
}

import { basename } from 'node:path';
import { listBackups, listByName } from '#adapters/backup/backup-folder.ts';
import { goesOverCard, hoursBetween, notePace } from '#adapters/backup/backup-pace.ts';
import { BackupTrouble, troubleFor } from '#adapters/backup/backup-trouble.ts';
import { isBackupDue, isSnapshotDue, RETRY_MS, type Tried } from '#adapters/backup/due.ts';
import { clearScratch } from '#adapters/backup/safe-files.ts';
import type { Metrics } from '#adapters/http/metrics.ts';
import type { Checks } from '#adapters/http/platform.ts';
import type { Database } from '#adapters/sql/database.ts';
import { onTables } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import type { Job, JobDone, TellPhase } from '#operations/backup/do-job.ts';
import type { BootReport } from '#operations/boot/climb.ts';
import { RUNGS } from '#operations/boot/ladder.ts';
import { CONTROL_TABLES, controlChangeOf, keepLastGood } from '#operations/boot/last-good.ts';
import { SNAPSHOT_NAME, snapshotFolder } from '#operations/boot/new-history.ts';
import { tellBoot } from '#operations/boot/tell-boot.ts';
import { type Config, databaseFile } from '#runtime/config.ts';

const HOUR = 3_600_000;
const MB = 1_000_000;
/** Of three backups that should be there, none: something is wrong that no failure told. */
const LATE_AFTER = 3;
/** A box that was off for days makes the first one within minutes of its start. */
const FIRST_WITHIN_MS = HOUR;

export type BackupDeps = {
  config: Config;
  kernel: Kernel;
  monotonic: () => number;
  database: Database;
  notify: Notify;
  boot: BootReport;
  checks: Checks;
  metrics: Metrics;
};
/** How backups and the database stand, for the doctor. */
export type BackupStand = {
  trouble: string | null;
  isOverCard: boolean;
  /** What the full check of this run found, and when; null: nothing, or not yet. */
  wrong: string | null;
  checkedAt: number | null;
  boot: Pick<BootReport, 'rung' | 'detail' | 'isMemoryOnly'> & { isWhole: boolean };
};
export type RunJob = (job: Job, tell?: TellPhase) => Promise<JobDone>;
export type BackupKeeper = ReturnType<typeof keepBackups>;

/** What a gateway on SQLite keeps for the day its disk dies: configuration, snapshots, backups; and how it started. */
export function keepBackups(deps: BackupDeps) {
  const { config, kernel, monotonic, database, notify, boot } = deps;
  const paths = { data: config.data, databaseFile: databaseFile(config) };
  const untried: Tried = { triedAt: null, failed: false };
  const state = {
    backup: untried,
    snapshot: untried,
    newestBackupAt: null as number | null,
    hasLooked: false,
    trouble: null as string | null,
    wrong: null as string | null,
    isChecked: false,
    checkedAt: null as number | null,
    hasChanged: true,
    isStopping: false,
    isOverCard: false,
    begunAt: monotonic(),
  };
  database.onRows(
    onTables(CONTROL_TABLES, (committed) => {
      if (controlChangeOf(committed) === 'config') state.hasChanged = true;
    }),
  );
  const lastGood = keepLastGood({ ...kernel, monotonic, data: config.data, database });
  tellOutside(deps, state);

  /** Answers what went wrong. */
  async function attempt(what: 'backup' | 'snapshot', run: () => Promise<JobDone>): Promise<Error | null> {
    if (state.isStopping) return null;
    const triedAt = monotonic();
    try {
      const { file, bytes, onCard } = await run();
      state[what] = { triedAt, failed: false };
      if (what === 'backup') await keepPace(onCard > 0);
      kernel.log.info({ file, bytes, onCard }, `${what} made`);
      return null;
    } catch (error) {
      if (state.isStopping) return null;
      state[what] = { triedAt, failed: true };
      const reason = error instanceof Error ? error.message : String(error);
      const more = error instanceof BackupTrouble ? {} : { err: error };
      kernel.log.error({ reason, ...more }, `a ${what} failed; it is tried again`);
      if (what === 'backup') state.trouble = reason;
      return error instanceof Error ? error : new Error(reason);
    }
  }

  /** Backups that go through the card are made once a day, also by the next run. */
  async function keepPace(isOverCard: boolean): Promise<void> {
    if (state.isOverCard === isOverCard) return;
    state.isOverCard = isOverCard;
    await notePace(config.data, isOverCard).catch((error: unknown) =>
      kernel.log.warn({ err: error }, 'the pace of backups was not noted'),
    );
  }

  async function backUp(run: RunJob): Promise<void> {
    const folder = config.backupDir;
    if (folder === null) return;
    if (!state.hasLooked) state.isOverCard = await goesOverCard(config.data);
    state.newestBackupAt = (await listBackups(folder).catch(() => [])).at(-1)?.madeAt ?? state.newestBackupAt;
    state.hasLooked = true;
    const due = { now: kernel.now(), monotonic: monotonic(), everyMs: everyHours(config, state) * HOUR };
    if (!isBackupDue({ ...due, newestAt: state.newestBackupAt, tried: state.backup })) return;
    const wrong = await makeOne(run, { folder, pinned: false });
    if (wrong !== null) return telling('a failed backup', () => tellPeople(folder, wrong));
  }

  async function makeOne(
    run: RunJob,
    { folder, pinned }: { folder: string; pinned: boolean },
  ): Promise<Error | null> {
    const madeAt = isoOf(kernel.now());
    const maxBytes = config.backupMaxMb * MB;
    const wrong = await attempt('backup', () =>
      run({ kind: 'backup', ...paths, folder, madeAt, maxBytes, pinned }),
    );
    if (wrong !== null) return wrong;
    state.trouble = null;
    state.newestBackupAt = Date.parse(madeAt);
    return null;
  }

  async function takeSnapshot(run: RunJob): Promise<void> {
    const newest = (await listByName(snapshotFolder(config.data), SNAPSHOT_NAME)).at(-1) ?? null;
    const { hasChanged } = state;
    const facts = { now: kernel.now(), monotonic: monotonic(), mbPerDay: config.snapshotMbPerDay };
    if (!isSnapshotDue({ ...facts, hasChanged, newest, tried: state.snapshot })) return;
    state.hasChanged = false;
    const maxBytes = 3 * config.snapshotMbPerDay * MB;
    const madeAt = isoOf(kernel.now());
    const wrong = await attempt('snapshot', () => run({ kind: 'snapshot', ...paths, madeAt, maxBytes }));
    if (wrong !== null) state.hasChanged = true;
  }

  /** What cannot be told must not keep the next backup from being made. */
  async function telling(what: string, tell: () => Promise<void>): Promise<void> {
    try {
      await tell();
    } catch (error) {
      kernel.log.warn({ err: error, what }, 'people could not be notified; it is tried again');
    }
  }

  /** Once a day, whatever goes wrong how often. */
  async function tellPeople(folder: string, wrong: Error): Promise<void> {
    const day = isoOf(kernel.now()).slice(0, 10);
    const farms = await database.read.selectFrom('farms').select('id').where('hidden', '=', 0).execute();
    const changes = await Promise.all(
      farms.map(({ id }) =>
        notify(
          { farmId: id, who: 'operators' },
          {
            type: 'SYSTEM',
            title: (language) =>
              ({ 'pt-BR': 'O backup falhou', en: 'The backup failed', es: 'El respaldo falló' })[language],
            message: (language) =>
              ({
                'pt-BR': `O backup do gateway falhou: ${troubleFor('pt-BR', wrong, folder)}. Veja se o pendrive está conectado e tem espaço.`,
                en: `The backup of the gateway failed: ${wrong.message}. Look whether the stick is plugged in and has room.`,
                es: `El respaldo del gateway falló: ${troubleFor('es', wrong, folder)}. Vea si la memoria USB está conectada y tiene espacio.`,
              })[language],
            data: { event: 'backup_failed', folder },
            cause: `backup_failed:${day}:${id}`,
          },
        ),
      ),
    );
    if (changes.flat().length > 0) await kernel.commit({ changes: changes.flat(), actor: null });
  }

  /** The rest of the database, which the start did not wait for. */
  async function checkWhole(run: RunJob): Promise<void> {
    if (state.isChecked || state.isStopping) return;
    state.isChecked = true;
    const answer = await run({ kind: 'check', databaseFile: paths.databaseFile }).catch((error: unknown) => {
      if (!state.isStopping) throw error;
      return null;
    });
    if (answer === null) return;
    const { wrong } = answer;
    state.wrong = wrong;
    state.checkedAt = kernel.now();
    if (wrong === null) kernel.log.info({}, 'the whole database was checked and is sound');
    else
      kernel.log.error(
        { wrong },
        'the database is damaged outside the tables of control; control goes on, restore a backup soon',
      );
  }

  const isOnDisk = !boot.isMemoryOnly;
  return {
    lastGood,
    stand: (): BackupStand => ({
      trouble: state.trouble,
      isOverCard: state.isOverCard,
      wrong: state.wrong,
      checkedAt: state.checkedAt,
      boot: {
        rung: boot.rung,
        isWhole: RUNGS.indexOf(boot.rung) <= RUNGS.indexOf('wal'),
        isMemoryOnly: boot.isMemoryOnly,
        detail: boot.detail,
      },
    }),
    /** Another word when a backup was made or failed. */
    mark: () => `${state.newestBackupAt} ${state.trouble}`,
    everyH: () => everyHours(config, state),
    /** When the next one is due; the clock may stand before it, as the tick looks once a minute. */
    nextAt(newestAt: number | null): number {
      const everyMs = everyHours(config, state) * HOUR;
      const { triedAt, failed } = state.backup;
      if (triedAt === null)
        return newestAt === null ? kernel.now() : Math.max(kernel.now(), newestAt + everyMs);
      const waitMs = (failed ? RETRY_MS : everyMs) - (monotonic() - triedAt);
      return kernel.now() + Math.max(0, waitMs);
    },
    /** A backup because a person wants it. Answers its name; throws what was wrong. */
    async makeNow(
      run: RunJob,
      { folder, pinned }: { folder: string; pinned: boolean },
    ): Promise<string | null> {
      const made = { file: null as string | null };
      const wrong = await makeOne(
        async (job) => {
          const done = await run(job);
          made.file = done.file;
          return done;
        },
        { folder, pinned },
      );
      if (wrong !== null) throw wrong;
      return made.file === null ? null : basename(made.file);
    },
    /** Every few seconds. */
    saveConfiguration: () => (isOnDisk ? lastGood.tick() : Promise.resolve()),
    /** Every minute. */
    async tick(run: RunJob): Promise<void> {
      if (!isOnDisk) return;
      await telling('the recovery', () => tellBoot({ ...kernel, db: database.read, notify }));
      await backUp(run);
      await takeSnapshot(run);
      await checkWhole(run);
    },
    /** Cuts off the job under way, and leaves the configuration of now behind. */
    async stop(cutOff: () => Promise<void>): Promise<void> {
      state.isStopping = true;
      await cutOff();
      // of the job that was cut off
      await clearScratch(config.data);
      if (isOnDisk) await lastGood.tick({ isLast: true });
    },
  };
}

type State = {
  newestBackupAt: number | null;
  hasLooked: boolean;
  trouble: string | null;
  wrong: string | null;
  isOverCard: boolean;
  begunAt: number;
};

const everyHours = (
  { backupEveryH }: Pick<Config, 'backupEveryH'>,
  { isOverCard }: Pick<State, 'isOverCard'>,
) => hoursBetween(backupEveryH, isOverCard);

function tellOutside({ config, kernel, monotonic, boot, checks, metrics }: BackupDeps, state: State): void {
  const ageMs = () =>
    state.newestBackupAt === null ? null : Math.max(0, kernel.now() - state.newestBackupAt);
  checks.add('boot', () => {
    const rung = RUNGS.indexOf(boot.rung);
    const isWhole = rung <= RUNGS.indexOf('wal') && state.wrong === null;
    const damage = state.wrong === null ? '' : `; damage beside the tables of control: ${state.wrong}`;
    return { ok: isWhole, rung: boot.rung, detail: `${boot.detail}${damage}` };
  });
  checks.add('backup', () => {
    if (config.backupDir === null) return { ok: true, detail: 'no backup folder is given (--backup-dir)' };
    if (!state.hasLooked) return { ok: true, detail: 'the folder is looked at within a minute' };
    const age = ageMs();
    const age_s = age === null ? null : Math.round(age / 1000);
    const shown =
      age === null ? 'there is no backup yet' : `the newest is ${Math.round(age / 60_000)} min old`;
    if (state.trouble !== null) return { ok: false, detail: `${state.trouble}; ${shown}`, age_s };
    const isFresh = monotonic() - state.begunAt < FIRST_WITHIN_MS;
    const isLate = !isFresh && age !== null && age > LATE_AFTER * everyHours(config, state) * HOUR;
    return { ok: age !== null && !isLate, detail: shown, age_s };
  });
  metrics.gauge('boot_rung', `Rung of the boot ladder this start reached: ${RUNGS.join(', ')}, from 0`, () =>
    RUNGS.indexOf(boot.rung),
  );
  metrics.gauge(
    'backup_period_seconds',
    'Time between two backups as they are made now; once a day where they go through the card',
    () => (everyHours(config, state) * HOUR) / 1000,
  );
  metrics.gauge(
    'backup_age_seconds',
    'Age of the newest backup; NaN when there is none',
    () => (ageMs() ?? Number.NaN) / 1000,
  );
}

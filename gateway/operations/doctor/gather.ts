import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isPrepared, listBackups, listByName } from '#adapters/backup/backup-folder.ts';
import { goesOverCard, hoursBetween } from '#adapters/backup/backup-pace.ts';
import { lastProof } from '#adapters/backup/backup-proof.ts';
import { updateFactsOf } from '#adapters/sql/update-facts.ts';
import { diskFacts } from '#adapters/system/disk-facts.ts';
import { machineFacts, memoryFacts } from '#adapters/system/machine-facts.ts';
import type {
  BackupFacts,
  DoctorFacts,
  LogFacts,
  Section,
  UpdateFacts,
} from '#features/system/doctor/ports.ts';
import { type Config, databaseFile } from '#runtime/config.ts';
import { SNAPSHOT_NAME, snapshotFolder } from '../boot/new-history.ts';
import { readState, updateFolder } from '../update/update-folder.ts';
import { serialFacts } from './serial-ports.ts';

type Step = Awaited<ReturnType<typeof readState>>['step'];

type About = Pick<DoctorFacts, 'now' | 'role' | 'version'>;

/** One question for each section; a section without one is not known here. */
export type Questions = { [Name in Section]?: () => Promise<DoctorFacts[Name]> | DoctorFacts[Name] };

type Ask = () => unknown;

const NOTHING: Pick<DoctorFacts, Section> = {
  run: null,
  clock: null,
  disk: null,
  memory: null,
  database: null,
  certificates: null,
  ports: null,
  broker: null,
  controllers: null,
  backup: null,
  versions: null,
  update: null,
  eventLoop: null,
  machine: null,
  logs: null,
  sync: null,
  serialPorts: null,
  probes: null,
  modem: null,
  cloud: null,
  sntp: null,
};

/** Asks all questions. One that fails, or takes too long, leaves its section unknown, and the others stand. */
export async function gather(about: About, questions: Questions, withinMs = 8_000): Promise<DoctorFacts> {
  const unknown: DoctorFacts['unknown'] = [];
  const answered = await Promise.all(
    // one question for each section, by its name
    (Object.entries(questions) as [Section, Ask][]).map(async ([section, ask]) => {
      try {
        return [section, await inTime(ask, withinMs)] as const;
      } catch (error) {
        unknown.push({ section, reason: error instanceof Error ? error.message : String(error) });
        return [section, null] as const;
      }
    }),
  );
  // each question answers its own section
  const found = Object.fromEntries(answered) as Partial<Pick<DoctorFacts, Section>>;
  return { ...NOTHING, ...found, ...about, unknown };
}

async function inTime(ask: Ask, withinMs: number): Promise<unknown> {
  const { promise: enough, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${withinMs / 1000} s`)), withinMs);
  try {
    return await Promise.race([ask(), enough]);
  } finally {
    clearTimeout(timer);
  }
}

/** What is asked the same way of a running program and of a stopped one. `root`: of the machine. */
export function machineQuestions(
  config: Pick<Config, 'data' | 'role' | 'databaseUrl'>,
  running: { writes: 'ok' | 'low' | 'full'; residentBytes: number } | null,
  root = '/',
) {
  return {
    disk: async () => ({ ...(await diskFacts(config.data, root)), writes: running?.writes ?? null }),
    memory: async () => ({ ...(await memoryFacts(root)), residentBytes: running?.residentBytes ?? null }),
    machine: () => machineFacts(root),
    update: () => updateFacts(config),
    serialPorts: () => (config.role === 'gateway' ? serialFacts(root) : null),
  } satisfies Questions;
}

/** Backups as they lie in their folder, made until some time; null for an instance that makes none. */
export async function backupFacts(
  config: Pick<Config, 'role' | 'data' | 'backupDir' | 'backupEveryH' | 'databaseUrl'>,
  { trouble, isOverCard, until }: { trouble: string | null; isOverCard: boolean; until: number | null },
): Promise<BackupFacts | null> {
  if (config.role !== 'gateway' || config.databaseUrl !== null) return null;
  const folder = config.backupDir;
  const found = folder === null ? [] : await listBackups(folder);
  return {
    folder,
    isReady: folder !== null && isPrepared(folder),
    everyH: hoursBetween(config.backupEveryH, isOverCard || (await goesOverCard(config.data))),
    until,
    newestAt: found.at(-1)?.madeAt ?? null,
    trouble,
    provedAt: await lastProof(config.data),
  };
}

/** The files of an SQLite database, and the newest snapshot beside it. */
export async function databaseFiles(data: string, databaseFile: string) {
  const sizeOf = async (file: string) => (await stat(file).catch(() => null))?.size ?? null;
  return {
    bytes: await sizeOf(databaseFile),
    walBytes: await sizeOf(`${databaseFile}-wal`),
    snapshotAt: (await listByName(snapshotFolder(data), SNAPSHOT_NAME)).at(-1)?.madeAt ?? null,
  };
}

/** Where the standard output of this process goes. */
export function logFacts(
  environment: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean,
): LogFacts {
  if (environment['JOURNAL_STREAM'] !== undefined && environment['JOURNAL_STREAM'] !== '')
    return { to: 'journal' };
  return { to: isTerminal ? 'terminal' : 'file' };
}

/** Where this machine asks its own ports. */
export const hostToAsk = ({ host }: Pick<Config, 'host'>): string =>
  ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;

/** What is still on its way has no version yet. */
function factsOf(step: Step): Pick<UpdateFacts, 'step' | 'version'> {
  if (step.at === 'rest') return { step: 'rest', version: '' };
  return step.at === 'fetching' ? { step: 'staging', version: '' } : { step: step.at, version: step.version };
}

/** How far an update of the program is, by its own notes; null for an instance that does not update itself. */
async function updateFacts(
  config: Pick<Config, 'role' | 'data' | 'databaseUrl'>,
): Promise<UpdateFacts | null> {
  if (config.role !== 'gateway' || config.databaseUrl !== null) return null;
  const { step, last } = await readState(config.data);
  const noted = await stat(join(updateFolder(config.data), 'state.json')).catch(() => null);
  return {
    ...factsOf(step),
    since: noted === null ? null : noted.mtimeMs,
    waitsFor: step.at === 'staged' ? updateFactsOf(databaseFile(config)).oxygenAlarms : [],
    last: last === null ? null : { ...last, at: Date.parse(last.at) },
  };
}

import { existsSync, statSync } from 'node:fs';
import { integrityOfFile, quickTroubleOf } from '#adapters/sql/check-database.ts';
import type { Db } from '#adapters/sql/database.ts';
import { dueSqliteMigrations, SchemaRefused } from '#adapters/sql/migrate.ts';
import { openForReading } from '#adapters/sql/open-for-reading.ts';
import { connectPostgres, openPostgres } from '#adapters/sql/open-postgres.ts';
import type { SqliteConnection } from '#adapters/sql/open-sqlite.ts';
import { lastRun } from '#adapters/sql/queries/control/last-run.ts';
import { doctorQueries } from '#adapters/sql/queries/system/doctor.ts';
import { cloudPath } from '#adapters/system/cloud-path.ts';
import { clockEvidence } from '#adapters/system/disciplined-clock.ts';
import { clockOffset, programVersion } from '#adapters/system/machine-facts.ts';
import { isAnswering, ownerOfPort } from '#adapters/system/port-owner.ts';
import { certificateMaker } from '#adapters/tls/make-certificate.ts';
import { trustFiles } from '#adapters/tls/trust-files.ts';
import {
  type DoctorFacts,
  PORT_NAMES,
  type PortFacts,
  type RunFacts,
} from '#features/system/doctor/ports.ts';
import { type Config, databaseFile } from '#runtime/config.ts';
import { sqliteMigrations } from '#runtime/open-database.ts';
import { backupFacts, databaseFiles, gather, hostToAsk, machineQuestions } from './gather.ts';

/** A database looked at from outside; `connection` of SQLite. */
export type Looked = {
  db: Db;
  dialect: 'sqlite' | 'postgres';
  connection: SqliteConnection | null;
  close: () => Promise<void>;
};

/**
 * Opens the database for a look. Nothing is changed. Throws when there is none or it cannot be read.
 */
export async function lookAt(config: Config): Promise<Looked> {
  if (config.databaseUrl !== null) {
    const pool = connectPostgres(config.databaseUrl, 2);
    const stamping = {
      streams: 'by scope' as const,
      now: Date.now,
      monotonic: Date.now,
      bootId: '',
      node: '',
    };
    const { read } = openPostgres(pool, stamping, () => undefined);
    return { db: read, dialect: 'postgres', connection: null, close: () => pool.end() };
  }
  const file = databaseFile(config);
  if (!existsSync(file)) throw new Error(`there is no database in ${config.data}`);
  const { db, connection } = asOwnerOf(config.data, () => openForReading(file));
  return {
    db,
    dialect: 'sqlite',
    connection,
    close: async () => void asOwnerOf(config.data, () => connection.close()),
  };
}

/** Files that a look makes beside the database belong to its owner: else the gateway could not open it any more. */
function asOwnerOf<Answer>(folder: string, act: () => Answer): Answer {
  const owner = statSync(folder).uid;
  if (process.geteuid?.() !== 0 || owner === 0 || process.seteuid === undefined) return act();
  process.seteuid(owner);
  try {
    return act();
  } finally {
    process.seteuid(0);
  }
}

/** What can be known of a program that does not answer: its files and its machine. `looked` null: nobody may look now. */
export async function factsFromOutside(
  config: Config,
  {
    run,
    now,
    looked,
    isDeep,
  }: { run: RunFacts; now: number; looked: Looked | Error | null; isDeep: boolean },
): Promise<DoctorFacts> {
  const isOpen = looked !== null && !(looked instanceof Error);
  const queries = isOpen ? doctorQueries(looked.db, looked.dialect) : null;
  const lastGoodTime = async () => (isOpen ? (await lastRun(looked.db)).goodTime : null);
  return gather(
    { now, role: config.role, version: programVersion() },
    {
      ...machineQuestions(config, null),
      run: () => run,
      clock: async () => ({
        isTrusted: null,
        reason: null,
        correctionMs: 0,
        offsetMs: await clockOffset(),
        ...(await clockEvidence()),
        lastGoodAt: await lastGoodTime(),
      }),
      database: () => (looked === null ? null : databaseFacts(config, looked, { isDeep, now })),
      certificates: () => certificateFacts(config),
      // they open at the end of a start
      ports: () =>
        run.state === 'starting' ? null : portFacts(config, { isHanging: run.state === 'silent' }),
      cloud: () => (config.hostedUrl === null ? null : cloudPath(config.hostedUrl)),
      controllers: async () => (config.role === 'gateway' ? ((await queries?.controllers()) ?? null) : null),
      backup: async () =>
        backupFacts(config, {
          trouble: null,
          isOverCard: false,
          // a start that is under way knows nothing of the end of the run before it
          until: run.state === 'silent' ? now : (run.stoppedAt ?? (await lastGoodTime())),
        }),
      versions: async () => ({
        program: programVersion(),
        node: process.version,
        platform: `${process.platform} ${process.arch}`,
        engine: (await queries?.engineVersion()) ?? null,
        ...schemaFacts(looked),
      }),
    },
    isDeep ? 15 * 60_000 : undefined,
  );
}

async function databaseFacts(
  config: Config,
  looked: Looked | Error,
  { isDeep, now }: { isDeep: boolean; now: number },
): Promise<DoctorFacts['database']> {
  const engine = config.databaseUrl === null ? 'sqlite' : 'postgres';
  const none = {
    engine,
    walBytes: null,
    wrong: null,
    checkedAt: null,
    snapshotAt: null,
    pondsToSum: null,
    boot: null,
  } as const;
  if (looked instanceof Error) return { ...none, bytes: null, trouble: looked.message };
  const queries = doctorQueries(looked.db, engine);
  const pondsToSum = await queries.pondsToSum();
  if (looked.connection === null) return { ...none, bytes: await queries.bytes(), trouble: null, pondsToSum };
  const wrong = isDeep ? integrityOfFile(databaseFile(config)) : quickTroubleOf(looked.connection);
  const files = await databaseFiles(config.data, databaseFile(config));
  return { ...none, ...files, trouble: null, wrong, checkedAt: isDeep ? now : null, pondsToSum };
}

function schemaFacts(looked: Looked | Error | null): { schemaDue: string[]; schemaTrouble: string | null } {
  if (looked === null || looked instanceof Error || looked.connection === null)
    return { schemaDue: [], schemaTrouble: null };
  try {
    const due = dueSqliteMigrations(looked.connection, sqliteMigrations());
    return { schemaDue: due.map(({ name }) => name), schemaTrouble: null };
  } catch (error) {
    if (error instanceof SchemaRefused) return { schemaDue: [], schemaTrouble: error.message };
    throw error;
  }
}

async function certificateFacts(config: Config): Promise<DoctorFacts['certificates']> {
  if (config.role !== 'gateway' || (config.httpsPort === null && config.mqttsPort === null)) return null;
  const noWriting = async () => {
    throw new Error('a look writes nothing');
  };
  const store = trustFiles({ writeWhole: noWriting, maker: certificateMaker }, config.data);
  const [state, server] = [await store.readState(), await store.readServer()];
  const { facts } = certificateMaker;
  const present = state.is === 'whole' ? facts(state.kept.present.certificate) : null;
  return {
    serverEndsAt: server.is === 'whole' ? facts(server.kept.certificate).notAfter : null,
    authorityEndsAt: present?.notAfter ?? null,
    isAuthorityLimited: present?.isLimited ?? null,
    authorityTrouble: state.is === 'damaged' ? state.detail : null,
    serverTrouble: server.is === 'damaged' ? server.detail : null,
  };
}

/** The ports of a program that hangs are its own, whether they still answer or not. */
async function portFacts(config: Config, { isHanging }: { isHanging: boolean }): Promise<PortFacts[]> {
  const { httpPort: http, httpsPort: https, mqttPort: mqtt, mqttsPort: mqtts } = config;
  const wanted = { http, https, mqtt, mqtts };
  const known = config.role === 'gateway' ? PORT_NAMES : (['http'] as const);
  const found = await Promise.all(
    known.map(async (name): Promise<PortFacts | null> => {
      const port = wanted[name];
      if (port === null || port === 0) return null;
      const answers = await isAnswering(port, hostToAsk(config));
      if (isHanging) return { name, port, state: answers ? 'ours' : 'closed', by: null };
      if (!answers) return { name, port, state: 'free', by: null };
      return { name, port, state: 'taken', by: await ownerOfPort(port) };
    }),
  );
  return found.filter((port) => port !== null);
}

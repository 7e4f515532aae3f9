import '../scripts/require-node.mjs';
import { flushCompileCache } from 'node:module';
import { uptime } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { BackupTrouble } from '#adapters/backup/backup-trouble.ts';
import { createJsonLog, createRecentLines } from '#adapters/log/json-log.ts';
import { SchemaRefused } from '#adapters/sql/migrate.ts';
import { clockEvidence, isToBeAsked } from '#adapters/system/disciplined-clock.ts';
import { closeFolder, makePrivateFiles } from '#adapters/system/private-folder.ts';
import { watchPauses } from '#adapters/system/process-pauses.ts';
import { supervisorLink } from '#adapters/system/tell-supervisor.ts';
import { lanAddresses, serve } from '#app/serve.ts';
import { runAdmin } from '#cli/admin/admin.ts';
import { runBackup } from '#cli/backup.ts';
import { runDoctor } from '#cli/doctor.ts';
import { runPair } from '#cli/pair.ts';
import { runRestore } from '#cli/restore.ts';
import { runUpdate } from '#cli/update.ts';
import type { ClockEvidence } from '#core/clock-trust.ts';
import { DatabaseHeld } from '#operations/boot/new-history.ts';
import { proveTrial, reportAlive } from '#operations/staging/vital-signs.ts';
import { readState } from '#operations/update/update-folder.ts';
import { type Config, helpText, readConfig, UsageError } from '#runtime/config.ts';

/** Compiled code is stored when the start is over; the box may lose its power before it ever stops in order. */
const STORE_CODE_AFTER_MS = 20_000;
/** Linux tells hundredths of a second, Windows its ticks. */
const UPTIME_GRAIN_MS = 20;
const EVIDENCE_EVERY_MS = 20_000;
/** A stop that takes longer is cut off: a supervisor would kill us anyway, and nothing acknowledged is lost. */
const STOP_WITHIN_MS = 5_000;

async function main(args: readonly string[]): Promise<void> {
  makePrivateFiles();
  const [command, ...rest] = args;
  if (command === 'admin') {
    const print = (line: string) => void process.stdout.write(`${line}\n`);
    const warn = (line: string) => void process.stderr.write(`${line}\n`);
    process.exitCode = await runAdmin(rest, process.env, print, { warn });
    return;
  }
  if (command === 'pair') {
    process.exitCode = await runPair(rest, {
      environment: process.env,
      print: (line) => void process.stdout.write(`${line}\n`),
      pause: (ms) => pause(ms),
      monotonic: () => performance.now(),
    });
    return;
  }
  if (command === 'backup' || command === 'restore') {
    const run = command === 'backup' ? runBackup : runRestore;
    const print = (line: string) => void process.stdout.write(`${line}\n`);
    process.exitCode = await run(rest, { environment: process.env, print, input: process.stdin }, Date.now);
    return;
  }
  if (command === 'update') {
    const print = (line: string) => void process.stdout.write(`${line}\n`);
    process.exitCode = await runUpdate(rest, { environment: process.env, print }, Date.now);
    return;
  }
  if (command === 'doctor') {
    const print = (line: string) => void process.stdout.write(`${line}\n`);
    process.exitCode = await runDoctor(rest, { environment: process.env, print }, Date.now);
    return;
  }
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(helpText());
    return;
  }
  await runServer(readConfig(args, process.env));
}

async function runServer(config: Config): Promise<void> {
  const isOnTrial = process.env['ON_TRIAL'] === '1';
  const recent = createRecentLines();
  const log = createJsonLog(config.logLevel, recent.add);
  const leftOpen = closeFolder(config.data);
  if (leftOpen.length > 0)
    log.warn(
      { paths: leftOpen.slice(0, 10), count: leftOpen.length },
      'files of the data folder stay open to others',
    );
  const noting = { fault: (_error: unknown): void => undefined };
  const pauses = watchPauses({
    monotonic: () => performance.now(),
    uptimeMs: () => uptime() * 1000,
    // macOS tells whole seconds
    ...(process.platform === 'darwin' ? {} : { uptimeGrainMs: UPTIME_GRAIN_MS }),
    log,
  });
  const askClock = async (): Promise<ClockEvidence> => {
    const askedAt = pauses.monotonic();
    return { ...(await clockEvidence()), askedAt };
  };
  let evidence = await askClock();
  const askClockAgain = async () => {
    evidence = await askClock();
  };
  const lookAgain = () => {
    if (isToBeAsked(evidence, pauses.monotonic())) void askClockAgain();
  };
  setInterval(lookAgain, EVIDENCE_EVERY_MS).unref();
  process.on('uncaughtException', (error) => {
    // state may be broken: a supervisor starts us anew, and control resumes from the database
    log.error({ err: error }, 'stopped by a fault of ours');
    noting.fault(error);
    process.exit(1);
  });
  const running = await serve(config, {
    wallClock: Date.now,
    stampsBy: 'database',
    monotonic: pauses.monotonic,
    random: Math.random,
    pauses,
    pause: (ms) => pause(ms),
    log,
    recentLines: recent.all,
    clockEvidence: () => evidence,
    askClockAgain,
    restart: () => void process.kill(process.pid, 'SIGTERM'),
    // systemd, whose unit starts it again however it ended; a program that is tried belongs to its launcher
    isSupervised: (process.env['NOTIFY_SOCKET'] ?? '') !== '' && !isOnTrial,
    ...(isOnTrial ? { onMigrating: tellMigrating } : {}),
  });
  noting.fault = running.fault;
  setTimeout(flushCompileCache, STORE_CODE_AFTER_MS).unref();
  let isStopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    running.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'could not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  log.info(
    {
      http: running.http,
      mqtt: running.mqtt,
      https: running.https,
      mqtts: running.mqtts,
      lan: lanAddresses(),
      role: config.role,
      data: config.data,
    },
    'ready',
  );
  const monotonic = () => performance.now();
  const tellSupervisor = supervisorLink(process.env, (error) =>
    log.warn({ err: error }, 'systemd could not be told that this process lives'),
  );
  if (tellSupervisor !== null) reportAlive(running, tellSupervisor, monotonic);
  if (!isOnTrial) return;
  const { farm } = await readState(config.data);
  proveTrial(running, farm, monotonic, (word) => void process.send?.(word));
  // who tries this version is gone; two that run would fight for the ports
  process.once('disconnect', () => stop('SIGTERM'));
}

/** Whoever tries this version waits for the schema, and hears nothing meanwhile. */
function tellMigrating(isMigrating: boolean): void {
  const missing = isMigrating ? 'it brings the schema of the database forward' : 'it does not serve yet';
  process.send?.({ isMigrating, missing });
}

/** One sentence for what a person can mend; anything else is a bug and shows its trace. */
function tell(error: unknown): void {
  const isExpected =
    error instanceof UsageError ||
    error instanceof SchemaRefused ||
    error instanceof BackupTrouble ||
    error instanceof DatabaseHeld;
  const { code, port, path } = error as NodeJS.ErrnoException & { port?: number };
  const sentence = isExpected
    ? error.message
    : code === 'EADDRINUSE'
      ? `port ${port} is taken; choose another with --http-port or --mqtt-port`
      : code === 'EACCES' || code === 'EROFS' || code === 'ENOTDIR'
        ? `no access to ${path ?? `port ${port}`}; choose another folder with --data or another port`
        : null;
  if (sentence === null) throw error;
  process.stderr.write(`${sentence}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

await main(process.argv.slice(2)).catch(tell);

import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { newestBackup, prepareFolder } from '#adapters/backup/backup-folder.ts';
import { noteProof } from '#adapters/backup/backup-proof.ts';
import { BackupTrouble } from '#adapters/backup/backup-trouble.ts';
import {
  ageIdentity,
  hasKeyFile,
  newRecoveryKey,
  readRecoveryKey,
  writeKeyFile,
} from '#adapters/backup/recovery-key.ts';
import { called, usage } from '#contract/commands.ts';
import { makeBackup } from '#operations/backup/make-backup.ts';
import { proveKey } from '#operations/backup/read-backup.ts';
import { databaseFile, readConfig, UsageError } from '#runtime/config.ts';

/** What the backup and restore commands ask of the outside. */
export type Ask = {
  environment: Readonly<Record<string, string | undefined>>;
  print: (line: string) => void;
  input: Input;
};

/** The recovery key from RECOVERY_KEY or the first line of the input. */
export async function askKey({ environment, print, input }: Ask): Promise<string> {
  const given = environment['RECOVERY_KEY'];
  if (given !== undefined && given !== '') return given;
  if (input.isTTY) print('Recovery key:');
  const typed = await readPassword(() => undefined, input);
  if (typed === null || typed.trim() === '')
    throw new UsageError('Say the recovery key: in RECOVERY_KEY or as the first line of the input');
  return typed;
}

/** One sentence for whatever kept a command from its work. Answers the exit code. */
export async function tellOutcome(print: (line: string) => void, run: () => Promise<void>): Promise<number> {
  try {
    await run();
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      print(error.message);
      return 2;
    }
    if (!(error instanceof BackupTrouble)) throw error;
    print(error.message);
    return 1;
  }
}

const HELP = `${usage('backup [options]', 'works while the gateway runs')}

  --to FOLDER      make the folder ready and write an encrypted backup there now (BACKUP_DIR)
  --new-key        make the recovery key; it is shown once. Without it the first backup makes one
  --replace        with --new-key: a new key for all backups from now on
  --age-identity   ask for the recovery key and print it as the tool age reads it, so that age, zstd and tar open a backup
  --prove-key      ask for the recovery key and say whether it opens the newest backup in the folder
  --data DIR       folder of the gateway (DATA_DIR) [./data]

The recovery key is the only way to read a backup. The gateway does not keep it: write it down, twice.
`;

/** Carries out npm run backup. Answers the exit code: 0 done, 1 not possible, 2 called wrongly. */
export function runBackup(args: readonly string[], ask: Ask, now: () => number): Promise<number> {
  return tellOutcome(ask.print, async () => {
    const values = readArguments(args);
    if (values.help) return ask.print(HELP);
    if (values['age-identity']) return ask.print(ageIdentity(readRecoveryKey(await askKey(ask))));
    const { data, to } = values;
    const config = readConfig(
      [...(data === undefined ? [] : ['--data', data]), ...(to === undefined ? [] : ['--backup-dir', to])],
      ask.environment,
    );
    const at = { ...ask, data: config.data, folder: config.backupDir, madeAt: new Date(now()).toISOString() };
    if (values['prove-key']) return prove(at);
    if (!existsSync(databaseFile(config)))
      throw new BackupTrouble(
        `there is no database in ${config.data}; say --data with the folder of the gateway`,
      );
    const isFirst = !hasKeyFile(config.data);
    if (values['new-key'] && !isFirst && !values.replace)
      throw new BackupTrouble(
        'there is a recovery key already; with --replace a new one counts for backups from now on, older ones keep theirs',
      );
    if (values['new-key'] || isFirst) await makeKey(at);
    if (at.folder === null) {
      if (values['new-key']) return;
      throw new UsageError(`Say --to with the folder of the stick; see ${called('backup --help')}`);
    }
    await prepareFolder(at.folder);
    const { file, bytes } = await makeBackup({
      kind: 'backup',
      data: config.data,
      databaseFile: databaseFile(config),
      folder: at.folder,
      madeAt: at.madeAt,
      maxBytes: config.backupMaxMb * 1_000_000,
    });
    ask.print(`Backup written: ${file} (${(bytes / 1_000_000).toFixed(1)} MB)`);
  });
}

type At = Ask & { data: string; folder: string | null; madeAt: string };

async function makeKey({ data, madeAt, print }: At): Promise<void> {
  const key = newRecoveryKey();
  await writeKeyFile(data, key.publicKey, madeAt);
  print(`Recovery key (shown only now; without it no backup can be read):\n\n  ${key.text}\n`);
  print(
    `Write it down twice and keep it away from the stick. Prove it later: ${called('backup --prove-key')}\n`,
  );
}

async function prove(at: At): Promise<void> {
  if (at.folder === null) throw new UsageError('Say --to with the folder of the backups');
  const file = await newestBackup(at.folder);
  const key = readRecoveryKey(await askKey(at));
  await proveKey(file, key);
  // a box that is being replaced has no data folder yet: the proof counts all the same
  if (existsSync(at.data)) await noteProof(at.data, file, at.madeAt).catch(() => undefined);
  at.print(`Yes: this recovery key opens ${file}, which is whole`);
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        to: { type: 'string' },
        data: { type: 'string' },
        'new-key': { type: 'boolean' },
        replace: { type: 'boolean' },
        'age-identity': { type: 'boolean' },
        'prove-key': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(
      error instanceof Error ? error.message.replace(/\. To specify.*$/s, '') : String(error),
    );
  }
}

export type Input = NodeJS.ReadableStream & { isTTY?: boolean };

/** The first line of the input, without showing what is typed; null when the input ends without one. */
export async function readPassword(print: (line: string) => void, input: Input): Promise<string | null> {
  if (input.isTTY) print('Password (not shown):');
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: unseen, terminal: input.isTTY ?? false });
  try {
    for await (const line of lines) return line;
    return null;
  } finally {
    lines.close();
  }
}

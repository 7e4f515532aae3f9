import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { withScratch } from '#adapters/backup/scratch.ts';
import { controlTroubleOf } from '#adapters/sql/check-database.ts';
import { connectSqlite } from '#adapters/sql/open-sqlite.ts';
import { takeSnapshot } from '#adapters/sql/take-snapshot.ts';
import { updateFactsOf } from '#adapters/sql/update-facts.ts';
import { programVersion } from '#adapters/system/program-version.ts';
import { standBack } from '#adapters/system/stand-back.ts';
import { usage } from '#contract/commands.ts';
import { BadOption, type Config, databaseFile, readConfig } from './config.ts';
import { makeSnapshot } from './make-snapshot.ts';
import { prepareSqlite } from './open-database.ts';
import { archOf, readPublicKeys } from './update/manifest.ts';
import { mainOf } from './update/program-folder.ts';
import { type StageDeps, stageUpdate } from './update/stage-update.ts';
import { readState } from './update/update-folder.ts';
import { UpdateRefused } from './update/update-trouble.ts';

const HELP = `${usage('update --from FILE|FOLDER|https://...', 'works while the gateway runs')}

  --from         a signed package, a folder such as a stick (its newest one is taken), or an https address
  --allow-older  take a package that is older than what runs
  --status       say how far the last update is, and change nothing
  --data DIR     folder of the gateway (DATA_DIR) [./data]

The package is checked, unpacked beside the running program and rehearsed on a copy of the database. Then the gateway
restarts into it; unless it proves itself within a minute, it goes back by itself, with all data.
`;
const REHEARSAL_MS = 10 * 60_000;
const SNAPSHOT_BYTES = 1_000_000_000;

type Tools = {
  environment: Readonly<Record<string, string | undefined>>;
  print: (line: string) => void;
};

/** Carries out npm run update. Answers the exit code: 0 done, 1 refused, 2 called wrongly. */
export async function runUpdate(args: readonly string[], tools: Tools, now: () => number): Promise<number> {
  const { print } = tools;
  try {
    const values = readArguments(args);
    if (values.rehearse !== undefined) return rehearsed(values.rehearse, now);
    if (values.help) {
      print(HELP);
      return 0;
    }
    const config = readConfig(values.data === undefined ? [] : ['--data', values.data], tools.environment);
    if (values.status) {
      print(JSON.stringify(await readState(config.data), null, 2));
      return 0;
    }
    if (values.from === undefined)
      throw new BadOption('Say --from with a package, a folder or an https address');
    standBack();
    const wish = { from: values.from, allowOlder: values['allow-older'] ?? false };
    const { version } = await stageUpdate(stageDeps(config, print, now), wish);
    print(`version ${version} lies ready; the gateway restarts into it as soon as no oxygen alarm is active`);
    return 0;
  } catch (error) {
    if (!(error instanceof BadOption) && !(error instanceof UpdateRefused)) throw error;
    print(error instanceof UpdateRefused ? `${error.code}: ${error.message}` : error.message);
    return error instanceof BadOption ? 2 : 1;
  }
}

/** What carrying out an update takes on this machine. */
export function stageDeps(
  config: Pick<Config, 'role' | 'data' | 'databaseUrl' | 'updateKeys'>,
  print: (line: string) => void,
  now: () => number,
): StageDeps {
  const file = databaseFile(config);
  const bytes = async () => (existsSync(file) ? (await stat(file)).size : 0);
  return {
    data: config.data,
    keys: keysOf(config),
    arch: archOf(process.arch),
    runningVersion: programVersion(),
    now,
    print,
    databaseFacts: () => updateFactsOf(file),
    databaseBytes: bytes,
    async snapshot() {
      const madeAt = new Date(now()).toISOString();
      if (!existsSync(file)) return;
      await makeSnapshot({
        kind: 'snapshot',
        data: config.data,
        databaseFile: file,
        madeAt,
        maxBytes: SNAPSHOT_BYTES,
      });
    },
    async rehearse(program) {
      const startedAt = performance.now();
      await withScratch(config.data, await bytes(), async (scratch) => {
        const copy = `${scratch}/farm.db`;
        if (existsSync(file)) await takeSnapshot(file, copy);
        await rehearseWith(program, copy);
      });
      return Math.round(performance.now() - startedAt);
    },
  };
}

function keysOf({ role, databaseUrl, updateKeys }: Pick<Config, 'role' | 'databaseUrl' | 'updateKeys'>) {
  const isOurs = role === 'gateway' && databaseUrl === null && updateKeys !== null;
  if (!isOurs)
    throw new UpdateRefused(
      'NOT_MANAGED',
      'this program does not update itself: it was not installed as a gateway package; update it the way it was installed',
    );
  try {
    return readPublicKeys(readFileSync(updateKeys, 'utf8'));
  } catch (cause) {
    throw new UpdateRefused('NOT_MANAGED', 'this installation knows no key of updates', { cause });
  }
}

/** The program that is to come opens a copy: what it cannot do is known before anything is switched. */
async function rehearseWith(program: string, copy: string): Promise<void> {
  const guard = join(program, 'scripts', 'require-node.mjs');
  const command = [
    '--max-old-space-size=256',
    '--import',
    guard,
    mainOf(program),
    'update',
    '--rehearse',
    copy,
  ];
  try {
    await promisify(execFile)(join(program, 'bin', 'node'), command, { timeout: REHEARSAL_MS });
  } catch (cause) {
    const said = cause instanceof Error && 'stderr' in cause ? lastLineOf(String(cause.stderr)) : '';
    const ended =
      cause instanceof Error && 'code' in cause ? `it ended with ${String(cause.code)}` : 'it hung';
    const detail = said === '' ? ended : said;
    throw new UpdateRefused('REHEARSAL_FAILED', `the new version cannot use the database: ${detail}`, {
      cause,
    });
  }
}

const lastLineOf = (text: string) => text.trim().split('\n').at(-1) ?? '';

function rehearsed(copy: string, now: () => number): number {
  const connection = connectSqlite(copy);
  try {
    prepareSqlite(connection, now());
    const trouble = controlTroubleOf(connection);
    if (trouble === null) return 0;
    process.stderr.write(`${trouble}\n`);
    return 1;
  } finally {
    connection.close();
  }
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        from: { type: 'string' },
        'allow-older': { type: 'boolean' },
        status: { type: 'boolean' },
        data: { type: 'string' },
        rehearse: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new BadOption(
      error instanceof Error ? error.message.replace(/\. To specify.*$/s, '') : String(error),
    );
  }
}

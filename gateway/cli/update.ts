import { parseArgs } from 'node:util';
import { controlTroubleOf } from '#adapters/sql/check-database.ts';
import { connectSqlite } from '#adapters/sql/open-sqlite.ts';
import { schemaTroubleOf } from '#adapters/sql/update-facts.ts';
import { standBack } from '#adapters/system/process-pauses.ts';
import { usage } from '#contract/commands.ts';
import { beforePackage, rehearsedText, stageDeps } from '#operations/staging/stage-deps.ts';
import { stageUpdate } from '#operations/update/stage-update.ts';
import { REFUSED_EXIT, readState } from '#operations/update/update-folder.ts';
import { UpdateRefused } from '#operations/update/update-trouble.ts';
import { readConfig, UsageError } from '#runtime/config.ts';
import { prepareSqlite, sqliteMigrations } from '#runtime/open-database.ts';

const HELP = `${usage('update --from FILE|FOLDER|https://...|hosted', 'works while the gateway runs')}

  --from         a signed package, a folder such as a stick (its newest one is taken), an https address, or the word
                 hosted for what the hosted instance offers that this gateway is paired with
  --allow-older  take a package that is older than what runs
  --status       say how far the last update is, and change nothing
  --data DIR     folder of the gateway (DATA_DIR) [./data]

The package is checked, unpacked beside the running program and rehearsed on a copy of the database. Then the gateway
restarts into it; unless it proves itself within a minute, it goes back by itself, with all data.
`;
/** What the installation of a package stops at. */
const NOT_NOW_EXIT = 3;

type Tools = {
  environment: Readonly<Record<string, string | undefined>>;
  print: (line: string) => void;
};

/** Carries out npm run update. Answers the exit code: 0 done, 1 refused, 2 called wrongly. */
export async function runUpdate(args: readonly string[], tools: Tools, now: () => number): Promise<number> {
  const { print } = tools;
  try {
    const values = readArguments(args);
    if (values.rehearse !== undefined) return rehearsed(values.rehearse, { now, print });
    if (values.accepts !== undefined) return accepted(values.accepts);
    if (values.help) {
      print(HELP);
      return 0;
    }
    const config = readConfig(values.data === undefined ? [] : ['--data', values.data], tools.environment);
    if (values.status) {
      // what a trial is to reach again is a long list, and for the trial alone
      const { farm: _, ...state } = await readState(config.data);
      print(JSON.stringify(state, null, 2));
      return 0;
    }
    if (values['before-package']) {
      standBack();
      await beforePackage({ config, now, print }, values.force ?? false);
      return 0;
    }
    if (values.from === undefined)
      throw new UsageError('Say --from with a package, a folder, an https address or hosted');
    standBack();
    const wish = { from: values.from, allowOlder: values['allow-older'] ?? false };
    const { version } = await stageUpdate(stageDeps(config, print, now), wish);
    print(`version ${version} lies ready; the gateway restarts into it as soon as no oxygen alarm is active`);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof UpdateRefused)) throw error;
    print(error instanceof UpdateRefused ? `${error.code}: ${error.message}` : error.message);
    if (error instanceof UsageError) return 2;
    return args.includes('--before-package') ? NOT_NOW_EXIT : 1;
  }
}

type Rehearsing = { now: () => number; print: Tools['print'] };

/** Only bringing the schema forward counts: a trial does the same, and all else it does not. */
function rehearsed(copy: string, { now, print }: Rehearsing): number {
  const connection = connectSqlite(copy);
  try {
    const startedAt = performance.now();
    prepareSqlite(connection, now());
    print(rehearsedText(Math.round(performance.now() - startedAt)));
    const trouble = controlTroubleOf(connection);
    if (trouble === null) return 0;
    process.stderr.write(`${trouble}\n`);
    return 1;
  } finally {
    connection.close();
  }
}

/** Asked by the launcher before it goes back to this version. */
function accepted(file: string): number {
  const trouble = schemaTroubleOf(file, sqliteMigrations());
  if (trouble === null) return 0;
  process.stderr.write(`${trouble}\n`);
  return REFUSED_EXIT;
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
        // for the launcher, the installation of a package, and an update, not for people
        rehearse: { type: 'string' },
        accepts: { type: 'string' },
        'before-package': { type: 'boolean' },
        force: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(
      error instanceof Error ? error.message.replace(/\. To specify.*$/s, '') : String(error),
    );
  }
}

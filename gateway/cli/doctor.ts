import { writeFile } from 'node:fs/promises';
import { uptime } from 'node:os';
import { parseArgs } from 'node:util';
import { doctorQueries } from '#adapters/sql/queries/system/doctor.ts';
import { machineStart, programVersion } from '#adapters/system/machine-facts.ts';
import { atTheBox, usage } from '#contract/commands.ts';
import { type DoctorReport, doctorAnswer, type FindingSeverity } from '#contract/resources/system-doctor.ts';
import { LANGUAGES, type Language, languageOf } from '#contract/words.ts';
import { examine } from '#features/system/doctor/examine.ts';
import type { RunFacts } from '#features/system/doctor/ports.ts';
import { isUnderWay, type Run, readRun, runFileOf } from '#operations/doctor/run-file.ts';
import { factsFromOutside, type Looked, lookAt } from '#operations/doctor/stopped-gateway.ts';
import { journal, makeBundle, reportText, secretsIn } from '#operations/doctor/support-bundle.ts';
import { type Config, readConfig, UsageError } from '#runtime/config.ts';
import { options } from '#runtime/options.ts';

const HELP = `${usage('doctor [options]', 'beside a running gateway, or on a stopped one')}

  --json           the report as JSON
  --language L     pt-BR, en or es; by default that of the terminal
  --deep           of a stopped gateway: also check every page of the database (minutes)
  --bundle FILE    also write a support bundle (.tar.gz) without secrets

and the options of the gateway that it was started with, --data above all (${atTheBox('--help')}; from the source npm start -- --help).
Exit codes: 0 well, 1 not possible, 2 called wrongly, 3 see to it, 4 act now.
`;

const EXIT: Readonly<Record<FindingSeverity, number>> = { ok: 0, note: 0, warn: 3, bad: 4 };
const ANSWER_WITHIN_MS = 10_000;

export type DoctorAsk = {
  environment: Readonly<Record<string, string | undefined>>;
  print: (line: string) => void;
};

/** Carries out npm run doctor. Answers the exit code, by the worst finding. */
export async function runDoctor(args: readonly string[], ask: DoctorAsk, now: () => number): Promise<number> {
  try {
    const wish = readWish(args, ask.environment);
    if (wish.help) {
      ask.print(HELP);
      return 0;
    }
    const report = await examineNow(wish, now);
    ask.print(wish.json ? JSON.stringify(report, null, 2) : reportText(report, wish.language));
    if (wish.bundle !== null && !wish.json) ask.print(`→ ${wish.bundle}`);
    return EXIT[report.worst];
  } catch (error) {
    ask.print(error instanceof Error ? error.message : String(error));
    return error instanceof UsageError ? 2 : 1;
  }
}

type Wish = {
  config: Config;
  environment: DoctorAsk['environment'];
  json: boolean;
  help: boolean;
  isDeep: boolean;
  bundle: string | null;
  language: Language;
};

async function examineNow(
  { config, environment, isDeep, bundle }: Wish,
  now: () => number,
): Promise<DoctorReport> {
  const run = readRun(runFileOf(config));
  const running = run === null ? null : await askRunning(run, bundle);
  if (running !== null) return running;
  const at = now();
  const runFacts = await runFactsOf(run, at);
  // a look at a database that is being recovered could stand in the way of that
  const looked =
    runFacts.state === 'starting' ? null : await lookAt(config).catch((error: unknown) => asError(error));
  try {
    const facts = await factsFromOutside(config, {
      run: runFacts,
      now: at,
      looked,
      isDeep,
    });
    const report = examine(facts);
    if (bundle !== null) {
      const bytes = await bundleFromOutside({ config, environment }, report, looked);
      await writeBundle(bundle, bytes);
    }
    return report;
  } finally {
    if (looked !== null && !(looked instanceof Error)) await looked.close();
  }
}

/** The report of the program that runs; null: none answers. */
async function askRunning(run: Run, bundle: string | null): Promise<DoctorReport | null> {
  if (run.key === '') return null;
  const get = (path: string) =>
    fetch(`${run.address}${path}`, {
      headers: { authorization: `Local ${run.key}` },
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
  const answer = await get('/local/doctor').catch(() => null);
  // another program may have the port by now
  if (answer === null || !answer.ok) return null;
  const report = doctorAnswer.safeParse(await answer.json());
  if (!report.success) {
    throw new Error(
      `the running gateway is of version ${run.version}, this doctor of ${programVersion()}: restart the gateway, or use its own doctor`,
    );
  }
  if (bundle !== null) {
    const file = await get('/local/support-bundle');
    if (!file.ok) throw new Error(`the running gateway made no support bundle (${file.status})`);
    await writeBundle(bundle, Buffer.from(await file.arrayBuffer()));
  }
  return report.data;
}

async function runFactsOf(run: Run | null, now: number): Promise<RunFacts> {
  if (run === null) return { state: 'stopped', startedAt: null, stoppedAt: null, cause: null, fault: null };
  const isAlive = isUnderWay(run, await machineStart());
  const ofTheLiving = run.state === 'starting' ? 'starting' : 'silent';
  return {
    state: isAlive ? ofTheLiving : 'stopped',
    // what is looked at while it starts is how long it has been at it
    startedAt: isAlive && run.up_s !== null ? now - (uptime() - run.up_s) * 1000 : run.started_at,
    stoppedAt: run.stopped_at,
    cause: run.cause,
    fault: run.fault ?? run.fault_before,
  };
}

async function bundleFromOutside(
  { config, environment }: Pick<Wish, 'config' | 'environment'>,
  report: DoctorReport,
  looked: Looked | Error | null,
): Promise<Buffer> {
  const queries =
    looked === null || looked instanceof Error ? null : doctorQueries(looked.db, looked.dialect);
  const orNull = async <Answer>(answer: Promise<Answer> | undefined) =>
    (await answer?.catch(() => null)) ?? null;
  return makeBundle({
    config,
    report,
    log: await journal(config.role, environment),
    metrics: null,
    readiness: null,
    engineVersion: await orNull(queries?.engineVersion()),
    schema: await orNull(queries?.schema()),
    tables: await orNull(queries?.tables()),
    secrets: queries === null ? null : await orNull(secretsIn(queries)),
  });
}

async function writeBundle(file: string, bytes: Uint8Array): Promise<void> {
  await writeFile(file, bytes, { mode: 0o600 });
}

function readWish(args: readonly string[], environment: DoctorAsk['environment']): Wish {
  const own = {
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
    deep: { type: 'boolean' },
    bundle: { type: 'string' },
    language: { type: 'string' },
  } as const;
  const others = Object.fromEntries(Object.keys(options).map((name) => [name, { type: 'string' as const }]));
  const values = parsed(() => parseArgs({ args: [...args], options: { ...others, ...own } }).values);
  const { json = false, help = false, deep = false, bundle = null, language, ...given } = values;
  const spoken = LANGUAGES.find((each) => each === language);
  if (language !== undefined && spoken === undefined)
    throw new UsageError('--language must be pt-BR, en or es');
  return {
    environment,
    config: readConfig(
      Object.entries(given).flatMap(([name, value]) =>
        typeof value === 'string' ? [`--${name}`, value] : [],
      ),
      environment,
    ),
    json,
    help,
    isDeep: deep,
    bundle,
    language: spoken ?? languageOf(environment),
  };
}

function parsed<Values>(read: () => Values): Values {
  try {
    return read();
  } catch (error) {
    throw new UsageError(asError(error).message.replace(/\. To specify.*$/s, ''));
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

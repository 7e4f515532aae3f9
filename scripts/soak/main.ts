import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseDuration } from '#sim/fleet/scenario.ts';
import { soakOrders } from '../sync/soak-orders.ts';
import { soakPair } from '../sync/soak-pair.ts';
import { FIRST_VERSION } from '../versions/version-package.ts';
import { runCampaign } from './campaign.ts';
import { makePlan, type Plan } from './plan.ts';
import { readProgress } from './progress.ts';
import { type Report, textOf } from './report.ts';
import { soakRounds } from './rounds/soak-rounds.ts';

/** What the tests walk a part of each time, they walk whole. */
const WHOLE = { TESTS_TURN: 'all' };

/**
 * What a person waits for on the screens: keys during a flood of alarms, a card of sixty ponds and what a heartbeat makes of
 * them, and the farm of a dead box on a new one.
 */
const CONSOLE_BENCHES = ['console-input', 'console-paint', 'restore'];

/** Every bench in its quick form and every week of the demo, of which the tests run a few each time. Answers whether all is well. */
const soakBenches = (): Promise<boolean> =>
  wholeTests(['test/scripts/bench.test.ts', 'test/scripts/demo.test.ts'], WHOLE);

/** Kill X while Y is temporary, so often, each time at other moments. Answers whether all is well. */
const soakTemporary = (rounds: number): Promise<boolean> =>
  wholeTests(
    ['kill-while-temporary', 'remote-orders', 'order-end'].map((name) => `test/real/${name}.test.ts`),
    {
      TEMPORARY_ROUNDS: String(rounds),
      ...WHOLE,
    },
  );

/** So many messages of a gateway and of a hosted instance in other hands, a third to each engine and a third to the gateway. Answers whether all is well. */
const soakAdversary = ({ messages, seed }: { messages: number; seed: number }): Promise<boolean> =>
  wholeTests(['test/sync/adversary'], {
    ADVERSARY_MESSAGES: String(Math.ceil(messages / 3)),
    ADVERSARY_SEED: String(seed),
  });

/** The first version that synchronises, and the last one before schemas were counted. */
const VERSIONS = [FIRST_VERSION, '37870d5'];

/** Older versions beside today's, in each of the places a program may have. Answers whether all is well. */
const soakVersions = (): Promise<boolean> => wholeTests(['test/versions'], { VERSIONS: VERSIONS.join(',') });

/** All tests, each of them whole: every route, screen and setting on every engine, and each draw. Answers whether all is well. */
const soakWhole = (): Promise<boolean> => wholeTests([], WHOLE);

const HELP = `npm run soak -- [options]      a campaign of faults against the real program, judged by an oracle

  --for DURATION     about how long, for example 10m [10m]: a thousand kills and each fault once in ten minutes
  --seed N           the same seed makes the same plan [a new one each time]
  --controllers N    [200]
  --kills N          [100 a minute, at most 1000 a round]
  --speed N          farm seconds in one of ours [20]
  --resume FILE      notes its progress there, and goes on from it when it was interrupted
  --sync SEEDS       instead: so many simulated pairs of a gateway and a hosted instance, from --seed on [from 1]
  --mixed            with --sync: one side of each pair begins as an earlier version and is upgraded while it works
  --orders N         instead: so many simulated orders from afar, while line, gateway and hosted instance fail, from --seed on
  --console          instead: every screen of the console in every size, theme, language and state, its line cut, and what a person waits for
  --temporary ROUNDS instead: kill X while Y is temporary, against the started program, each round at other moments
  --benches          instead: every bench in its quick form, every week of the demo
  --rounds N         instead: so many rounds of work on a gateway and two hosted processes on PostgreSQL, each with a fault, all of them
                     programs: killed, cut off, frozen, failed over, with an older card, of an older version
  --whole            instead: all tests, each of them whole: a run of the tests walks a part of what takes hours, another each day
  --adversary N      instead: so many messages of a gateway, and of a hosted instance, in other hands, from --seed on
  --versions         instead: programs of older versions beside today's, as gateway, as hosted instance and as one of its processes
  --json FILE        where the report goes [soak-results/<time>.json; beside it the same for people, .txt]
`;

/** What a round of every fault costs, and a kill, measured on two cores. */
const ROUND_MS = 8 * 60_000;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (options === null) {
    console.error(HELP);
    return 2;
  }
  if (options.temporary !== null) return (await soakTemporary(options.temporary)) ? 0 : 1;
  if (options.adversary !== null)
    return (await soakAdversary({ messages: options.adversary, seed: options.seed })) ? 0 : 1;
  if (options.programRounds !== null) {
    const { programRounds: rounds, seed, json } = options;
    return (await soakRounds({ rounds, seed, json, tell: (sentence) => console.error(`… ${sentence}`) }))
      ? 0
      : 1;
  }
  if (options.whole) return (await soakWhole()) ? 0 : 1;
  if (options.versions) return (await soakVersions()) ? 0 : 1;
  if (options.benches) return (await soakBenches()) ? 0 : 1;
  if (options.console) return (await soakConsole(options)) ? 0 : 1;
  if (options.sync !== null) {
    const tell = (sentence: string) => console.error(`… ${sentence}`);
    const { sync: seeds, from, mixed: isMixed, json } = options;
    return (await soakPair({ seeds, from, isMixed, json, tell })) ? 0 : 1;
  }
  if (options.orders !== null) {
    const { orders, from, json } = options;
    return (await soakOrders({ orders, from, json, tell: (sentence) => console.error(`… ${sentence}`) }))
      ? 0
      : 1;
  }
  const earlier = options.resume === null ? null : readProgress(options.resume);
  const plan: Plan = earlier?.plan ?? makePlan({ ...options, isShort: false });
  const controllers = earlier?.controllers ?? options.controllers;
  const speed = earlier?.time.speed ?? options.speed;
  const { kills, rounds } = options;
  const command = `npm run soak -- --seed ${plan.seed} --for ${Math.round(options.forMs / 1000)}s --kills ${kills} --controllers ${controllers} --speed ${speed}`;
  console.error(
    `seed ${plan.seed}, ${plan.steps.length} steps, ${rounds} rounds of faults\nagain: ${command}`,
  );
  if (earlier !== null) console.error(`goes on after step ${earlier.steps.length}`);
  const result = await runCampaign(
    {
      plan,
      controllers,
      speed,
      progressFile: options.resume,
      isMachineUsed: true,
      tell: (line) => console.error(`… ${line}`),
    },
    earlier,
  );
  const at = new Date().toISOString();
  const report: Report = { seed: plan.seed, command, at, plan, ...result };
  const file = options.json ?? `soak-results/${at.replaceAll(':', '-')}.json`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  const text = textOf(report);
  writeFileSync(file.replace(/(\.json)?$/, '.txt'), text);
  console.log(`${text}written to ${file}`);
  return report.violations.length === 0 ? 0 : 1;
}

function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      for: { type: 'string', default: '10m' },
      seed: { type: 'string' },
      controllers: { type: 'string', default: '200' },
      kills: { type: 'string' },
      speed: { type: 'string', default: '20' },
      resume: { type: 'string' },
      sync: { type: 'string' },
      mixed: { type: 'boolean', default: false },
      orders: { type: 'string' },
      console: { type: 'boolean', default: false },
      benches: { type: 'boolean', default: false },
      versions: { type: 'boolean', default: false },
      whole: { type: 'boolean', default: false },
      temporary: { type: 'string' },
      rounds: { type: 'string' },
      adversary: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const forMs = parseDuration(values.for);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
  const kills = Number(values.kills ?? Math.round((forMs ?? 0) / 600));
  const [controllers, speed] = [Number(values.controllers), Number(values.speed)];
  const sync = values.sync === undefined ? null : Number(values.sync);
  const temporary = values.temporary === undefined ? null : Number(values.temporary);
  const orders = values.orders === undefined ? null : Number(values.orders);
  const adversary = values.adversary === undefined ? null : Number(values.adversary);
  const programRounds = values.rounds === undefined ? null : Number(values.rounds);
  const campaigns = [orders, sync, temporary, adversary, programRounds].map((count) => count ?? 0);
  const numbers = [seed, kills, controllers, speed, ...campaigns];
  if (values.help || forMs === null || !numbers.every((value) => Number.isFinite(value) && value >= 0))
    return null;
  const rounds = Math.max(1, Math.round(forMs / ROUND_MS));
  return {
    forMs,
    seed,
    sync,
    mixed: values.mixed,
    orders,
    console: values.console,
    benches: values.benches,
    versions: values.versions,
    whole: values.whole,
    temporary,
    adversary,
    from: Number(values.seed ?? 1),
    kills,
    controllers,
    speed,
    rounds,
    programRounds,
    resume: values.resume ?? null,
    json: values.json ?? null,
  };
}

/**
 * Every screen of the console in every size, theme, language and state, looked at by axe, a flood of alarms and a thousand
 * cuts of its line: the tests that look at a part of it each time, told to look at all. Then the figures that a console
 * must reach, by its benches. Answers whether all is well.
 */
async function soakConsole({ seed }: { seed: number }): Promise<boolean> {
  const files = ['every-screen', 'flood', 'cut-stream'].map((name) => `test/console/${name}.browser.test.ts`);
  const more = { CONSOLE_LOOKS: 'all', CONSOLE_CUTS: '1000', CONSOLE_SEED: String(seed) };
  const isWell = await wholeTests(files, more);
  const bench = fileURLToPath(new URL('../bench/main.ts', import.meta.url));
  return (await isDone([bench, ...CONSOLE_BENCHES.flatMap((name) => ['--only', name])])) && isWell;
}

function wholeTests(files: readonly string[], more: Record<string, string>): Promise<boolean> {
  const vitest = dirname(createRequire(import.meta.url).resolve('vitest/package.json'));
  return isDone([join(vitest, 'vitest.mjs'), 'run', ...files], more);
}

async function isDone(args: readonly string[], more: Record<string, string> = {}): Promise<boolean> {
  const run = spawn(process.execPath, args, { stdio: 'inherit', env: { ...process.env, ...more } });
  const [code] = (await once(run, 'exit')) as [number | null];
  return code === 0;
}

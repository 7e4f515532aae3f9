import { readFileSync } from 'node:fs';
import { runAdmin } from '#cli/admin/admin.ts';
import { runBackup } from '#cli/backup.ts';
import { runDoctor } from '#cli/doctor.ts';
import { runPair } from '#cli/pair.ts';
import { runRestore } from '#cli/restore.ts';
import { runUpdate } from '#cli/update.ts';
import { readConfig } from '#runtime/config.ts';
import { readOptions } from '#sim/cli/options.ts';
import { runModem } from '#sim/modem/modem.ts';
import { runProbe } from '#sim/probe/run-probe.ts';
import { runBenchTool } from '../../gateway/bench/bench-tool.ts';
import { readDemoOptions } from '../../scripts/demo/options.ts';

// Whether a command takes an option, by asking the command itself: what no parser refuses is an option.

type Ask = (args: readonly string[]) => unknown;
type Say = (line: string) => void;

const never = async (): Promise<never> => {
  throw new Error('nothing is to be asked here');
};

/** Each is called with --help and the option in question; it prints its help, or why it was called wrongly. */
function commandsOf(print: Say): Readonly<Record<string, Ask>> {
  const environment = {};
  const terminal = { print, complain: print, interrupted: new AbortController().signal };
  const recovery = { environment, print, input: process.stdin };
  return {
    start: (args) => readConfig(args.slice(1), environment),
    admin: (args) => runAdmin(args, environment, print, { warn: print }),
    backup: (args) => runBackup(args, recovery, Date.now),
    restore: (args) => runRestore(args, recovery, Date.now),
    update: (args) => runUpdate(args, { environment, print }, Date.now),
    doctor: (args) => runDoctor(args, { environment, print }, Date.now),
    pair: (args) => runPair(args, { environment, print, pause: never, monotonic: () => 0 }),
    sim: (args) => readOptions(args, environment),
    'sim --modem': (args) => runModem(terminal, args),
    'sim --probe': (args) => runProbe(terminal, args),
    demo: (args) => print(JSON.stringify(readDemoOptions(args, {}))),
    ...Object.fromEntries(BENCH_TOOLS.map((name) => [`bench-tool ${name}`, benchTool(name, print)])),
  };
}

const BENCH_TOOLS = ['ports', 'detect', 'flash', 'provision', 'monitor', 'batch', 'label', 'backup', 'erase'];
const benchTool =
  (name: string, print: Say): Ask =>
  (args) =>
    runBenchTool([name, ...args], {
      environment: {},
      print,
      warn: print,
      signal: new AbortController().signal,
      now: Date.now,
    });

/** Programs of their own, whose table is read where it stands: the object that their parser is given. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bench: 'scripts/bench/main.ts',
  soak: 'scripts/soak/main.ts',
  package: 'scripts/packaging/package.ts',
  'sign-firmware': 'scripts/sign-firmware.ts',
  desktop: 'scripts/packaging/lay-out-gateway.ts',
};

/** The program for the operator's PC, which looks for its switches among whatever its system starts it with. */
const PROGRAM = 'the program';
const switchesOfProgram = (): Set<string> =>
  new Set(
    [...readFileSync('desktop/main/main.ts', 'utf8').matchAll(/argv\.includes\('--([\w-]+)'\)/g)].map(
      ([, name = '']) => name,
    ),
  );

/** Commands whose options can be asked for, as the documents write them. */
export const KNOWN_COMMANDS = [...Object.keys(commandsOf(() => undefined)), ...Object.keys(SCRIPTS), PROGRAM];

/** Whether that command takes that option. */
export async function takes(command: string, option: string): Promise<boolean> {
  // the program shows its help before it reads anything else
  if (command === 'start' && option === 'help') return true;
  if (command === PROGRAM) return switchesOfProgram().has(option);
  const script = SCRIPTS[command];
  if (script !== undefined) return tableIn(script).has(option);
  const said: string[] = [];
  const run = commandsOf((line) => void said.push(line))[command];
  if (run === undefined) throw new Error(`nobody knows the options of ${command}`);
  try {
    await run(['--help', `--${option}`]);
  } catch (error) {
    said.push(error instanceof Error ? error.message : String(error));
  }
  return !said.some((line) => line.includes(`Unknown option '--${option}'`));
}

function tableIn(script: string): Set<string> {
  const [, table = ''] =
    /parseArgs\(\{[\s\S]*?options: \{\n([\s\S]*?)\n {4}\}/.exec(readFileSync(script, 'utf8')) ?? [];
  return new Set([...table.matchAll(/^\s*'?([\w-]+)'?:/gm)].map(([, name = '']) => name));
}

import { parseArgs } from 'node:util';
import { BOARD_COMMANDS } from './board-commands.ts';
import {
  type BenchCommand,
  type BenchCommands,
  flag,
  type Terminal,
  type Told,
  type Values,
} from './command.ts';
import type { Progress } from './job.ts';
import { PORT_COMMANDS } from './port-commands.ts';
import { progressLine } from './progress.ts';
import { PROVISION_COMMANDS } from './provision-commands.ts';
import { BenchTrouble, EXIT_CODES, TROUBLE_CODES } from './trouble.ts';

const COMMANDS: BenchCommands = { ...PORT_COMMANDS, ...BOARD_COMMANDS, ...PROVISION_COMMANDS };

/** What the command line gives in place of a real terminal. */
export type Outside = Pick<Terminal, 'environment' | 'print' | 'warn' | 'signal' | 'now'> & {
  /** A line that the next one overwrites, where there is a screen. */
  renew?: (line: string) => void;
};

/**
 * Carries out one command of the bench. Answers the exit code: 0 done, 1 a fault of the program, else EXIT_CODES.
 * With --json the standard output holds one line of JSON at the end, and the standard error one per piece of progress.
 */
export async function runBenchTool(args: readonly string[], outside: Outside): Promise<number> {
  const isJson = args.includes('--json');
  try {
    const told = await carryOut(args, terminalOf(outside, isJson));
    outside.print(isJson ? JSON.stringify(told.value) : told.sentence.trimEnd());
    return 0;
  } catch (error) {
    if (!(error instanceof BenchTrouble)) throw error;
    const { code, message, next } = error;
    if (isJson) outside.print(JSON.stringify({ error: { code, message, next } }));
    else outside.warn(`${code}: ${message}\nNext: ${next}`);
    return EXIT_CODES[code];
  }
}

async function carryOut(args: readonly string[], terminal: Terminal): Promise<Told> {
  const [name = '--help', ...rest] = args;
  if (name === '--help' || name === '-h') return { sentence: helpText(), value: { help: helpText() } };
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw badUse(`${JSON.stringify(name)} is no command; known are ${names()}`);
  const { help, ...values } = readArguments(name, command, rest);
  if (help === true) {
    const text = `npm run bench-tool -- ${name} [options]\n\n${command.summary}\n\n${command.help}`;
    return { sentence: text, value: { help: text } };
  }
  return command.run(values, terminal);
}

function readArguments(name: string, command: BenchCommand, args: readonly string[]): Values {
  try {
    const options = { ...command.options, json: flag, help: { ...flag, short: 'h' } };
    return parseArgs({ args: [...args], options, allowPositionals: false }).values;
  } catch (error) {
    const said = error instanceof Error ? error.message.replace(/\. To specify.*$/s, '') : String(error);
    throw badUse(`${said}; see npm run bench-tool -- ${name} --help`);
  }
}

function badUse(message: string): BenchTrouble {
  return new BenchTrouble('BAD_INPUT', { message, next: 'see npm run bench-tool -- --help' });
}

function terminalOf({ renew, ...outside }: Outside, isJson: boolean): Terminal {
  const tell = (progress: Progress) => {
    if (isJson) outside.warn(JSON.stringify({ progress }));
    else if (progress.done < progress.total && renew !== undefined) renew(progressLine(progress));
    else if (progress.total === 0 || progress.done === progress.total) outside.warn(progressLine(progress));
  };
  return { ...outside, isJson, tell };
}

const names = () => Object.keys(COMMANDS).join(', ');

function helpText(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  const codes = TROUBLE_CODES.map((code) => `${EXIT_CODES[code]} ${code}`);
  return `npm run bench-tool -- <command> [options]     a board at a USB cable, no gateway and no internet needed

${lines.join('\n')}

  <command> --help   its options
  --json             one line of JSON at the end, progress as lines of JSON on the standard error

Exit codes: 0 done, 1 a fault of the program, ${codes.slice(0, 6).join(', ')},
${codes.slice(6, 12).join(', ')},
${codes.slice(12).join(', ')}
`;
}

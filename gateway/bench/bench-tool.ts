import { parseArgs } from 'node:util';
import type { SerialPortFacts } from '#adapters/serial/list-ports.ts';
import { LANGUAGES, languageOf, spokenIn } from '#contract/words.ts';
import { type InEach, inEach, verbatim } from '#core/each-language.ts';
import type { Language } from '#core/notifying.ts';
import { BOARD_COMMANDS } from './board-commands.ts';
import {
  type BenchCommand,
  type BenchCommands,
  flag,
  type Terminal,
  type Told,
  text,
  type Values,
} from './command.ts';
import { type Progress, progressLine } from './job.ts';
import { PROVISION_COMMANDS } from './provision-commands.ts';
import { BenchTrouble, EXIT_CODES, TROUBLE_CODES } from './trouble.ts';

/** Commands that look at the cables, not at a board. */
const PORT_COMMANDS: BenchCommands = {
  ports: {
    summary: 'serial ports of this machine, and who uses them',
    help: '  no options\n',
    options: {},
    async run() {
      const { listPorts } = await import('#adapters/serial/list-ports.ts');
      const ports = await listPorts();
      const lines = (by: string) => ports.map((port) => portLine(port, by)).join('\n');
      const sentence =
        ports.length === 0 ? NO_PORT : inEach(lines('em uso por'), lines('in use by'), lines('en uso por'));
      return { sentence, value: { ports } };
    },
  },
};

const NO_PORT: InEach = inEach(
  `Não há porta serial de um cabo USB.
A fazer: ligue a placa; se nada aparecer, tente outro cabo (muitos só carregam) ou outra entrada. Uma porta que não é
listada, como uma UART fixa ou um pseudoterminal, é dita com --port.`,
  `No serial port of a USB cable is there.
Next: plug the board in; if nothing appears, try another cable (many only charge) or another socket. A port that is
not listed, such as a fixed UART or a pseudo-terminal, is named with --port.`,
  `No hay puerto serial de un cable USB.
Por hacer: conecte la placa; si no aparece nada, pruebe otro cable (muchos solo cargan) u otra entrada. Un puerto que no
se lista, como una UART fija o un pseudoterminal, se indica con --port.`,
);

const COMMANDS: BenchCommands = { ...PORT_COMMANDS, ...BOARD_COMMANDS, ...PROVISION_COMMANDS };

/** The Portuguese for what is wrong with the arguments, by the words of the parser. */
const ARGUMENT_WORDS: Readonly<Record<string, string>> = {
  ERR_PARSE_ARGS_UNKNOWN_OPTION: 'opção desconhecida',
  ERR_PARSE_ARGS_INVALID_OPTION_VALUE: 'a opção está sem o seu valor, ou com um que não toma',
  ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL: 'há uma palavra a mais',
};

/** What the command line gives in place of a real terminal. */
export type Outside = Pick<Terminal, 'environment' | 'print' | 'warn' | 'signal' | 'now'> & {
  /** A line that the next one overwrites, where there is a screen. */
  renew?: (line: string) => void;
};

/**
 * Carries out one command of the bench. Answers the exit code: 0 done, 1 a fault of the program, else EXIT_CODES. It
 * speaks the language of --language, else that of the terminal. With --json the standard output holds one line of JSON at the end, and the standard error one per piece of progress.
 */
export async function runBenchTool(args: readonly string[], outside: Outside): Promise<number> {
  const isJson = args.includes('--json');
  const language = languageAskedFor(args, outside.environment);
  try {
    const told = await carryOut(args, terminalOf(outside, { isJson, language }));
    outside.print(isJson ? JSON.stringify(told.value) : told.sentence[language].trimEnd());
    return 0;
  } catch (error) {
    if (!(error instanceof BenchTrouble)) throw error;
    const { code, said } = error;
    const [message, next] = [said.message[language], said.next[language]];
    if (isJson) outside.print(JSON.stringify({ error: { code, message, next } }));
    else
      outside.warn(
        `${code}: ${message}\n${{ 'pt-BR': 'A fazer', en: 'Next', es: 'Por hacer' }[language]}: ${next}`,
      );
    return EXIT_CODES[code];
  }
}

/** Read before anything else, so that a wrong command is refused in the language that was asked for. */
function languageAskedFor(args: readonly string[], environment: Outside['environment']): Language {
  const at = args.findIndex((arg) => arg === '--language' || arg.startsWith('--language='));
  const named = at < 0 ? undefined : (args[at]?.split('=')[1] ?? args[at + 1]);
  return named === undefined ? languageOf(environment) : (spokenIn(named) ?? 'en');
}

async function carryOut(args: readonly string[], terminal: Terminal): Promise<Told> {
  const [name = '--help', ...rest] = args;
  if (name === '--help' || name === '-h')
    return { sentence: verbatim(helpText()), value: { help: helpText() } };
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    const said = JSON.stringify(name);
    throw badUse(
      inEach(
        `${said} não é um comando; os conhecidos são ${names()}`,
        `${said} is no command; known are ${names()}`,
        `${said} no es un comando; los conocidos son ${names()}`,
      ),
    );
  }
  const { help, ...values } = readArguments(name, command, rest);
  if (help === true) {
    const shown = `npm run bench-tool -- ${name} [options]\n\n${command.summary}\n\n${command.help}`;
    return { sentence: verbatim(shown), value: { help: shown } };
  }
  return command.run(values, terminal);
}

function readArguments(name: string, command: BenchCommand, args: readonly string[]): Values {
  try {
    const options = { ...command.options, json: flag, language: text, help: { ...flag, short: 'h' } };
    const { language, ...values } = parseArgs({ args: [...args], options, allowPositionals: false }).values;
    if (language !== undefined && !LANGUAGES.some((each) => each === language))
      throw badUse(
        inEach(
          '--language é pt-BR, en ou es',
          '--language is pt-BR, en or es',
          '--language es pt-BR, en o es',
        ),
      );
    return values;
  } catch (error) {
    if (error instanceof BenchTrouble) throw error;
    const said = error instanceof Error ? error.message.replace(/\. To specify.*$/s, '') : String(error);
    const [named = ''] = /--?[\w-]+/.exec(said) ?? [];
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const see = `npm run bench-tool -- ${name} --help`;
    const why = ARGUMENT_WORDS[code] ?? 'a chamada não serve';
    throw badUse(
      inEach(
        `${why}${named === '' ? '' : `: ${named}`}; veja ${see}`,
        `${said}; see ${see}`,
        `${why}${named === '' ? '' : `: ${named}`}; vea ${see}`,
      ),
    );
  }
}

function badUse(message: InEach): BenchTrouble {
  const see = 'npm run bench-tool -- --help';
  return new BenchTrouble('BAD_INPUT', { message, next: inEach(`veja ${see}`, `see ${see}`, `vea ${see}`) });
}

function terminalOf(
  { renew, ...outside }: Outside,
  { isJson, language }: Pick<Terminal, 'isJson' | 'language'>,
): Terminal {
  const tell = (progress: Progress) => {
    const line = () => progressLine(progress, language);
    if (isJson)
      outside.warn(JSON.stringify({ progress: { ...progress, message: progress.message[language] } }));
    else if (progress.done < progress.total && renew !== undefined) renew(line());
    else if (progress.total === 0 || progress.done === progress.total) outside.warn(line());
  };
  return { ...outside, isJson, language, tell };
}

const names = () => Object.keys(COMMANDS).join(', ');

function helpText(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  const codes = TROUBLE_CODES.map((code) => `${EXIT_CODES[code]} ${code}`);
  return `npm run bench-tool -- <command> [options]     a board at a USB cable, no gateway and no internet needed

${lines.join('\n')}

  <command> --help   its options
  --language L       pt-BR, en or es [that of the terminal]
  --json             one line of JSON at the end, progress as lines of JSON on the standard error

Exit codes: 0 done, 1 a fault of the program, ${codes.slice(0, 6).join(', ')},
${codes.slice(6, 12).join(', ')},
${codes.slice(12).join(', ')}
`;
}

function portLine(port: SerialPortFacts, by: string): string {
  const usb = port.vendor_id === null ? '' : ` [${port.vendor_id}:${port.product_id ?? '?'}]`;
  const what = [port.manufacturer, port.product].filter((word) => word !== null).join(' ');
  const users = port.in_use_by.map(({ pid, name }) => `${name} (${pid})`).join(', ');
  return `${port.path}${usb} ${what}${users === '' ? '' : `, ${by} ${users}`}`;
}

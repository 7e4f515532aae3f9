import { readFile } from 'node:fs/promises';
import { type InEach, inEach } from '#core/each-language.ts';
import {
  type BenchCommand,
  type BenchCommands,
  flag,
  type Terminal,
  text,
  textOf,
  type Values,
} from './command.ts';
import { type BenchJobInput, type JobResult, readJob, runJob } from './job.ts';
import { TRUST_HELP, TRUST_OPTIONS, trustOf } from './provision-options.ts';
import { BenchTrouble } from './trouble.ts';

const PORT = '  --port P           serial port, see npm run bench-tool -- ports\n';
const BAUD = '  --baud B           for the transfer [460800]; 115200 for a long or poor cable\n';
const FIRMWARE = `  --bundle DIR       a firmware: a folder with manifest.json and its files
  --file F@OFFSET    a single file at an offset such as 0x10000; as often as needed. A signed one for the air (.sfw), too
`;
const VERIFY =
  '  --read-back        compare every byte over the cable, not only the digests the chip computes\n';

const port = { port: text, baud: text };
const firmware = { bundle: text, file: { type: 'string', multiple: true } } as const;

/** Commands for a board at a port: each is one job. */
export const BOARD_COMMANDS: BenchCommands = {
  detect: command({
    summary: 'chip, revision, MAC, flash, firmware and identity of a board',
    help: `${PORT}${BAUD}`,
    options: port,
    job: (values) => ({ kind: 'detect', ...portOf(values) }),
    sentence: detected,
  }),
  flash: command({
    summary: 'write a firmware and prove it; identity and Wi-Fi stay on the board',
    help: `${PORT}${BAUD}${FIRMWARE}${VERIFY}  --identity FILE    write this identity (JSON) with it
  --forget           blank the identity partition
  --erase            blank all else first
  --backup FILE      save the whole flash before a byte is written
${TRUST_HELP}
A job that was cut off is started again as it was: what is already right is skipped.
`,
    options: {
      ...port,
      ...firmware,
      ...TRUST_OPTIONS,
      'read-back': flag,
      identity: text,
      forget: flag,
      erase: flag,
      backup: text,
    },
    job: async (values, { environment }) => ({
      kind: 'flash',
      ...portOf(values),
      ...firmwareOf(values),
      ...trustOf(values, environment),
      identity: await identityOf(values),
      erase: values['erase'] === true,
      backup: textOf(values, 'backup') ?? null,
    }),
    sentence: (result) => {
      const board = detected(result);
      return inEach(`gravada: ${board['pt-BR']}`, `flashed: ${board.en}`, `grabada: ${board.es}`);
    },
  }),
  verify: command({
    summary: 'whether a board holds a firmware; writes nothing',
    help: `${PORT}${BAUD}${FIRMWARE}${VERIFY}`,
    options: { ...port, ...firmware, 'read-back': flag },
    job: (values) => ({ kind: 'verify', ...portOf(values), ...firmwareOf(values) }),
    sentence: (result) =>
      inEach(
        `a placa ${said(result, 'mac')} tem este firmware`,
        `the board ${said(result, 'mac')} holds this firmware`,
        `la placa ${said(result, 'mac')} tiene este firmware`,
      ),
  }),
  erase: command({
    summary: 'blank a board, its identity only, or all but that',
    help: `${PORT}${BAUD}  --what W           all, identity or firmware\n`,
    options: { ...port, what: text },
    job: (values) => ({ kind: 'erase', ...portOf(values), what: whatOf(values) }),
    sentence: (result) =>
      inEach(
        `apagada (${said(result, 'erased')}) em ${said(result, 'mac')}`,
        `erased (${said(result, 'erased')}) on ${said(result, 'mac')}`,
        `borrada (${said(result, 'erased')}) en ${said(result, 'mac')}`,
      ),
  }),
  backup: command({
    summary: 'save the whole flash of a board to a file',
    help: `${PORT}${BAUD}  --to FILE          holds the keys and passwords of the board: keep it safe\n`,
    options: { ...port, to: text },
    job: (values) => ({ kind: 'backup', ...portOf(values), file: needed(values, 'to') }),
    sentence: (result) =>
      inEach(
        `${said(result, 'bytes')} bytes em ${said(result, 'file')}`,
        `${said(result, 'bytes')} bytes in ${said(result, 'file')}`,
        `${said(result, 'bytes')} bytes en ${said(result, 'file')}`,
      ),
  }),
  monitor: command({
    summary: 'what a board says, with times, crashes pointed out; Ctrl-C ends it',
    help: `${PORT}  --baud B           [115200]
  --reset            restart the board first
  --for SECONDS      [3600]
  --save FILE        append it to a file, too
`,
    options: { ...port, reset: flag, for: text, save: text },
    job: (values) => ({
      kind: 'monitor',
      ...portOf(values),
      reset: values['reset'] === true,
      ...(textOf(values, 'for') === undefined ? {} : { for_s: Number(textOf(values, 'for')) }),
      save: textOf(values, 'save') ?? null,
    }),
    sentence: (result) =>
      inEach(
        `${said(result, 'lines')} linhas, ${said(result, 'alarms')} alarmes`,
        `${said(result, 'lines')} lines, ${said(result, 'alarms')} alarms`,
        `${said(result, 'lines')} líneas, ${said(result, 'alarms')} alarmas`,
      ),
  }),
};

type JobCommand = Pick<BenchCommand, 'summary' | 'help' | 'options'> & {
  job: (values: Values, terminal: Terminal) => JobAsked | Promise<JobAsked>;
  sentence: (result: JobResult) => InEach;
};
/** As a person asked; readJob finds what is wrong with it. */
type JobAsked = { kind: BenchJobInput['kind'] } & Record<string, unknown>;

function command({ job, sentence, ...rest }: JobCommand): BenchCommand {
  return {
    ...rest,
    async run(values, terminal: Terminal) {
      const result = await runJob(readJob(await job(values, terminal)), terminal);
      return { sentence: sentence(result), value: result };
    },
  };
}

function portOf(values: Values) {
  const baud = textOf(values, 'baud');
  return { port: needed(values, 'port'), ...(baud === undefined ? {} : { baud: Number(baud) }) };
}

function firmwareOf(values: Values) {
  const bundle = textOf(values, 'bundle');
  const named = values['file'];
  const files = Array.isArray(named) ? named.map((file) => fileOf(String(file))) : [];
  if ((bundle === undefined) === (files.length === 0))
    throw badUse(
      inEach('diga --bundle ou --file', 'say either --bundle or --file', 'indique --bundle o --file'),
    );
  return {
    firmware: bundle === undefined ? { files } : { bundle },
    verify: values['read-back'] === true ? 'read_back' : 'md5',
  };
}

function fileOf(named: string): { file: string; offset: number } {
  const [, file, offset] = /^(.+)@(0x[0-9a-f]+|\d+)$/i.exec(named) ?? [];
  if (file !== undefined && offset !== undefined) return { file, offset: Number(offset) };
  throw badUse(
    inEach(
      `--file ${named}: diga o endereço, como em --file ${named}@0x10000`,
      `--file ${named}: say the offset, as in --file ${named}@0x10000`,
      `--file ${named}: indique la dirección, como en --file ${named}@0x10000`,
    ),
  );
}

async function identityOf(values: Values): Promise<unknown> {
  const file = textOf(values, 'identity');
  if (values['forget'] === true && file !== undefined)
    throw badUse(
      inEach(
        'diga --identity ou --forget, não os dois',
        'say --identity or --forget, not both',
        'indique --identity o --forget, no los dos',
      ),
    );
  if (values['forget'] === true) return 'erase';
  if (file === undefined) return 'keep';
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw badUse(
      inEach(
        `--identity ${file} não é um arquivo com JSON`,
        `--identity ${file} is no file with JSON`,
        `--identity ${file} no es un archivo con JSON`,
      ),
      cause,
    );
  }
}

function whatOf(values: Values): string {
  const what = needed(values, 'what');
  if (['all', 'identity', 'firmware'].includes(what)) return what;
  throw badUse(
    inEach(
      `--what é all, identity ou firmware, não ${what}`,
      `--what is all, identity or firmware, not ${what}`,
      `--what es all, identity o firmware, no ${what}`,
    ),
  );
}

function needed(values: Values, name: string): string {
  const value = textOf(values, name);
  if (value !== undefined) return value;
  throw badUse(inEach(`falta --${name}`, `--${name} is missing`, `falta --${name}`));
}

function badUse(message: InEach, cause?: unknown): BenchTrouble {
  const next = inEach(
    'veja o comando com --help',
    'see the command with --help',
    'vea el comando con --help',
  );
  return new BenchTrouble('BAD_INPUT', { message, next }, cause);
}

function detected(result: JobResult): InEach {
  const identity = result['identity'];
  const firmware = result['firmware'];
  const size = typeof result['flash_bytes'] === 'number' ? `${result['flash_bytes'] / 2 ** 20} MiB` : '?';
  const chip = `${said(result, 'description')}, MAC ${said(result, 'mac')}`;
  const crystal = `${said(result, 'crystal_mhz')} MHz`;
  const program = isRecord(firmware) ? `${said(firmware, 'project')} ${said(firmware, 'version')}` : null;
  const id = isRecord(identity) ? said(identity, 'device_id') : null;
  const content = said(result, 'content');
  return inEach(
    [
      `${chip}, memória de ${size}, cristal ${crystal}`,
      program === null ? 'sem firmware' : `firmware ${program}`,
      id === null ? `sem identidade (${content})` : `identidade ${id}`,
    ].join('\n'),
    [
      `${chip}, ${size} flash, crystal ${crystal}`,
      program === null ? 'no firmware' : `firmware ${program}`,
      id === null ? `no identity (${content})` : `identity ${id}`,
    ].join('\n'),
    [
      `${chip}, memoria de ${size}, cristal ${crystal}`,
      program === null ? 'sin firmware' : `firmware ${program}`,
      id === null ? `sin identidad (${content})` : `identidad ${id}`,
    ].join('\n'),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function said(record: Readonly<Record<string, unknown>>, name: string): string {
  const value = record[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '?';
}

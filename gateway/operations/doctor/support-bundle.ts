import { execFile } from 'node:child_process';
import { arch, platform, release } from 'node:os';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { doctorQueries, TableSize } from '#adapters/sql/queries/system/doctor.ts';
import { inOneLine } from '#contract/look-alikes.ts';
import type { DoctorReport, FindingSeverity } from '#contract/resources/system-doctor.ts';
import { LANGUAGES, type Language } from '#contract/words.ts';
import type { Config } from '#runtime/config.ts';
import { options } from '#runtime/options.ts';

const MARKS: Readonly<Record<Language, Readonly<Record<FindingSeverity, string>>>> = {
  'pt-BR': { ok: 'bem  ', note: 'nota ', warn: 'VEJA ', bad: 'RUIM ' },
  en: { ok: 'ok   ', note: 'note ', warn: 'WARN ', bad: 'BAD  ' },
  es: { ok: 'bien ', note: 'nota ', warn: 'VEA  ', bad: 'MAL  ' },
};

/** A report as people read it in a terminal. */
export function reportText(report: DoctorReport, language: Language): string {
  const title = `${report.role} ${report.version}  ${report.made_at}`;
  const lines = report.findings.flatMap(({ id, severity, sentence, next_step: next }) => [
    `${MARKS[language][severity]} ${inOneLine(sentence[language])}  [${id}]`,
    ...(next === null ? [] : [`       → ${inOneLine(next[language])}`]),
  ]);
  return [title, ...lines].join('\n');
}

// What leaves the box for support holds no secret: known ones are struck out by their value, others by their shape.

const STRUCK = '[struck out]';
/** Shorter ones are words or numbers: only where they stand alone are they struck out, which tears nothing else apart. */
const LONG_CHARACTERS = 8;
/** What is shorter still is struck out where it is named, and nowhere else. */
const SHORT_CHARACTERS = 4;

/** Secrets by their shape, wherever they come from. */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]+-----[\s\S]*?(?:-----END [A-Z ]+-----|$)/g,
  // tokens of logins, of programs, keys and secrets of the payment provider, invitation codes
  /\beyJ[\w-]+\.[\w-]+\.[\w-]*/g,
  /\bsfat_\w+/g,
  /\b(?:sk|rk|pk)_(?:live|test)_\w+/g,
  /\bwhsec_\w+/g,
  /\b[ACDEFHJKMPRTWXY34679]{4}-[ACDEFHJKMPRTWXY34679]{4}-[ACDEFHJKMPRTWXY34679]{4}\b/g,
  // a recovery key: eight groups of four
  /\b[0-9A-Z]{4}(?:[ .-][0-9A-Z]{4}){7}\b/g,
  /\b(?:Bearer|Basic|Local)\s+[\w.~+/=-]+/gi,
];
/** Named fields, in JSON, in JSON within JSON, and in text. */
const NAMED =
  /((?:password|passwd|passphrase|psk|senha|secret|token|api_?key|authorization|cookie|p256dh|\bauth)\\*"?\s*[:=]\s*)(?:(\\*")[^\n]{0,2000}?(?:(?<!\\)\2|$)|[^\s",}]{4,})/gim;
/** 32 bytes or more in base64, 24 in the kind without slashes: keys of controllers and relays. Sums in hexadecimal stay. */
const LONG = /(?<![\w+/-])(?:[\w+/-]{40,}={0,2}|[\w-]{32,})(?![\w+/-])/g;
const USER_IN_ADDRESS = /(?<=:\/\/)[^\s/@"]+@/g;
/** Bounded: a long run of letters without an @ would be looked through anew from each of them. */
const MAIL = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g;
/** With the country, and as it is written in Brazil. */
const PHONE = /(?<![\w.])(?:\+\d[\d ().-]{7,18}\d|\(\d{2}\) ?\d{4,5}[- ]?\d{4})(?!\w)/g;
const WORD = /[\w-]{8,}/g;

type StrikeOut = (text: string) => string;
type KnownSecrets = {
  /** Struck out wherever they stand. */
  values: readonly string[];
  /** Of people, and thousands of them: struck out where they stand as a word. */
  words: readonly string[];
};

export function strikeOut({ values, words }: KnownSecrets): StrikeOut {
  const known = [...new Set(values.flatMap(spellings))].sort((a, b) => b.length - a.length);
  const long = known.filter(({ length }) => length >= LONG_CHARACTERS);
  const short = known
    .filter(({ length }) => length < LONG_CHARACTERS && length >= SHORT_CHARACTERS)
    .map(standingAlone);
  const asWords = new Set(words);
  return (text) => {
    let struck = text;
    for (const value of long) struck = struck.replaceAll(value, STRUCK);
    for (const shape of short) struck = struck.replaceAll(shape, STRUCK);
    struck = struck.replaceAll(WORD, (found) => (asWords.has(found) ? STRUCK : found));
    for (const shape of SHAPES) struck = struck.replaceAll(shape, STRUCK);
    struck = struck.replaceAll(
      NAMED,
      (_, name: string, quote: string | undefined) => `${name}${quote ?? ''}${STRUCK}${quote ?? ''}`,
    );
    struck = struck.replaceAll(LONG, (found) => (isSum(found) ? found : STRUCK));
    return struck
      .replaceAll(USER_IN_ADDRESS, `${STRUCK}@`)
      .replaceAll(MAIL, '[e-mail]')
      .replaceAll(PHONE, '[phone]');
  };
}

/** Paths, names with hyphens and sums in hexadecimal have letters of one kind; keys have both. */
function isSum(text: string): boolean {
  return !(/[a-z]/.test(text) && /[A-Z]/.test(text));
}

/** As it stands in text, in JSON, in a line of the log that quotes JSON, and in an address. */
function spellings(value: string): string[] {
  const inJson = JSON.stringify(value).slice(1, -1);
  return [value, inJson, JSON.stringify(inJson).slice(1, -1), encodeURIComponent(value)];
}

/** Not within a word or a number, and not the year of a time. */
function standingAlone(value: string): RegExp {
  const literal = value.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}]|\d\.)${literal}(?![\p{L}\p{N}]|\.\d|-\d\d-\d\d)`, 'gu');
}

/** The configuration for support: what is secret says only whether it is given. */
export function shownConfig(config: Config): Record<string, unknown> {
  const values = fieldsOf(config);
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => {
      const value = values[camel(name)] ?? null;
      if (value === null) return [name, null];
      if ('isSecret' in option) return [name, '[given]'];
      return [name, typeof value === 'string' ? withoutUser(value) : value];
    }),
  );
}

/** Values of this configuration that must not leave. */
export function secretsOf(config: Config): string[] {
  const values = fieldsOf(config);
  const named = Object.entries(options).flatMap(([name, option]) =>
    'isSecret' in option ? [values[camel(name)]] : [],
  );
  const inside = Object.values(values).flatMap((value) =>
    typeof value === 'string' ? passwordsIn(value) : [],
  );
  return [...named, ...inside].filter((value) => typeof value === 'string');
}

// every field of a Config is made from an option of that name
const fieldsOf = (config: Config) => config as Readonly<Record<string, unknown>>;
const camel = (name: string) => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

function withoutUser(value: string): string {
  return value
    .replaceAll(USER_IN_ADDRESS, `${STRUCK}@`)
    .replaceAll(/([?&](?:password|user)=)[^&]*/gi, `$1${STRUCK}`);
}

function passwordsIn(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { password, searchParams } = new URL(address);
  const given = [password, searchParams.get('password') ?? ''];
  return given.flatMap((text) => [text, decoded(text)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // a password with a bare % in it
    return text;
  }
}

type BundleFile = { name: string; text: string };

const BLOCK = 512;

const NAME_BYTES = 100;

type BundleParts = {
  config: Config;
  report: DoctorReport;
  /** Lines of the log, oldest first. */
  log: readonly string[];
  metrics: string | null;
  readiness: unknown;
  engineVersion: string | null;
  schema: string | null;
  tables: readonly TableSize[] | null;
  /** Secrets that the database holds; null: it cannot be asked, and what the program said in its own words stays out. */
  secrets: KnownSecrets | null;
};

const FILE_CHARACTERS = 1024 * 1024;

const README = `Support bundle of a shrimp-farm gateway / Pacote de suporte de um gateway

doctor.json, doctor.txt   what is well and what is not / o que vai bem e o que não
configuration.json        options; secrets say only whether they are given / opções, sem segredos
log.txt                   last lines of the program / últimas linhas do programa
metrics.txt readiness.json versions.json tables.json schema.sql

Holds no passwords, keys, tokens, e-mail addresses, phone numbers, readings or the folder data/tls. It does hold names of
control points and addresses of the farm network: give it to people you trust.
Não contém senhas, chaves, tokens, e-mails, telefones, leituras nem a pasta data/tls. Contém nomes de pontos de controle e
endereços da rede da fazenda: entregue só a quem você confia.
`;

/** Everything support needs to know in one file of a few hundred kilobytes, without secrets. */
export function makeBundle(parts: BundleParts): Buffer {
  const { config } = parts;
  const { values, words } = parts.secrets ?? { values: [], words: [] };
  const clean = strikeOut({ values: [...secretsOf(config), ...values], words });
  const report = parts.secrets === null ? withoutFaults(parts.report) : parts.report;
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  const versions = {
    program: report.version,
    node: process.version,
    system: `${platform()} ${release()} ${arch()}`,
    database: parts.engineVersion,
  };
  const files: BundleFile[] = [
    { name: 'README.txt', text: README },
    { name: 'doctor.json', text: json(report) },
    {
      name: 'doctor.txt',
      text: `${LANGUAGES.map((language) => reportText(report, language)).join('\n\n')}\n`,
    },
    { name: 'configuration.json', text: json(shownConfig(config)) },
    { name: 'versions.json', text: json(versions) },
    { name: 'readiness.json', text: json(parts.readiness) },
    { name: 'tables.json', text: json(parts.tables) },
    { name: 'schema.sql', text: parts.schema ?? '' },
    { name: 'metrics.txt', text: parts.metrics ?? '' },
    { name: 'log.txt', text: parts.secrets === null ? NO_LOG : newest(parts.log) },
  ];
  return tarGz(
    files.map(({ name, text }) => ({
      name: `support/${name}`,
      // a secret that is cut in two is not known as one any more
      text: name === 'README.txt' ? text : clean(text).slice(0, FILE_CHARACTERS),
    })),
    Date.parse(report.made_at),
  );
}

const NO_LOG =
  'The database could not be asked for the secrets to strike out, so the log is left out; see it on the box.\n' +
  'Não foi possível perguntar ao banco pelos segredos a riscar, por isso o log ficou de fora; veja-o na caixa.\n';

/** The newest lines count, each whole. */
function newest(lines: readonly string[]): string {
  let characters = 0;
  const from = lines.findLastIndex((line) => (characters += line.length + 1) > FILE_CHARACTERS);
  return `${lines.slice(from + 1).join('\n')}\n`;
}

/** A fault is told in words of the program, which may hold anything. */
function withoutFaults(report: DoctorReport): DoctorReport {
  return { ...report, findings: report.findings.filter(({ id }) => id !== 'last_fault') };
}

/** Everything the database knows that must not leave. */
export async function secretsIn(
  queries: Pick<ReturnType<typeof doctorQueries>, 'instanceValues' | 'channelSecrets'>,
): Promise<KnownSecrets> {
  const channels = await queries.channelSecrets();
  const words = channels.flatMap(({ address, keys }) => wordsIn(`${address} ${keys ?? ''}`));
  return { values: secretsAmong(await queries.instanceValues()), words };
}

/** Parts of addresses, numbers and keys that are no plain words. */
const wordsIn = (text: string): string[] =>
  [...text.matchAll(/[\w-]{8,}/g)]
    .map(([word]) => word)
    .filter((word) => /\d/.test(word) || word.length >= 20);

/** Values of the instance that are secrets: long ones that are no time and no public pin. */
function secretsAmong(values: readonly { id: string; value: string }[]): string[] {
  const isPublic = ({ id, value }: { id: string; value: string }) =>
    id === 'authority_pin' || id === 'boot_notice' || /^\d{4}-\d\d-\d\dT/.test(value);
  return values
    .filter((one) => !isPublic(one))
    .flatMap(({ value }) => [value, ...[...value.matchAll(/[\w+/=-]{24,}/g)].map(([part]) => part)])
    .filter((value) => value.length >= 16);
}

/** Files as one .tar.gz (POSIX ustar), which every system opens. Names are plain and shorter than 100 bytes. */
function tarGz(files: readonly BundleFile[], madeAt: number): Buffer {
  const blocks = files.flatMap(({ name, text }) => {
    const content = Buffer.from(text);
    return [headerOf(name, content.length, madeAt), content, Buffer.alloc(-content.length & (BLOCK - 1))];
  });
  // two empty blocks end an archive
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]));
}

function headerOf(name: string, bytes: number, madeAt: number): Buffer {
  if (Buffer.byteLength(name) >= NAME_BYTES) throw new Error(`${name} is too long a name for an archive`);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, width: number) =>
    header.write(value.toString(8).padStart(width - 1, '0'), at, 'ascii');
  header.write(name, 0, 'utf8');
  octal(0o600, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(bytes, 124, 12);
  octal(Math.floor(madeAt / 1000), 136, 12);
  // the sum is made with spaces in its own place
  header.fill(' ', 148, 156);
  header.write('0', 156, 'ascii');
  header.write('ustar\u000000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

/** Services on a machine where the package was installed. */
const UNITS = { gateway: 'shrimp-farm-gateway', hosted: 'shrimp-farm-hosted' } as const;
const LINES = '500';
const WITHIN_MS = 5_000;

const execute = promisify(execFile);
type Environment = Readonly<Record<string, string | undefined>>;

/** Last lines of the service where systemd keeps them; where they cannot be had, a line that says why. */
export async function journal(role: keyof typeof UNITS, environment: Environment): Promise<string[]> {
  const unit = UNITS[role];
  const asked = ['-u', unit, '-n', LINES, '-o', 'cat', '--no-pager'];
  const options = { timeout: WITHIN_MS, env: { ...environment }, maxBuffer: 16 * 1024 * 1024 };
  try {
    const { stdout, stderr } = await execute('journalctl', asked, options);
    const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('-- '));
    return lines.length > 0 ? lines : [missing(unit, stderr)];
  } catch (error) {
    return [missing(unit, error instanceof Error ? error.message : String(error))];
  }
}

/** Most often the user is not in the group that may read it. */
const missing = (unit: string, why: string): string =>
  `No line of the journal could be read (${why.trim().replaceAll(/\s+/g, ' ').slice(0, 400) || 'it holds none'}). ` +
  `As root: journalctl -u ${unit} -n ${LINES}`;

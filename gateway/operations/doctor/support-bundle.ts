import { arch, platform, release } from 'node:os';
import { gzipSync } from 'node:zlib';
import type { doctorQueries, TableSize } from '#adapters/sql/queries/system/doctor.ts';
import type { DoctorReport } from '#contract/resources/system-doctor.ts';
import type { Config } from '#runtime/config.ts';
import { reportText } from './report-text.ts';
import { type KnownSecrets, secretsOf, shownConfig, strikeOut } from './strike-out.ts';

type BundleFile = { name: string; text: string };

const BLOCK = 512;

const NAME_BYTES = 100;

export type BundleParts = {
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
    { name: 'doctor.txt', text: `${reportText(report, 'pt-BR')}\n\n${reportText(report, 'en')}\n` },
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

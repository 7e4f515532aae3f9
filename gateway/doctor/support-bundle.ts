import { arch, platform, release } from 'node:os';
import type { TableSize } from '#adapters/sql/queries/doctor.ts';
import type { DoctorReport } from '#contract/resources/system-doctor.ts';
import type { Config } from '../config.ts';
import { reportText } from './report-text.ts';
import { secretsOf, shownConfig, strikeOut } from './strike-out.ts';
import { type BundleFile, tarGz } from './tar.ts';

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
  /** Secrets that the database holds. */
  secrets: readonly string[];
};

const FILE_CHARACTERS = 1024 * 1024;

const README = `Support bundle of a shrimp-farm gateway / Pacote de suporte de um gateway

doctor.json, doctor.txt   what is well and what is not / o que vai bem e o que não
configuration.json        options; secrets say only whether they are given / opções, sem segredos
log.txt                   last lines of the program / últimas linhas do programa
metrics.txt readiness.json versions.json tables.json schema.sql

Holds no passwords, keys, tokens, e-mail addresses, readings or the folder data/tls. It does hold names of control points
and addresses of the farm network: give it to people you trust.
Não contém senhas, chaves, tokens, e-mails, leituras nem a pasta data/tls. Contém nomes de pontos de controle e endereços
da rede da fazenda: entregue só a quem você confia.
`;

/** Everything support needs to know in one file of a few hundred kilobytes, without secrets. */
export function makeBundle(parts: BundleParts): Buffer {
  const { config, report } = parts;
  const clean = strikeOut([...secretsOf(config), ...parts.secrets]);
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
    // the newest lines count
    { name: 'log.txt', text: `${parts.log.join('\n').slice(-FILE_CHARACTERS)}\n` },
  ];
  return tarGz(
    files.map(({ name, text }) => ({
      name: `support/${name}`,
      text: name === 'README.txt' ? text : clean(text.slice(0, FILE_CHARACTERS)),
    })),
    Date.parse(report.made_at),
  );
}

/** Values of the instance that are secrets: long ones that are no time and no public pin. */
export function secretsAmong(values: readonly { id: string; value: string }[]): string[] {
  const isPublic = ({ id, value }: { id: string; value: string }) =>
    id === 'authority_pin' || id === 'boot_notice' || /^\d{4}-\d\d-\d\dT/.test(value);
  return values
    .filter((one) => !isPublic(one))
    .flatMap(({ value }) => [value, ...[...value.matchAll(/[\w+/=-]{24,}/g)].map(([part]) => part)])
    .filter((value) => value.length >= 16);
}

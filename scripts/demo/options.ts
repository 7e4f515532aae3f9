import { parseArgs } from 'node:util';
import { LANGUAGES, type Language, languageOf, spokenIn } from '#contract/words.ts';
import { parseDuration } from '#sim/fleet/scenario.ts';

export type DemoOptions = {
  data: string;
  isReset: boolean;
  /** Of the farm, and of what is printed. */
  language: Language;
  host: string;
  httpPort: string;
  mqttPort: string;
  /** null: until Ctrl-C. */
  forMs: number | null;
  /** null: the farm alone. */
  hosted: { isPostgres: boolean; httpPort: string } | null;
};

export const HELP = `npm run demo -- [options]

  --data DIR        folder of the demo's farm, kept for the next time [./demo-data]
  --reset           forget that farm and make a new one, with a new password
  --host H          address to listen on [127.0.0.1]
  --http-port N     port of the interface [0: a free one]
  --mqtt-port N     port of the broker [0: a free one]
  --language L      of the farm and of what is printed here, pt-BR, en or es [by LANG]
  --for TIME        stop by itself, for example after 20s or 10m [until Ctrl-C]
  --hosted          a hosted instance beside it, paired with the farm, and a line between them to break
  --hosted-postgres the same on a throw-away PostgreSQL instead of SQLite
  --hosted-port N   port of the hosted instance [0: a free one]
`;

/** Reads the flags. Answers a sentence when one of them is wrong, null for --help. */
export function readDemoOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): DemoOptions | string | null {
  const values = flagsOf(args);
  if (typeof values === 'string') return values;
  if (values.help) return null;
  const forMs = values.for === undefined ? null : parseDuration(values.for);
  if (values.for !== undefined && forMs === null) {
    return `--for must be a time, for example 20s or 10m, not ${JSON.stringify(values.for)}`;
  }
  const language = values.language === undefined ? languageOf(environment) : spokenIn(values.language);
  if (language === null) return `--language must be one of ${LANGUAGES.join(', ')}`;
  return {
    language,
    data: values.data,
    isReset: values.reset,
    host: values.host,
    httpPort: values['http-port'],
    mqttPort: values['mqtt-port'],
    forMs,
    hosted:
      values.hosted || values['hosted-postgres']
        ? { isPostgres: values['hosted-postgres'], httpPort: values['hosted-port'] }
        : null,
  };
}

function flagsOf(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        data: { type: 'string', default: './demo-data' },
        reset: { type: 'boolean', default: false },
        host: { type: 'string', default: '127.0.0.1' },
        'http-port': { type: 'string', default: '0' },
        'mqtt-port': { type: 'string', default: '0' },
        language: { type: 'string' },
        for: { type: 'string' },
        hosted: { type: 'boolean', default: false },
        'hosted-postgres': { type: 'boolean', default: false },
        'hosted-port': { type: 'string', default: '0' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/\. To specify.*$/s, '') : String(error);
  }
}

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type * as z from 'zod';
import { DATABASE_NAME } from '#adapters/backup/archive.ts';
import { SETTINGS_FILE } from '#contract/commands.ts';
import { options } from './options.ts';

type Options = typeof options;
type Camel<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;
export type Config = { [Name in keyof Options as Camel<Name>]: z.infer<Options[Name]['schema']> };

/**
 * Nothing was done because of how the program or a command was called; the message is the one sentence that says what is
 * wrong and what it may be.
 */
export class UsageError extends Error {}

/** Environment variable of an option: --http-port is HTTP_PORT; --data is DATA_DIR. */
export function environmentName(option: string): string {
  return option === 'data' ? 'DATA_DIR' : option.replaceAll('-', '_').toUpperCase();
}

/** Reads flags over environment over defaults. Throws UsageError. */
export function readConfig(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Config {
  const flags = readFlags(args);
  const config: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(options)) {
    const variable = environmentName(name);
    const fromEnvironment = environment[variable] === '' ? undefined : environment[variable];
    const given = flags[name] ?? fromEnvironment;
    const parsed =
      given === undefined
        ? { success: true as const, data: option.fallback }
        : option.schema.safeParse(given);
    if (!parsed.success) {
      const what = flags[name] === undefined ? variable : `--${name}`;
      // an address may name an account with its password
      const isKept = 'isSecret' in option || given?.includes('@') === true;
      const shown = isKept ? '' : `, not ${JSON.stringify(given)}`;
      throw new UsageError(`${what} ${parsed.error.issues[0]?.message ?? 'is not valid'}${shown}`);
    }
    config[name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())] = parsed.data;
  }
  // built from the very table the type is made of
  return requireTogether(config as Config);
}

/** A key without the secret of its events would take money and never hear of it. */
function requireTogether(config: Config): Config {
  if ((config.stripeSecretKey === null) !== (config.stripeWebhookSecret === null)) {
    throw new UsageError('STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET must be given both or neither');
  }
  if (config.homeAssistantOrdersBy !== null && config.homeAssistant === null) {
    throw new UsageError('HOME_ASSISTANT_ORDERS_BY needs HOME_ASSISTANT, the address of its broker');
  }
  if (config.busUrl !== null && config.databaseUrl === null) {
    throw new UsageError('BUS_URL needs DATABASE_URL: an instance on SQLite is one process');
  }
  if (config.requireSecondFactor !== 'off' && config.role !== 'hosted') {
    throw new UsageError(
      'REQUIRE_SECOND_FACTOR is for a hosted instance: a box whose clock is wrong can judge no code',
    );
  }
  return config;
}

function readFlags(args: readonly string[]): Record<string, string | undefined> {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: Object.fromEntries(Object.keys(options).map((name) => [name, { type: 'string' as const }])),
      strict: true,
    });
    return values as Record<string, string | undefined>;
  } catch (error) {
    throw new UsageError(
      error instanceof Error ? error.message.replace(/\. To specify.*$/s, '') : String(error),
    );
  }
}

export function helpText(): string {
  const lines = Object.entries(options).map(([name, { help, fallback }]) => {
    const shown = fallback === null || String(fallback) === '' ? '' : ` [${String(fallback)}]`;
    return `  --${name.padEnd(24)} ${environmentName(name).padEnd(24)} ${help}${shown}`;
  });
  return `Options of the gateway, each also by its environment variable: of an installed box in ${SETTINGS_FILE},\nfrom the source npm start -- [options]\n\n${lines.join('\n')}\n`;
}

export const databaseFile = (config: Pick<Config, 'data'>): string => join(config.data, DATABASE_NAME);

/** True for a gateway that nobody on the network can call. */
export const isForThisMachine = (host: string): boolean => ['127.0.0.1', '::1', 'localhost'].includes(host);

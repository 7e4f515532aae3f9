import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { qrSvg, qrText } from '#adapters/discovery/qr-code.ts';
import type { PasswordCost } from '#adapters/passwords/argon2-passwords.ts';
import { instanceValue } from '#adapters/sql/instance.ts';
import { shownSetUpCode } from '#adapters/tokens/set-up-code.ts';
import { COMMAND, called, usage } from '#contract/commands.ts';
import { codeOfPin } from '#contract/discovery.ts';
import { withoutUnseen } from '#contract/look-alikes.ts';
import { systemIdentityAnswer } from '#contract/resources/system.ts';
import { readRun, runFileOf } from '#operations/doctor/run-file.ts';
import { type Config, databaseFile, readConfig, UsageError } from '#runtime/config.ts';
import { type Input, readPassword } from '../backup.ts';
import {
  changePlan,
  listFarms,
  listInvitations,
  listTokens,
  revokeInvitation,
  revokeToken,
  showSubscription,
} from './access.ts';
import {
  activateUser,
  createAdmin,
  deactivateUser,
  deleteUser,
  listUsers,
  resetPassword,
  resetSecondFactor,
  revokeSessions,
} from './accounts.ts';
import { cancelAuthorityRotation, newAuthority, rotateFarmAuthority, showAuthority } from './certificates.ts';
import { leaveLostPerson, listFleet, listLostPeople, takeBackLostPerson } from './fleet.ts';
import {
  ADMIN_OPTIONS,
  adminKernel,
  type Command,
  codeOf,
  openPatiently,
  sentenceOf,
  type Told,
} from './session.ts';

const WITHIN_MS = 5_000;

const NOT_RUNNING = `The label shows where the gateway answers: start it first (sudo systemctl start ${COMMAND}; from the source npm start), then ask again`;

/** The label of the box: its QR code with addresses and pin, and the same for people who type. */
const showLabel: Command = async ({ config, database, text }) => {
  const run = readRun(runFileOf(config));
  if (run === null || run.stopped_at !== null) throw new Error(NOT_RUNNING);
  const { name, addresses, ports, qr, gateway_id, authority } = await identityAt(run.address);
  if (qr === null) throw new Error('This instance has no authority of its own, so there is nothing to pin');
  const hosts = addresses.filter((address) => address.includes('.'));
  const lines = [
    `Gateway ${name}`,
    ...hosts.map((host) =>
      ports.https === null ? `http://${host}:${ports.http}/` : `https://${host}:${ports.https}/`,
    ),
    `id ${gateway_id}`,
    // for who pairs a PC: the same digits stand there
    ...(authority === null ? [] : [`code ${codeOfPin(authority.spki_sha256)}`]),
    // for the first account, made from another machine
    `set-up ${shownSetUpCode(await instanceValue(database.read, 'jwt_secret'))}`,
  ];
  const file = text('svg');
  if (file !== undefined) await writeFile(file, labelSvg(await qrSvg(qr), lines));
  const told = file === undefined ? `${await qrText(qr)}\n${lines.join('\n')}` : `The label is in ${file}`;
  return { sentence: told, value: { name, gateway_id, addresses, ports, qr, svg: file ?? null } };
};

const LINE = 26;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const HELP = `${usage('admin <command> [options]', 'works while the gateway runs')}

  create-admin       --email E [--name N]  make an administrator
  reset-password     --email E             give an account a new password; its sessions end
  reset-second-factor --email E            take the second factor off an account here; it is told
  list-users                               show all accounts
  deactivate-user    --email E             switch an account off; its sessions and tokens end
  activate-user      --email E             let it log in again
  delete-user        --email E [--force]   erase an account; --force: with the farms it owns
  revoke-sessions    --email E             end all sessions of an account
  set-plan           --email E --plan P    FREE, BASIC, PROFESSIONAL or ENTERPRISE
  subscription       --email E             show plan, status, limits and usage
  list-farms         [--email E]           show farms, of one owner or all
  list-tokens        [--email E]           show access tokens, of one account or all
  revoke-token       --id ID               end an access token
  list-invitations   [--farm ID]           show invitations, to one farm or all
  revoke-invitation  --id ID               end an invitation
  fleet                                    gateways of a hosted instance: versions, lag, conflicts, last seen
  lost-people                              hosted: what gateways know of people and the database lost
  take-back          --id ID               one of these: account, membership, or that the password is too old
  leave-lost         --id ID               leave it lost; it is offered no more
  authority                                show what controllers and consoles pin
  rotate-authority   [--cross-over-at T] [--retire-at T]  announce the next authority, or change its dates
  cancel-rotation                          take the announcement back
  label              [--svg FILE]          QR code and addresses of the running box, to print and stick on it
  new-authority      --force               begin anew where the authority is lost: everything pins again

  --password P        else from ADMIN_PASSWORD, else asked for, else the first line of the standard input
  --data DIR          folder of the database (DATA_DIR) [./data]
  --database-url URL  PostgreSQL of a hosted instance (DATABASE_URL)
  --role ROLE         gateway or hosted (ROLE) [hosted with --database-url, else gateway]
  --json              answer in JSON; what went wrong as {"error": {"code", "detail"}}

A running gateway hears of it within five seconds. Exit codes: 0 done, 1 not possible, 2 called wrongly.
`;

type Environment = Readonly<Record<string, string | undefined>>;
type Print = (line: string) => void;
/** What tests give in place of the real thing. */
type Beside = { input?: Input; passwordCost?: PasswordCost; warn?: Print };

const COMMANDS: Readonly<Record<string, Command>> = {
  'create-admin': createAdmin,
  'reset-password': resetPassword,
  'reset-second-factor': resetSecondFactor,
  'list-users': listUsers,
  'deactivate-user': deactivateUser,
  'activate-user': activateUser,
  'delete-user': deleteUser,
  'revoke-sessions': revokeSessions,
  'set-plan': changePlan,
  subscription: showSubscription,
  'list-farms': listFarms,
  'list-tokens': listTokens,
  'revoke-token': revokeToken,
  'list-invitations': listInvitations,
  'revoke-invitation': revokeInvitation,
  fleet: listFleet,
  'lost-people': listLostPeople,
  'take-back': takeBackLostPerson,
  'leave-lost': leaveLostPerson,
  authority: showAuthority,
  'rotate-authority': rotateFarmAuthority,
  'cancel-rotation': cancelAuthorityRotation,
  'new-authority': newAuthority,
  label: showLabel,
};

/**
 * Carries out one admin command. Answers the exit code: 0 done, 1 not possible, 2 called wrongly. With `--json` what is
 * printed is one line of JSON, whatever happens; else troubles and questions go to `warn`.
 */
export async function runAdmin(
  args: readonly string[],
  environment: Environment,
  print: Print,
  beside: Beside = {},
): Promise<number> {
  const isJson = args.includes('--json');
  const { warn = print } = beside;
  try {
    const told = await carryOut(args, environment, warn, beside);
    print(isJson ? JSON.stringify(told.value) : withoutUnseen(told.sentence));
    return 0;
  } catch (error) {
    const [code, detail] = [codeOf(error), sentenceOf(error)];
    if (isJson) print(JSON.stringify({ error: { code, detail } }));
    else warn(withoutUnseen(detail));
    return code === 'BAD_USE' ? 2 : 1;
  }
}

async function carryOut(
  args: readonly string[],
  environment: Environment,
  warn: Print,
  { input = process.stdin, passwordCost }: Beside,
): Promise<Told> {
  const { values, positionals } = readArguments(args);
  if (values.help) return { sentence: HELP, value: { help: HELP } };
  const [name = '', ...more] = positionals;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined || more.length > 0) {
    const known = Object.keys(COMMANDS).join(', ');
    throw new UsageError(`Say one command: ${known}; see ${called('admin --help')}`);
  }
  const config = configOf(values, environment);
  // create-admin may be the first thing ever done on a new box; the others have nothing to do there
  if (name !== 'create-admin' && config.databaseUrl === null && !existsSync(databaseFile(config)))
    throw new Error(`There is no database in ${config.data}; say --data with the folder of the gateway`);
  const database = await openPatiently(config);
  try {
    return await command({
      database,
      config,
      kernel: adminKernel(database),
      text: (option) => values[option],
      isForced: values.force ?? false,
      password: () => passwordFrom(values.password ?? environment['ADMIN_PASSWORD'], warn, input),
      passwordCost,
    });
  } finally {
    await database.close();
  }
}

function configOf(
  { data, role, 'database-url': url }: ReturnType<typeof readArguments>['values'],
  environment: Environment,
): Config {
  const config = readConfig(
    [
      ...(data === undefined ? [] : ['--data', data]),
      ...(url === undefined ? [] : ['--database-url', url]),
      ...(role === undefined ? [] : ['--role', role]),
    ],
    environment,
  );
  // PostgreSQL is a hosted instance's, and what is done there must reach its gateways
  const isSaid = role !== undefined || Boolean(environment['ROLE']);
  return isSaid || config.databaseUrl === null ? config : { ...config, role: 'hosted' };
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...(Object.fromEntries(ADMIN_OPTIONS.map((option) => [option, text])) as Record<
          (typeof ADMIN_OPTIONS)[number],
          typeof text
        >),
        password: text,
        data: text,
        'database-url': text,
        role: text,
        force: flag,
        json: flag,
        help: { ...flag, short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(
      error instanceof Error ? error.message.replace(/\. To specify.*$/s, '') : String(error),
    );
  }
}

async function passwordFrom(given: string | undefined, ask: Print, input: Input): Promise<string> {
  const password = given || (await readPassword(ask, input));
  if (password !== null) return password;
  throw new UsageError('A password is missing: say --password, set ADMIN_PASSWORD or pipe it in');
}

async function identityAt(address: string) {
  try {
    const response = await fetch(`${address}/api/v1/system/identity`, {
      signal: AbortSignal.timeout(WITHIN_MS),
    });
    return systemIdentityAnswer.parse(await response.json());
  } catch (cause) {
    throw new Error(NOT_RUNNING, { cause });
  }
}

/** The code with its text below, as one picture to print and stick to the box. */
function labelSvg(code: string, lines: readonly string[]): string {
  const size = Number(/viewBox="0 0 (\d+)/.exec(code)?.[1] ?? 400);
  const height = size + LINE * (lines.length + 1);
  const words = lines
    .map((line, at) => `<text x="${size / 2}" y="${size + LINE * (at + 1)}">${escaped(line)}</text>`)
    .join('');
  const picture = code.replace('<svg ', `<svg width="${size}" height="${size}" `);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${height}"><rect width="${size}" height="${height}" fill="white"/>${picture}<g font-family="sans-serif" font-size="17" text-anchor="middle">${words}</g></svg>\n`;
}

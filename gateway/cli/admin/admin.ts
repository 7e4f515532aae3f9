import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { PasswordCost } from '#adapters/passwords/argon2-passwords.ts';
import { called, usage } from '#contract/commands.ts';
import { type Config, databaseFile, readConfig } from '#runtime/config.ts';
import { type Input, readPassword } from '../read-password.ts';
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
import { showLabel } from './label.ts';
import {
  ADMIN_OPTIONS,
  adminKernel,
  BadUse,
  type Command,
  codeOf,
  openPatiently,
  sentenceOf,
  type Told,
} from './session.ts';

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
    print(isJson ? JSON.stringify(told.value) : told.sentence);
    return 0;
  } catch (error) {
    const [code, detail] = [codeOf(error), sentenceOf(error)];
    if (isJson) print(JSON.stringify({ error: { code, detail } }));
    else warn(detail);
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
    throw new BadUse(`Say one command: ${known}; see ${called('admin --help')}`);
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
    throw new BadUse(error instanceof Error ? error.message.replace(/\. To specify.*$/s, '') : String(error));
  }
}

async function passwordFrom(given: string | undefined, ask: Print, input: Input): Promise<string> {
  const password = given || (await readPassword(ask, input));
  if (password !== null) return password;
  throw new BadUse('A password is missing: say --password, set ADMIN_PASSWORD or pipe it in');
}

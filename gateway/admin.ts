import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { v7 } from 'uuid';
import { argon2Passwords } from '#adapters/passwords/argon2-passwords.ts';
import type { Database } from '#adapters/sql/database.ts';
import { accountQueries } from '#adapters/sql/queries/accounts.ts';
import { subscriptionQueries } from '#adapters/sql/queries/subscriptions.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import { emailKeyOf, registerInput, user, userUpdate } from '#contract/resources/users.ts';
import { PLANS, type Plan } from '#contract/words.ts';
import { insert, update } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import { type Decision, perform } from '#core/use-case.ts';
import { newPassword } from '#features/accounts/change-account.ts';
import { createUser } from '#features/accounts/create-user.ts';
import { firstSubscription } from '#features/subscriptions/first-subscription.ts';
import { setPlan } from '#features/subscriptions/set-plan.ts';
import { BadOption, type Config, databaseFile, readConfig } from './config.ts';
import { openDatabase } from './open-database.ts';
import { type Input, readPassword } from './read-password.ts';

const HELP = `npm run admin -- <command> [options]   works while the gateway runs

  create-admin    --email E [--name N]    make an administrator
  reset-password  --email E               give an account a new password; its sessions end
  set-plan        --email E --plan P      FREE, BASIC, PROFESSIONAL or ENTERPRISE
  list-users                              show all accounts

  --password P        else from ADMIN_PASSWORD, else asked for, else the first line of the standard input
  --data DIR          folder of the database (DATA_DIR) [./data]
  --database-url URL  PostgreSQL of a hosted instance (DATABASE_URL)
  --json              answer in JSON
`;

type Environment = Readonly<Record<string, string | undefined>>;
type Print = (line: string) => void;

type Session = {
  database: Database;
  config: Config;
  text: (option: 'email' | 'name' | 'plan') => string | undefined;
  password: () => Promise<string>;
};

/** What a command tells: a sentence for people, a value for programs. */
type Told = { sentence: string; value: unknown };

const COMMANDS: Readonly<Record<string, (session: Session) => Promise<Told>>> = {
  'create-admin': createAdmin,
  'reset-password': resetPassword,
  'set-plan': changePlan,
  'list-users': listUsers,
};

/** Nothing was done because of how the command was called. */
class BadUse extends Error {}

/** Carries out one admin command. Answers the exit code: 0 done, 1 not possible, 2 called wrongly. */
export async function runAdmin(
  args: readonly string[],
  environment: Environment,
  print: Print,
  input: Input = process.stdin,
): Promise<number> {
  const isJson = args.includes('--json');
  try {
    const told = await carryOut(args, environment, print, input);
    if (told !== null) print(isJson ? JSON.stringify(told.value) : told.sentence);
    return 0;
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error);
    print(isJson ? JSON.stringify({ error: sentence }) : sentence);
    return error instanceof BadUse || error instanceof BadOption ? 2 : 1;
  }
}

async function carryOut(
  args: readonly string[],
  environment: Environment,
  print: Print,
  input: Input,
): Promise<Told | null> {
  const { values, positionals } = readArguments(args);
  if (values.help) {
    print(HELP);
    return null;
  }
  const [name = '', ...more] = positionals;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined || more.length > 0) {
    const known = Object.keys(COMMANDS).join(', ');
    throw new BadUse(`Say one command: ${known}; see npm run admin -- --help`);
  }
  const { data, 'database-url': url } = values;
  const config = readConfig(
    [...(data === undefined ? [] : ['--data', data]), ...(url === undefined ? [] : ['--database-url', url])],
    environment,
  );
  // create-admin may be the first thing ever done on a new box; the others have nothing to do there
  if (name !== 'create-admin' && config.databaseUrl === null && !existsSync(databaseFile(config)))
    throw new Error(`There is no database in ${config.data}; say --data with the folder of the gateway`);
  const database = await openPatiently(config);
  try {
    return await command({
      database,
      config,
      text: (option) => values[option],
      password: () => passwordFrom(values.password ?? environment['ADMIN_PASSWORD'], print, input),
    });
  } finally {
    await database.close();
  }
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        email: { type: 'string' },
        name: { type: 'string' },
        password: { type: 'string' },
        plan: { type: 'string' },
        data: { type: 'string' },
        'database-url': { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new BadUse(error instanceof Error ? error.message.replace(/\. To specify.*$/s, '') : String(error));
  }
}

async function createAdmin(session: Session): Promise<Told> {
  const { database, config } = session;
  const asked = {
    email: required(session, 'email'),
    name: session.text('name') ?? 'Administrator',
    password: await session.password(),
    role: 'ADMIN',
  };
  const deps = { now: Date.now, newId: () => v7() };
  const { id, email, role } = await commitDecided(database, async () =>
    createUser(
      {
        ...deps,
        queries: accountQueries(database.read),
        passwords: argon2Passwords(),
        onCreate: (made) => [insert(subscription, firstSubscription(deps, made.id, config.localPlan))],
      },
      valid(registerInput.safeParse(asked)),
      'admin',
    ),
  );
  return { sentence: `${email} is an administrator now`, value: { id, email, role } };
}

async function resetPassword(session: Session): Promise<Told> {
  const { database } = session;
  const emailKey = emailKeyOf(required(session, 'email'));
  const { password = '' } = valid(userUpdate.safeParse({ password: await session.password() }));
  const { id, email } = await commitDecided(database, async () => {
    const account = await accountOf(database, emailKey);
    const set = await newPassword({ passwords: argon2Passwords() }, account, password, 'admin');
    const stamped = { ...set, updated_at: isoOf(Date.now()) };
    return { answer: account, changes: [update(user, account, stamped)] };
  });
  return { sentence: `${email} has a new password; older sessions have ended`, value: { id, email } };
}

async function changePlan(session: Session): Promise<Told> {
  const { database } = session;
  const emailKey = emailKeyOf(required(session, 'email'));
  const plan = planOf(required(session, 'plan'));
  const { id, email } = await commitDecided(database, async () => {
    const account = await accountOf(database, emailKey);
    const deps = { now: Date.now, newId: () => v7(), ...subscriptionQueries(database.read) };
    return { ...(await setPlan(deps, account.id, plan)), answer: account };
  });
  return { sentence: `${email} has the plan ${plan} now`, value: { id, email, plan } };
}

async function listUsers({ database }: Session): Promise<Told> {
  const users: { id: string; email: string; name: string; role: string; is_active: boolean }[] = [];
  const everyone = accountQueries(database.read).accounts({ skip: 0, limit: undefined });
  for await (const { id, email, name, role, is_active } of everyone)
    users.push({ id, email, name, role, is_active });
  const lines = users.map(
    ({ email, name, role, is_active }) => `${email}  ${name}  ${role}${is_active ? '' : '  (not active)'}`,
  );
  return { sentence: lines.length === 0 ? 'There are no accounts yet' : lines.join('\n'), value: users };
}

function required(session: Session, option: 'email' | 'plan'): string {
  const text = session.text(option)?.trim();
  if (text === undefined || text === '')
    throw new BadUse(`--${option} is missing; see npm run admin -- --help`);
  return text;
}

function planOf(text: string): Plan {
  const plan = PLANS.find((word) => word === text.toUpperCase());
  if (plan === undefined) throw new BadUse(`--plan must be ${PLANS.join(', ')}, not ${JSON.stringify(text)}`);
  return plan;
}

type Parsed<Data> =
  | { success: true; data: Data }
  | { success: false; error: { issues: readonly { path: PropertyKey[]; message: string }[] } };

function valid<Data>(parsed: Parsed<Data>): Data {
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new BadUse(`${issue?.path.join('.') ?? 'input'}: ${issue?.message ?? 'is not valid'}`);
}

async function passwordFrom(given: string | undefined, print: Print, input: Input): Promise<string> {
  const password = given || (await readPassword(print, input));
  if (password !== null) return password;
  throw new BadUse('A password is missing: say --password, set ADMIN_PASSWORD or pipe it in');
}

async function accountOf(database: Database, emailKey: string) {
  const account = await accountQueries(database.read).accountByEmail(emailKey);
  if (account === null) throw new Error(`There is no account with the email ${emailKey}`);
  return account;
}

async function commitDecided<Answer>(
  database: Database,
  decide: () => Promise<Decision<Answer>>,
): Promise<Answer> {
  const deps = { commit: database.commit, pause: async (ms: number) => pause(ms), random: Math.random };
  return (await perform(deps, null, decide)).answer;
}

const OPEN_ATTEMPTS = 30;

/** The running gateway holds the file for moments only. */
async function openPatiently(config: Config): Promise<Database> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await openDatabase(config, {
        now: Date.now,
        monotonic: () => performance.now(),
        bootId: randomBytes(8).toString('hex'),
        node: randomBytes(4).toString('hex'),
        // nobody listens in this process
        onListenerError: () => undefined,
      });
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (!code.startsWith('SQLITE_BUSY') || attempt === OPEN_ATTEMPTS) throw error;
      await pause(100);
    }
  }
}

import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { PasswordCost } from '#adapters/passwords/argon2-passwords.ts';
import type { Database } from '#adapters/sql/database.ts';
import { guardQuery } from '#adapters/sql/queries/access.ts';
import { accountQueries } from '#adapters/sql/queries/people/accounts.ts';
import { called } from '#contract/commands.ts';
import { inOneLine } from '#contract/look-alikes.ts';
import { emailKeyOf } from '#contract/resources/users.ts';
import { AppError } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import { type Decision, perform } from '#core/use-case.ts';
import type { Account } from '#features/people/accounts/ports.ts';
import { type Config, UsageError } from '#runtime/config.ts';
import { openDatabase } from '#runtime/open-database.ts';
import { growingIds, idOfCause } from '#runtime/world.ts';
import { nodeOf } from '#store/sync-node.ts';

export const ADMIN_OPTIONS = [
  'email',
  'name',
  'plan',
  'id',
  'farm',
  'cross-over-at',
  'retire-at',
  'svg',
] as const;
export type AdminOption = (typeof ADMIN_OPTIONS)[number];

/** One admin command with the open database it works on. */
export type Session = {
  database: Database;
  config: Config;
  kernel: Kernel;
  text: (option: AdminOption) => string | undefined;
  isForced: boolean;
  password: () => Promise<string>;
  passwordCost: PasswordCost | undefined;
};

/** What a command tells: a sentence for people, a value for programs. */
export type Told = { sentence: string; value: unknown };
export type Command = (session: Session) => Promise<Told>;

/** There is nothing of that name. */
export class NotThere extends Error {}

export function required(session: Session, option: AdminOption): string {
  const text = session.text(option)?.trim();
  if (text === undefined || text === '')
    throw new UsageError(`--${option} is missing; see ${called('admin --help')}`);
  return text;
}

type Parsed<Data> =
  | { success: true; data: Data }
  | { success: false; error: { issues: readonly { path: PropertyKey[]; message: string }[] } };

export function valid<Data>(parsed: Parsed<Data>): Data {
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UsageError(`${issue?.path.join('.') ?? 'input'}: ${issue?.message ?? 'is not valid'}`);
}

/** The account that --email names. */
export async function accountOf(session: Session): Promise<Account> {
  const emailKey = emailKeyOf(required(session, 'email'));
  const account = await accountQueries(session.database.read).accountByEmail(emailKey);
  if (account === null) throw new NotThere(`There is no account with the email ${emailKey}`);
  return account;
}

/** The account that --email names, where it is given. */
export async function accountIfNamed(session: Session): Promise<Account | null> {
  return session.text('email') === undefined ? null : accountOf(session);
}

export async function commitDecided<Answer>(
  { kernel }: Pick<Session, 'kernel'>,
  decide: () => Promise<Decision<Answer>>,
): Promise<Answer> {
  return (await perform(kernel, null, decide)).answer;
}

/** Lines of a list for people; `none` where it is empty. */
export function linesOf(none: string, rows: readonly (string | null)[][]): string {
  if (rows.length === 0) return none;
  const lineOf = (cells: (string | null)[]) =>
    cells.flatMap((cell) => (cell === null || cell === '' ? [] : [inOneLine(cell)])).join('  ');
  return rows.map(lineOf).join('\n');
}

const silent = () => undefined;

export function adminKernel(database: Database): Kernel {
  return {
    now: Date.now,
    // a person stands before it
    elapsedSince: (notedAt) => Date.now() - notedAt,
    clockQuality: () => 'trusted',
    newId: growingIds(Date.now),
    idOf: idOfCause,
    random: Math.random,
    pause: async (ms) => pause(ms),
    commit: database.commit,
    guard: guardQuery(database.read),
    log: { debug: silent, info: silent, warn: silent, error: silent },
  };
}

const OPEN_ATTEMPTS = 30;

/** The running gateway holds the file for moments only. */
export async function openPatiently(config: Config): Promise<Database> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await openDatabase(config, {
        now: Date.now,
        monotonic: () => performance.now(),
        bootId: randomBytes(8).toString('hex'),
        node: nodeOf(config.role, randomBytes(4).toString('hex')),
        // nobody listens in this process
        onListenerError: silent,
      });
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (!code.startsWith('SQLITE_BUSY') || attempt === OPEN_ATTEMPTS) throw error;
      await pause(100);
    }
  }
}

/** A sentence for whoever called the command. */
export function sentenceOf(error: unknown): string {
  if (error instanceof AppError) return error.message.replace('say force=true', 'say --force');
  return error instanceof Error ? error.message : String(error);
}

/** A stable word for scripts: that of the interface where it has one. */
export function codeOf(error: unknown): string {
  if (error instanceof UsageError) return 'BAD_USE';
  if (error instanceof NotThere) return 'NOT_FOUND';
  return (error instanceof AppError ? error.extras.code : undefined) ?? 'FAILED';
}

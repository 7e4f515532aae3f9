import type * as z from 'zod';
import type { RowOf } from '#contract/resource.ts';
import { emailKeyOf, isStandInEmail, type registerInput, user } from '#contract/resources/users.ts';
import { type Change, insert } from '#core/changes.ts';
import { taken } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { claimNumericId } from '#core/numeric-id.ts';
import type { Decision } from '#core/use-case.ts';
import type { AccountQueries, Passwords } from './ports.ts';

export type CreateUserDeps = Pick<Kernel, 'now' | 'newId'> & {
  queries: Pick<AccountQueries, 'accountByEmail' | 'numericIdClaim'>;
  passwords: Pick<Passwords, 'hash'>;
  /** Rows that every new user begins with, in the same commit. */
  onCreate: (created: RowOf<typeof user>) => Promise<readonly Change[]>;
};

/** Decides a new account. Throws 400 when the email is registered, in whatever case it is written. */
export async function createUser(
  deps: CreateUserDeps,
  input: z.infer<typeof registerInput>,
  source: string,
): Promise<Decision<RowOf<typeof user>>> {
  const emailKey = emailKeyOf(input.email);
  if (isStandInEmail(emailKey) || (await deps.queries.accountByEmail(emailKey)) !== null) throw emailTaken();
  const id = deps.newId();
  const numeric = await claimNumericId(deps.queries, 'user', id);
  const row: RowOf<typeof user> = {
    id,
    numeric_id: numeric.number,
    email: input.email,
    email_key: emailKey,
    name: input.name,
    phone_number: input.phone_number ?? null,
    role: input.role,
    is_active: true,
    password_hash: await deps.passwords.hash(input.password, source),
    password_version: 1,
    language: input.language ?? null,
    created_at: isoOf(deps.now()),
    updated_at: null,
  };
  const beside = await deps.onCreate(row);
  return { answer: row, changes: [insert(user, row), numeric.change, ...beside] };
}

export const emailTaken = () => taken('email', 'Email already registered');

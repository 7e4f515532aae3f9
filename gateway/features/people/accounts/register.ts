import type * as z from 'zod';
import type { RowOf } from '#contract/resource.ts';
import { emailKeyOf, isStandInEmail, type registerInput, user } from '#contract/resources/users.ts';
import { type Change, type GuardSeen, insert } from '#core/changes.ts';
import { AppError, forbidden, taken } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { claimNumericId } from '#core/numeric-id.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { type AttemptLimit, tooManyAttempts } from '../attempts.ts';
import { grantBoxRight } from '../box-rights.ts';
import type { AccountQueries, Passwords } from './ports.ts';

type CreateUserDeps = Pick<Kernel, 'now' | 'newId'> & {
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

export type RegisterDeps = CreateUserDeps &
  Pick<Kernel, 'guard'> & {
    /** null: open on a hosted instance; on a gateway until its first OWNER is there. */
    registration: 'open' | 'invite' | null;
    /** A gateway's: the first OWNER owns the box, and says its set-up code unless that is at the box itself. */
    box: {
      hasOwnerAccount: () => Promise<boolean>;
      isAtBox: (source: string) => boolean;
      setUpCode: (typed: string) => boolean;
      /** Wrong codes per source. */
      wrongCodes: AttemptLimit;
    } | null;
    /** New accounts per source. */
    registrations: AttemptLimit;
  };

/**
 * Decides a new account for whoever asks; `inviter` is the caller of a token that came along. Throws 403 for ADMIN
 * accounts, which are made on the command line, and for uninvited ones where registration is by invitation.
 */
export async function register(
  deps: RegisterDeps,
  input: z.infer<typeof registerInput>,
  from: { source: string; inviter: Caller | null },
): Promise<Decision<RowOf<typeof user>>> {
  const { source, inviter } = from;
  if (input.role === 'ADMIN')
    throw forbidden('An ADMIN account cannot be registered; it is made on the command line');
  const guard = deps.box === null ? null : await deps.guard('box', 'first owner');
  const isFounded = deps.box === null || (await deps.box.hasOwnerAccount());
  const isOpen = deps.registration === null ? deps.box === null || !isFounded : deps.registration === 'open';
  if (!isOpen) requireInvitation(inviter, input.role);
  if (guard !== null && !isFounded && input.role === 'OWNER') return found(deps, input, { ...from, guard });
  if (inviter?.role === 'ADMIN') return createUser(deps, input, source);
  const waitMs = await deps.registrations.take(source);
  if (waitMs !== null) throw tooManyAttempts('Too many accounts were registered from here', waitMs);
  return createUser(deps, input, source).catch(async (error: unknown) => {
    await deps.registrations.giveBack(source);
    throw error;
  });
}

const byInvitation = (detail: string) => new AppError(403, detail, { code: 'BY_INVITATION' });

/** Decides the first OWNER of a box, to whom the box belongs from then on. */
async function found(
  deps: RegisterDeps,
  input: z.infer<typeof registerInput>,
  { source, inviter, guard }: { source: string; inviter: Caller | null; guard: GuardSeen },
): Promise<Decision<RowOf<typeof user>>> {
  if (inviter?.role !== 'ADMIN') await requireSetUpCode(deps, input.setup_code, source);
  const made = await createUser(deps, input, source);
  const right = grantBoxRight(made.answer.id, 'owner', { by: null, now: deps.now() });
  return { ...made, changes: [...(made.changes ?? []), right], guards: [...(made.guards ?? []), guard] };
}

async function requireSetUpCode(
  { box }: RegisterDeps,
  typed: string | null | undefined,
  source: string,
): Promise<void> {
  if (box === null || box.isAtBox(source)) return;
  if (!typed)
    throw new AppError(
      403,
      'Say the set-up code of this box (setup_code): it stands on its label and in its log',
      {
        code: 'SETUP_CODE_REQUIRED',
      },
    );
  const waitMs = await box.wrongCodes.take(source);
  if (waitMs !== null) throw tooManyAttempts('Too many wrong set-up codes', waitMs);
  if (!box.setUpCode(typed))
    throw new AppError(403, 'This is not the set-up code of this box', { code: 'SETUP_CODE_WRONG' });
  await box.wrongCodes.forget(source);
}

function requireInvitation(inviter: Caller | null, role: RowOf<typeof user>['role']): void {
  if (inviter?.role === 'ADMIN') return;
  if (inviter?.role !== 'OWNER')
    throw byInvitation('Registration is by invitation: ask the owner of the farm to make your account');
  if (role === 'OWNER') throw byInvitation('Only an administrator may make further OWNER accounts here');
}

import type * as z from 'zod';
import type { RowOf } from '#contract/resource.ts';
import type { registerInput, user } from '#contract/resources/users.ts';
import { type AttemptLimit, tooManyAttempts } from '#core/attempts.ts';
import { forbidden } from '#core/errors.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { type CreateUserDeps, createUser } from './create-user.ts';

export type RegisterDeps = CreateUserDeps & {
  registration: 'open' | 'invite';
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
  if (deps.registration === 'invite') requireInvitation(inviter, input.role);
  if (inviter?.role === 'ADMIN') return createUser(deps, input, source);
  const waitMs = await deps.registrations.take(source);
  if (waitMs !== null) throw tooManyAttempts('Too many accounts were registered from here', waitMs);
  return createUser(deps, input, source).catch(async (error: unknown) => {
    await deps.registrations.giveBack(source);
    throw error;
  });
}

function requireInvitation(inviter: Caller | null, role: RowOf<typeof user>['role']): void {
  if (inviter?.role === 'ADMIN') return;
  if (inviter?.role !== 'OWNER')
    throw forbidden('Registration is by invitation: ask the owner of the farm to make your account');
  if (role === 'OWNER') throw forbidden('Only an administrator may make further OWNER accounts here');
}

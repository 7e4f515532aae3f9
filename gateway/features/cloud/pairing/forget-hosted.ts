import { NO_PASSWORD, user } from '#contract/resources/users.ts';
import { update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Paired } from './on-paired.ts';
import type { Account } from './ports.ts';

export type ForgetDeps = Pick<Kernel, 'now' | 'commit' | 'log'> & {
  /** Accounts here whose password came from the hosted instance, and those that were made here and can log in. */
  accounts: () => Promise<{ ofHosted: readonly Account[]; local: readonly Account[] }>;
};

/**
 * Wipes the verifiers of people of the hosted instance: a box that was sold or stolen keeps as little of them as can
 * be. Accounts of the gateway stay. When none of those may steer the farm, the owner keeps the way in, because nobody
 * must stand before aerators that no one can command.
 */
export async function forgetHosted(deps: ForgetDeps, { owner_id }: Pick<Paired, 'owner_id'>): Promise<void> {
  const { ofHosted, local } = await deps.accounts();
  const mayStay = local.some(({ role }) => role === 'OWNER' || role === 'ADMIN');
  const wiped = ofHosted.filter(
    ({ id, password_hash: hash }) => hash !== NO_PASSWORD && (mayStay || id !== owner_id),
  );
  if (wiped.length === 0) return;
  const at = isoOf(deps.now());
  await deps.commit({
    changes: wiped.map((account) =>
      update(user, account.id, {
        password_hash: NO_PASSWORD,
        password_version: account.password_version + 1,
        updated_at: at,
      }),
    ),
    actor: null,
  });
  deps.log.warn(
    { accounts: wiped.length, ownerStays: !mayStay },
    'people of the hosted instance cannot log in here any more; accounts of this gateway go on',
  );
}

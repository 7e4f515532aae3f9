import type { Database } from '#adapters/sql/database.ts';
import { localPairingQueries } from '#adapters/sql/queries/cloud/local-pairing.ts';
import { type BoxRightsRead, boxRightsQueries } from '#adapters/sql/queries/system/box-rights.ts';
import type { Kernel } from '#core/kernel.ts';
import { PAIRED, readPaired } from '#features/cloud/pairing/on-paired.ts';
import { grantBoxRight } from '#features/people/box-rights.ts';

/** Who may what over this box. Who claimed it in the cloud owns it here, too. */
export function boxRightsOf(read: Database['read'], role: 'gateway' | 'hosted'): BoxRightsRead {
  const { instanceValue } = localPairingQueries(read);
  return boxRightsQueries(read, role, async () => {
    const paired = readPaired(await instanceValue(PAIRED));
    if (paired === null || paired.state === 'revoked') return null;
    const { owner_id: userId, started_by: granted_by, paired_at: granted_at } = paired;
    return { userId, right: 'owner', granted_by, granted_at };
  });
}

/** A box of before boxes had an owner belongs to whose farm is its oldest. */
export async function foundBox(
  { commit, now, log }: Pick<Kernel, 'commit' | 'now' | 'log'>,
  rights: Pick<BoxRightsRead, 'all' | 'founder'>,
): Promise<void> {
  if ((await rights.all()).some(({ right }) => right === 'owner')) return;
  const founder = await rights.founder();
  if (founder === null) return;
  try {
    await commit({ actor: null, changes: [grantBoxRight(founder, 'owner', { by: null, now: now() })] });
    log.info({ user_id: founder }, 'the box belongs to whose farm is its oldest');
  } catch (error) {
    // control starts all the same; the next start tries again
    log.warn({ err: error }, 'who owns the box could not be stored');
  }
}

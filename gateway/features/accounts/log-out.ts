import { revokedToken } from '#contract/resources/local-tables.ts';
import { insertIfAbsent, purge } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { AccountQueries } from './ports.ts';

export type LogOutDeps = Pick<Kernel, 'now' | 'clockQuality'> & {
  queries: Pick<AccountQueries, 'revokedBefore'>;
};

const DAY_MS = 24 * 3600 * 1000;
const SWEPT = 100;

/** Decides that a token counts no longer, and sweeps out some that expired long ago. */
export async function logOut(deps: LogOutDeps, caller: Caller): Promise<Decision<void>> {
  // a clock that is not to be trusted may be ahead: then a logged-out token would come back to life
  const isClockTrusted = deps.clockQuality() === 'trusted';
  const swept = isClockTrusted ? await deps.queries.revokedBefore(isoOf(deps.now() - DAY_MS), SWEPT) : [];
  const revoked = { id: caller.tokenId, expires_at: isoOf(caller.tokenExpiresAt) };
  return {
    answer: undefined,
    changes: [insertIfAbsent(revokedToken, revoked), ...swept.map((id) => purge(revokedToken, id))],
  };
}

import { revokedToken, session } from '#contract/resources/local-tables.ts';
import { type Change, insertIfAbsent, purge } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';

/**
 * Decides that no token of this login counts any longer. Rows are swept when what they end would have
 * ended by itself.
 */
export function logOut({ tokenId, tokenExpiresAt, login }: Caller): Decision<void> {
  const endsAt = Math.max(login?.tokensEndAt ?? 0, tokenExpiresAt);
  return { answer: undefined, changes: endLogin(login?.id ?? tokenId, endsAt) };
}

/** Ends a login from now on, on every process: no token of it opens anything; `tokensEndAt`: when the last runs out. */
export function endLogin(id: string, tokensEndAt: number): Change[] {
  return [insertIfAbsent(revokedToken, { id, expires_at: isoOf(tokensEndAt) }), purge(session, id)];
}

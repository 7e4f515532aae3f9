import { revokedToken } from '#contract/resources/local-tables.ts';
import { insertIfAbsent } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';

/** Decides that a token counts no longer. The row is swept when the token would have ended by itself. */
export function logOut(caller: Caller): Decision<void> {
  const revoked = { id: caller.tokenId, expires_at: isoOf(caller.tokenExpiresAt) };
  return { answer: undefined, changes: [insertIfAbsent(revokedToken, revoked)] };
}

import { revokedToken } from '#contract/resources/local-tables.ts';
import { insertIfAbsent } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';

/**
 * Decides that a token counts no longer, nor any other of the same login. Rows are swept when what they end would have
 * ended by itself.
 */
export function logOut({ tokenId, tokenExpiresAt, login }: Caller): Decision<void> {
  const ended = new Map([[tokenId, tokenExpiresAt]]);
  if (login !== undefined) ended.set(login.id, Math.max(login.tokensEndAt, ended.get(login.id) ?? 0));
  const rows = [...ended].map(([id, at]) => ({ id, expires_at: isoOf(at) }));
  return { answer: undefined, changes: rows.map((row) => insertIfAbsent(revokedToken, row)) };
}

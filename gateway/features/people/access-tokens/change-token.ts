import type * as z from 'zod';
import { accessToken, type accessTokenUpdate } from '#contract/resources/access-tokens.ts';
import { update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import type { UsedToken } from './ports.ts';

/** Decides another name; without one nothing changes. */
export function renameToken(
  deps: Pick<Kernel, 'now'>,
  current: UsedToken,
  { name }: z.infer<typeof accessTokenUpdate>,
): Decision<UsedToken> {
  if (name === undefined || name === current.name) return { answer: current };
  const set = { name, updated_at: isoOf(deps.now()) };
  return {
    answer: { ...current, ...set, rev: current.rev + 1 },
    changes: [update(accessToken, current, set)],
  };
}

/** Decides that a token counts no longer; it stays in the list, with the time. */
export function revokeToken(
  deps: Pick<Kernel, 'now'>,
  current: Pick<UsedToken, 'id' | 'revoked_at'>,
): Decision<void> {
  if (current.revoked_at !== null) return { answer: undefined };
  const at = isoOf(deps.now());
  // whatever else changes it at this moment, it is revoked
  return {
    answer: undefined,
    changes: [update(accessToken, current.id, { revoked_at: at, updated_at: at })],
  };
}

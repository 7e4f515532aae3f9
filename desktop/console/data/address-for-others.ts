import type * as z from 'zod';
import type { systemIdentityAnswer } from '#contract/resources/system-identity.ts';

type Identity = z.infer<typeof systemIdentityAnswer>;

/**
 * Under which address a phone finds this console. On the PC that is the box, and in the program around the console, the
 * address of this page leads to the very machine it is typed on. null: it is not known.
 */
export function addressForOthers(
  here: { origin: string; hostname: string },
  identity: Identity | undefined,
): string | null {
  if (!/^localhost$|\.localhost$|^127\.|^\[::1\]$/.test(here.hostname)) return here.origin;
  if (identity === undefined) return null;
  const { addresses, ports } = identity;
  const host = addresses.find((address) => address.includes('.'));
  return host === undefined || ports.http === null ? null : `http://${host}:${ports.http}`;
}

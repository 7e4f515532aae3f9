import type * as z from 'zod';
import { pairedGateway } from '#contract/resources/sync-tables.ts';
import type { keysAnswer, keysRequest } from '#contract/sync/wire.ts';
import { update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import { badSignature, validKeys } from './gateway-session.ts';
import type { PairingQueries, PairingSecrets } from './ports.ts';

const OVERLAP_MS = 7 * 24 * 3600 * 1000;

/**
 * Decides that a gateway has a new key: it counts at once, the one before it for a week more, so that a gateway that
 * loses its power in between comes in with either. The same new key again is answered the same.
 */
export async function rotateKey(
  deps: Pick<Kernel, 'now'> & {
    secrets: Pick<PairingSecrets, 'isSignedBy'>;
    queries: Pick<PairingQueries, 'gateway'>;
  },
  gatewayId: string,
  asked: z.infer<typeof keysRequest>,
): Promise<Decision<z.infer<typeof keysAnswer>>> {
  const nowMs = deps.now();
  const gateway = await deps.queries.gateway(gatewayId);
  if (gateway === null) throw badSignature();
  const text = `keys:${gatewayId}:${asked.public_key}`;
  if (!deps.secrets.isSignedBy(asked.public_key, text, asked.proof_new)) throw badSignature();
  const old = validKeys(gateway, nowMs).find((key) => deps.secrets.isSignedBy(key, text, asked.proof_old));
  if (old === undefined) throw badSignature();
  const { next_public_key: next, key_retires_at: retiresAt } = gateway;
  if (next === asked.public_key && retiresAt !== null) return { answer: { old_key_until: retiresAt } };
  const until = isoOf(nowMs + OVERLAP_MS);
  const set = { public_key: old, next_public_key: asked.public_key, key_retires_at: until };
  return { answer: { old_key_until: until }, changes: [update(pairedGateway, gatewayId, set)] };
}

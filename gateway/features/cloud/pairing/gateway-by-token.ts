import { pairedGateway } from '#contract/resources/sync-tables.ts';
import { onTables, rowsOf } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import { remembered } from '#core/newest-map.ts';
import { requireActive, validKeys } from './gateway-session.ts';
import type { Gateway, PairingQueries, PairingSecrets } from './ports.ts';

/** How long another process's revocation may go unseen; the stream's epoch fences what comes in between. */
const TTL_MS = 2_000;
const KEPT = 10_000;

/**
 * `gatewayByToken` answers whose token it is; null for one that is none, has expired or belongs to a key that was
 * replaced. Throws 403 SYNC_REVOKED for a gateway that was unpaired or fenced. `hear` keeps what is remembered true to
 * the commits of this process.
 */
export function createGatewayAuthentication(
  deps: Pick<Kernel, 'now'> & {
    monotonic: () => number;
    secrets: Pick<PairingSecrets, 'readToken'>;
    queries: Pick<PairingQueries, 'gateway'>;
  },
) {
  const gateways = remembered<Gateway | null>({ monotonic: deps.monotonic, ttlMs: TTL_MS, limit: KEPT });
  return {
    async gatewayByToken(token: string): Promise<{ gatewayId: string; streamId: number } | null> {
      const said = deps.secrets.readToken(token);
      if (said === null || deps.now() >= said.expiresAt) return null;
      const gateway = await gateways.get(said.gatewayId, deps.queries.gateway);
      if (gateway === null || gateway.stream_id !== said.streamId) return null;
      if (!validKeys(gateway, deps.now()).includes(said.key)) return null;
      requireActive(gateway);
      return { gatewayId: gateway.id, streamId: gateway.stream_id };
    },
    hear: onTables([pairedGateway], (committed) => {
      for (const { id } of rowsOf(committed, pairedGateway)) gateways.forget(id);
    }),
  };
}

import { pairedGateway } from '#contract/resources/sync-tables.ts';
import { onTables, rowsOf } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import { remembered } from '#core/newest-map.ts';
import { requireActive, validKeys } from './gateway-session.ts';
import type { Gateway, PairingQueries, PairingSecrets } from './ports.ts';
import { isOvertaken } from './run-rules.ts';

/** How long another process's revocation may go unseen; the stream's epoch fences what comes in between. */
const TTL_MS = 2_000;
const KEPT = 10_000;

/**
 * `gatewayByToken` answers whose token it is; null for one that is none, has expired or belongs to a key that was
 * replaced, or to a start of the gateway that was followed by another one. Throws 403 SYNC_REVOKED for a gateway that was unpaired or fenced. `hear` keeps what is remembered true to
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
  /** A newer start may have signed in at another process just now. */
  function again(id: string): Promise<Gateway | null> {
    gateways.forget(id);
    return gateways.get(id, deps.queries.gateway);
  }
  return {
    async gatewayByToken(
      token: string,
    ): Promise<{ gatewayId: string; streamId: number; run?: string } | null> {
      const said = deps.secrets.readToken(token);
      if (said === null || deps.now() >= said.expiresAt) return null;
      const known = await gateways.get(said.gatewayId, deps.queries.gateway);
      const gateway =
        known !== null && isOvertaken(known.runs_json, said.run) ? await again(known.id) : known;
      if (gateway === null || gateway.stream_id !== said.streamId) return null;
      if (!validKeys(gateway, deps.now()).includes(said.key)) return null;
      requireActive(gateway);
      // one that lives beside a newer start signs in anew, and by that shows itself
      if (isOvertaken(gateway.runs_json, said.run)) return null;
      const caller = { gatewayId: gateway.id, streamId: gateway.stream_id };
      return said.run === undefined ? caller : { ...caller, run: said.run };
    },
    /** Whether another start of that gateway signed in since. */
    async isOvertaken({ gatewayId, run }: { gatewayId: string; run?: string }): Promise<boolean> {
      const gateway = run === undefined ? null : await again(gatewayId);
      return gateway !== null && isOvertaken(gateway.runs_json, run);
    },
    hear: onTables([pairedGateway], (committed) => {
      for (const { id } of rowsOf(committed, pairedGateway)) gateways.forget(id);
    }),
  };
}

import { audit } from '#core/audit.ts';
import type { Change } from '#core/changes.ts';
import { forbidden } from '#core/errors.ts';
import { signedIn } from '#core/request-checks.ts';
import type { Request } from '#core/route.ts';
import type { BackupAuditDeps, KeeperDeps } from './ports.ts';

export type Asked = Pick<Request<unknown, unknown, unknown>, 'caller' | 'source'>;

/** Answers who asks; throws 403 for whoever may not keep the backups of this gateway. */
export async function requireKeeper(deps: KeeperDeps, request: Asked): Promise<string> {
  const { userId } = signedIn(request);
  if (!(await deps.keepsBox(userId)))
    throw forbidden(
      'Only the owner of this box, whom he made its keeper, and administrators keep its backups',
    );
  return userId;
}

/** What was done with the backups of the box, for its audit. */
export const backupEntry =
  (deps: BackupAuditDeps) =>
  (userId: string, action: string, details: Record<string, unknown>): Change =>
    audit(deps, {
      farm_id: null,
      entity_type: 'SYSTEM',
      entity_id: deps.idOf('gateway'),
      entity_name: 'gateway',
      action,
      user_id: userId,
      details,
    });

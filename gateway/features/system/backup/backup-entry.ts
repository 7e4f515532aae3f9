import { audit } from '#core/audit.ts';
import type { Change } from '#core/changes.ts';
import type { BackupAuditDeps } from './ports.ts';

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

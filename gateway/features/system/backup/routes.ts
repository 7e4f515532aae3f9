import {
  systemBackupAnswer,
  systemBackupKey,
  systemBackupKeyAnswer,
  systemBackupProof,
  systemBackupRun,
  systemRestoreAnswer,
  systemRestoreApply,
  systemRestoreCheck,
} from '#contract/resources/system-backup.ts';
import { audit } from '#core/audit.ts';
import type { Change } from '#core/changes.ts';
import { invalidToken, signedIn } from '#core/request-checks.ts';
import { type Request, type Route, route } from '#core/route.ts';
import { requirePresentPassword } from '#features/people/present-password.ts';
import type { BackupAuditDeps, BackupRouteDeps } from './ports.ts';

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

/** They hand out keys and exchange the data of the box: for people only. */
const shared = { tag: 'System', access: { who: 'box', right: 'keep' }, token: 'never' } as const;
const NO_STORE = { 'Cache-Control': 'no-store' } as const;

/** Backups of the box, the recovery key, and the way back. */
export function backupRoutes(deps: BackupRouteDeps): Route[] {
  const { desk } = deps;
  /** What opens the data of the box, or exchanges it, is not for a phone that somebody left lying about. */
  async function requirePerson(
    request: Pick<Request<unknown, unknown, unknown>, 'caller' | 'source'>,
    password: string,
  ) {
    const account = await deps.account(signedIn(request).userId);
    if (account === null) throw invalidToken();
    await requirePresentPassword(deps, account, { field: 'password', password, source: request.source });
    return account;
  }

  const entry = backupEntry(deps);
  return [
    route({
      ...shared,
      method: 'GET',
      path: '/system/backup',
      summary: 'How the backups of this gateway stand',
      answers: { 200: { schema: systemBackupAnswer } },
      async handle() {
        return { answer: { status: 200, body: await desk.state() } };
      },
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/system/backup/run',
      summary: 'Make a backup now, in a process beside control; how far it is, GET says',
      body: systemBackupRun,
      answers: { 202: { schema: systemBackupAnswer } },
      async handle(request) {
        const { prepare = false, keep = false } = request.body;
        await desk.run({ prepare, keep });
        return { answer: { status: 202, body: await desk.state() } };
      },
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/system/backup/key',
      answersSecret: true,
      summary: 'Make the recovery key, which this answer alone shows: without it no backup can be read',
      body: systemBackupKey,
      answers: { 201: { schema: systemBackupKeyAnswer } },
      async handle(request) {
        const { id: userId } = await requirePerson(request, request.body.password);
        const made = await desk.newKey({ replace: request.body.replace ?? false });
        const answer = { status: 201, headers: NO_STORE, body: made };
        // the key counts already: a full disk must not keep it from the person
        return {
          answer,
          changes: [entry(userId, 'recovery_key_made', { key_id: made.id })],
          whenStorageFails: () => answer,
        };
      },
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/system/backup/proof',
      summary:
        'Does this recovery key open the newest backup? It is read to its last byte; what came of it, GET says',
      body: systemBackupProof,
      answers: { 202: { schema: systemBackupAnswer } },
      async handle(request) {
        await desk.prove(request.body.recovery_key);
        return { answer: { status: 202, body: await desk.state() } };
      },
    }),
    route({
      ...shared,
      method: 'GET',
      path: '/system/restore',
      summary: 'The backup that was checked, what would change with it, and how a restore ended',
      answers: { 200: { schema: systemRestoreAnswer } },
      async handle() {
        return { answer: { status: 200, body: await desk.restore() } };
      },
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/system/restore/check',
      summary: 'Open a backup of the folder and say what would change; nothing changes',
      body: systemRestoreCheck,
      answers: { 202: { schema: systemBackupAnswer } },
      async handle(request) {
        const { backup, recovery_key: key, password } = request.body;
        const { id: userId } = await requirePerson(request, password);
        await desk.check({ backup, key });
        return {
          answer: { status: 202, body: await desk.state() },
          changes: [entry(userId, 'restore_checked', { backup })],
        };
      },
    }),
    route({
      ...shared,
      method: 'POST',
      path: '/system/restore/apply',
      summary:
        'Start anew with the backup that was checked; what is here now is kept aside, and comes back if the other does not start well',
      body: systemRestoreApply,
      answers: { 202: { schema: systemRestoreAnswer } },
      async handle(request) {
        const { backup, password } = request.body;
        const account = await requirePerson(request, password);
        await desk.apply({ backup, by: account.name });
        const answer = { status: 202, body: await desk.restore() };
        return {
          answer,
          changes: [entry(account.id, 'restore_ordered', { backup })],
          whenStorageFails: () => answer,
        };
      },
    }),
    route({
      ...shared,
      method: 'DELETE',
      path: '/system/restore',
      summary: 'Put away the backup that was checked, or the word of how a restore ended',
      answers: { 204: null },
      async handle() {
        await desk.drop();
        return { answer: { status: 204 } };
      },
    }),
  ];
}

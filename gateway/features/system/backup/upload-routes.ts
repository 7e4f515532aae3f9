import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import {
  systemBackupUpload,
  systemBackupUploadAnswer,
  systemBackupUploadPiece,
  UPLOAD_PIECE_BYTES,
  uploadedName,
} from '#contract/resources/system-backup.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import type { UploadRouteDeps } from './ports.ts';
import { backupEntry } from './routes.ts';

const shared = { tag: 'System', access: { who: 'box', right: 'keep' }, token: 'never' } as const;
const uploadParams = z.object({ upload_id: idInput });

/**
 * A backup file comes to the box, for those who may restore it: announced, sent in pieces one behind the other, and with
 * the last one it lies in the list.
 */
export function backupUploadRoutes(deps: UploadRouteDeps): Route[] {
  const { uploads } = deps;
  const entry = backupEntry(deps);
  return [
    route({
      ...shared,
      method: 'POST',
      path: '/system/backup/upload',
      summary:
        'Begin to bring a backup file to this gateway; one at a time, and a new one ends the own one before',
      body: systemBackupUpload,
      answers: { 201: { schema: systemBackupUploadAnswer } },
      async handle(request) {
        const { userId: by } = signedIn(request);
        return { answer: { status: 201, body: await uploads.begin({ bytes: request.body.bytes, by }) } };
      },
    }),
    route({
      ...shared,
      method: 'PUT',
      path: '/system/backup/upload/{upload_id}',
      hasNoTag: true,
      summary: 'The next piece of the file; the answer to the last one, which is on disk by then, names it',
      params: uploadParams,
      query: systemBackupUploadPiece,
      takes: { media: 'application/octet-stream', maxBytes: UPLOAD_PIECE_BYTES },
      answers: { 200: { schema: systemBackupUploadAnswer } },
      async handle(request) {
        const { userId: by } = signedIn(request);
        const bytes = request.upload ?? new Uint8Array();
        const { offset } = request.query;
        const body = await uploads.take({ id: request.params.upload_id, by, offset, bytes });
        const answer = { status: 200, body };
        if (body.name === null) return { answer };
        return {
          answer,
          changes: [entry(by, 'backup_uploaded', { backup: body.name, bytes: body.bytes })],
          // the file is there all the same
          whenStorageFails: () => answer,
        };
      },
    }),
    route({
      ...shared,
      method: 'DELETE',
      path: '/system/backup/upload/{upload_id}',
      summary: 'Break off an upload of the caller; what came of it goes',
      params: uploadParams,
      answers: { 204: null },
      async handle(request) {
        const { userId: by } = signedIn(request);
        await uploads.cancel({ id: request.params.upload_id, by });
        return { answer: { status: 204 } };
      },
    }),
    route({
      ...shared,
      method: 'DELETE',
      path: '/system/backup/uploaded/{name}',
      summary: 'Remove a backup that was uploaded; those of the folder of backups go by their age alone',
      params: z.object({ name: uploadedName }),
      answers: { 204: null },
      async handle(request) {
        const { userId: by } = signedIn(request);
        const { name } = request.params;
        await uploads.remove(name);
        const answer = { status: 204 };
        return {
          answer,
          changes: [entry(by, 'uploaded_backup_removed', { backup: name })],
          whenStorageFails: () => answer,
        };
      },
    }),
  ];
}

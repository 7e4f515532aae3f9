import type * as z from 'zod';
import type { systemBackupUploadAnswer } from '#contract/resources/system-backup.ts';
import { uploadWords } from '#words/backup.ts';
import { ApiError, ask, del, post, Unreachable } from '../../data/api.ts';

type Told = z.infer<typeof systemBackupUploadAnswer>;

const said = (detail: string) => new ApiError(0, { detail });

/**
 * Sends a file in pieces, each of which the gateway has before the next goes. Answers the name the file has there; throws
 * what is to be told, or `signal`'s reason. What came of an upload that ends before is removed, at the latest by itself.
 */
export async function sendBackup(
  file: Blob,
  { signal, sent }: { signal: AbortSignal; sent: (bytes: number) => void },
): Promise<string> {
  const begun = await post<Told>('/system/backup/upload', { bytes: file.size });
  const path = `/system/backup/upload/${begun.id}`;
  let { received: offset, name } = begun;
  try {
    while (name === null) {
      signal.throwIfAborted();
      const body = await pieceOf(file, offset, begun.piece_bytes);
      const told = await ask<Told>(path, { method: 'PUT', query: { offset }, body, signal });
      ({ received: offset, name } = told);
      sent(offset);
    }
    return name;
  } catch (error) {
    del(path).catch(() => {
      // the gateway drops it after two minutes
    });
    throw error instanceof Unreachable ? said(uploadWords().lost) : error;
  }
}

/** Read before it is sent: a file that cannot be read is not a gateway that cannot be reached. */
async function pieceOf(file: Blob, offset: number, most: number): Promise<Blob> {
  const bytes = await file
    .slice(offset, offset + most)
    .arrayBuffer()
    .catch(() => {
      throw said(uploadWords().unreadable);
    });
  return new Blob([bytes], { type: 'application/octet-stream' });
}

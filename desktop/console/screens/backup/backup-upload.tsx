import { useEffect, useRef, useState } from 'preact/hooks';
import type * as z from 'zod';
import type { systemBackupUploadAnswer } from '#contract/resources/system-backup.ts';
import { uploadWords } from '#words/backup.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { FileField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { ApiError, ask, del, post, Unreachable } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { refresh } from '../../data/query.ts';
import { dayAndTime, figure } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { saidIn, useWork } from '../system/use-work.ts';
import { type BackupState, fileSize } from './backup-stand.tsx';

const MOST_BYTES = 4 * 1024 ** 3 - 1;

/** A backup that lies on this computer or phone goes to the gateway, for those without the stick in the box. */
export function BackupUpload({ onArrived }: { onArrived: (name: string) => void }) {
  const words = uploadWords();
  const ending = useRef<AbortController | null>(null);
  const [file, setFile] = useState<File | null>(null);
  const [sent, setSent] = useState<number | null>(null);
  const { fault, setFault, run } = useWork(words.refused);
  // who leaves the screen leaves the upload
  useEffect(() => () => ending.current?.abort(), []);
  const wrong =
    file === null ? null : file.size === 0 ? words.empty : file.size > MOST_BYTES ? words.tooLarge : null;
  const send = async () => {
    if (file === null || sent !== null) return;
    const { signal } = (ending.current = new AbortController());
    setSent(0);
    await run(async () => {
      const name = await sendBackup(file, { signal, sent: setSent }).catch((error: unknown) => {
        // broken off by the person: nothing went wrong
        if (signal.aborted) return null;
        throw error;
      });
      if (name === null) return;
      refresh('system');
      toast(words.arrived, null, 6_000);
      setFile(null);
      onArrived(name);
    });
    setSent(null);
  };
  return (
    <div class="stack" data-upload={sent === null ? 'rest' : 'sending'}>
      <h3>{words.title}</h3>
      <FileField
        label={words.file}
        hint={words.hint}
        disabled={sent !== null}
        file={file}
        onChoose={(chosen) => {
          setFile(chosen);
          setFault(null);
        }}
      />
      <FaultNote fault={wrong ?? fault} />
      {sent === null || file === null ? null : <Progress sent={sent} whole={file.size} />}
      <div>
        {sent === null ? (
          <Button
            disabled={isBlind.value}
            unready={file === null || wrong !== null}
            onClick={() => void send()}
          >
            {words.send}
          </Button>
        ) : (
          <Button onClick={() => ending.current?.abort()}>{words.cancel}</Button>
        )}
      </div>
    </div>
  );
}

function Progress({ sent, whole }: { sent: number; whole: number }) {
  const words = uploadWords();
  const percent = `${figure(Math.floor((100 * sent) / whole))} %`;
  const text = words.sending(percent, fileSize(sent), fileSize(whole));
  return (
    <div class="note pending">
      <div class="stack grow">
        <strong>{text}</strong>
        <progress class="wide" aria-label={words.file} value={sent} max={whole} />
        <p class="muted small">{words.stay}</p>
      </div>
    </div>
  );
}

/** Where the chosen backup came from, when it was brought here, and the way to be rid of it. */
export function Uploaded({ of: chosen }: { of: BackupState['uploaded'][number] }) {
  const words = uploadWords();
  const [isAsking, setAsking] = useState(false);
  const remove = async () => {
    await del(`/system/backup/uploaded/${chosen.name}`).catch((error: unknown) => {
      throw saidIn(error, { ALREADY_RUNNING: words.refused.ALREADY_RUNNING });
    });
    refresh('system');
  };
  return (
    <div class="stack" data-uploaded={chosen.name}>
      <p class="muted small">{words.about(dayAndTime(chosen.uploaded_at), chosen.key_id)}</p>
      <div>
        <Button disabled={isBlind.value} onClick={() => setAsking(true)}>
          {words.remove}
        </Button>
      </div>
      {isAsking ? (
        <ConfirmDialog
          title={words.removeTitle}
          label={words.remove}
          work={remove}
          onClose={() => setAsking(false)}
        >
          <p>{words.removeText}</p>
        </ConfirmDialog>
      ) : null}
    </div>
  );
}

type Told = z.infer<typeof systemBackupUploadAnswer>;

const said = (detail: string) => new ApiError(0, { detail });

/**
 * Sends a file in pieces, each of which the gateway has before the next goes. Answers the name the file has there; throws
 * what is to be told, or `signal`'s reason. What came of an upload that ends before is removed, at the latest by itself.
 */
async function sendBackup(
  file: Blob,
  { signal, sent }: { signal: AbortSignal; sent: (bytes: number) => void },
): Promise<string> {
  const begun = await post('/system/backup/upload', { bytes: file.size });
  const path = `/system/backup/upload/${begun.id}` as const;
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

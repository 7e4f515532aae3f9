import type * as z from 'zod';
import type { systemBackupAnswer } from '#contract/resources/system-backup.ts';
import { backupWords } from '#words/backup.ts';
import { ApiError } from '../../data/api.ts';
import { clockTime } from '../../i18n/format.ts';

export type BackupState = z.infer<typeof systemBackupAnswer>;
type Work = NonNullable<BackupState['work']>;

/** How far what a person asked for is, and what came of it, where it was asked. */
export function WorkNote({ work, of: kind }: { work: BackupState['work']; of: Work['kind'] }) {
  const words = backupWords();
  if (work?.kind !== kind) return null;
  if (work.state === 'running') {
    return (
      <div class="note pending" role="status" data-work="running">
        <div class="stack grow">
          <strong>{work.phase === null ? words.waiting : words.phase[work.phase]}</strong>
          <progress class="wide" aria-label={work.phase === null ? words.waiting : words.phase[work.phase]} />
          <p class="muted small">{words.calm}</p>
        </div>
      </div>
    );
  }
  if (work.state === 'done') {
    return (
      <p class="note" role="status" data-work="done">
        {words.done[kind](clockTime(work.ended_at ?? work.began_at))}
      </p>
    );
  }
  return (
    <p class="note p2" role="alert" data-work="failed">
      {work.code === null ? words.unknown(work.detail ?? '') : words.trouble[work.code]}
    </p>
  );
}

/** What is wrong with a key or a password is told by a word at its field; it becomes the sentence of this screen. */
export function saidOfField(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const words = backupWords();
  const sentences: Readonly<Record<string, string>> = { ...words.trouble, ...words.refused };
  const said = error.fields.map(({ code }) => sentences[code ?? '']).find((text) => text !== undefined);
  return said === undefined ? error : new ApiError(error.status, { detail: said });
}

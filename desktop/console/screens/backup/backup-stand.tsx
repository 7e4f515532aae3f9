import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type * as z from 'zod';
import type { systemBackupAnswer } from '#contract/resources/system-backup.ts';
import { backupWords } from '#words/backup.ts';
import { WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { ApiError, post } from '../../data/api.ts';
import { soon } from '../../data/clock.ts';
import { isBlind } from '../../data/live.ts';
import { refresh } from '../../data/query.ts';
import { age, calendarDay, clockTime, dayAndTime, figure } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

/** Of three backups that should be there, none. */
const LATE_AFTER = 3;

const MB = 1_000_000;
export const fileSize = (bytes: number): string =>
  bytes < MB / 10 ? `${figure(Math.ceil(bytes / 1_000))} kB` : `${figure(bytes / MB, 1)} MB`;

/** How the backups stand, in one sentence and its facts, and the button for one more. */
export function StandCard({ state }: { state: BackupState }) {
  const words = backupWords();
  const [isAsking, setAsking] = useState(false);
  const { fault, run } = useWork(words.refused);
  const [newest] = state.backups;
  const agoMs = newest === undefined ? null : Math.max(0, soon.value - Date.parse(newest.made_at));
  const trouble = troubleOf(state, agoMs);
  const isBusy = state.work?.state === 'running';
  const make = (prepare: boolean) => async () => {
    await post('/system/backup/run', { prepare });
    refresh('system');
  };
  return (
    <section class="card stack" data-card="stand">
      <p class={`note ${trouble === null ? '' : 'p2'}`}>
        <strong>{trouble ?? words.ok}</strong>
      </p>
      <dl class="facts">
        <Fact name={words.where}>
          <span class="breaks">{state.folder}</span>
          {state.is_ready && !state.is_other_disk ? <span class="plain"> ({words.sameDisk})</span> : null}
        </Fact>
        <Fact name={words.last}>
          {newest === undefined || agoMs === null ? '—' : words.lastText(age(agoMs), fileSize(newest.bytes))}
        </Fact>
        <Fact name={words.next}>
          {state.next_at === null ? words.nextNone : dayAndTime(state.next_at)}
          <span class="plain"> ({words.every(figure(state.every_h))})</span>
        </Fact>
        <Fact name={words.key}>
          {state.key === null ? words.keyNone : words.keyText(state.key.id, calendarDay(state.key.made_at))}
        </Fact>
        <Fact name={words.proved}>
          {state.proved_at === null ? words.never : words.provedText(calendarDay(state.proved_at))}
          {state.proved_at === null ? <span class="plain"> ({words.provedNever})</span> : null}
        </Fact>
      </dl>
      {/* the first sentence says it already while the stick is not there */}
      {state.trouble === null || !state.is_ready ? null : <p class="muted small breaks">{state.trouble}</p>}
      <WorkNote work={state.work} of="backup" />
      <FaultNote fault={fault} />
      {state.key === null ? null : (
        <div>
          {state.is_ready ? (
            <WorkButton look="main" disabled={isBusy || isBlind.value} work={() => run(make(false))}>
              {words.now}
            </WorkButton>
          ) : (
            <WorkButton
              disabled={isBusy || isBlind.value}
              work={async () => {
                setAsking(true);
              }}
            >
              {words.prepare}
            </WorkButton>
          )}
        </div>
      )}
      {isAsking ? (
        <ConfirmDialog
          title={words.prepareTitle}
          label={words.prepare}
          work={make(true)}
          onClose={() => setAsking(false)}
        >
          <p>{words.prepareText(state.folder ?? '')}</p>
          {state.is_other_disk ? null : <p class="note p2">{words.prepareWarn}</p>}
        </ConfirmDialog>
      ) : null}
    </section>
  );
}

/** The first thing a hand should do something about; null: nothing. */
function troubleOf(state: BackupState, agoMs: number | null): string | null {
  const words = backupWords();
  if (state.key === null) return words.noKey;
  if (!state.is_ready) return words.noStick;
  if (state.trouble !== null) return words.failed;
  if (agoMs === null) return words.none;
  return agoMs > LATE_AFTER * state.every_h * 3_600_000 ? words.late : null;
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

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

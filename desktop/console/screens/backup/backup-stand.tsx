import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { backupWords } from '#words/backup.ts';
import { WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { post } from '../../data/api.ts';
import { soon } from '../../data/clock.ts';
import { isBlind } from '../../data/live.ts';
import { refresh } from '../../data/query.ts';
import { age, calendarDay, dayAndTime, figure } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { type BackupState, WorkNote } from './backup-work.tsx';

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

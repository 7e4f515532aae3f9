import { useState } from 'preact/hooks';
import type * as z from 'zod';
import { atTheBox } from '#contract/commands.ts';
import type { systemBackupKeyAnswer } from '#contract/resources/system-backup.ts';
import { backupWords } from '#words/backup.ts';
import { Button, WorkButton } from '../../components/button.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { CheckField, PresentPassword, TextField } from '../../components/field.tsx';
import { post } from '../../data/api.ts';
import { farms } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { refresh } from '../../data/query.ts';
import { isReadable } from '../../data/readable.ts';
import { calendarDay } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { type BackupState, saidOfField, WorkNote } from './backup-stand.tsx';

export type NewKey = z.infer<typeof systemBackupKeyAnswer>;

/** Where the key is made, and proved with the paper it was written on. */
export function KeyCard({ state, onMade }: { state: BackupState; onMade: (key: NewKey) => void }) {
  const words = backupWords();
  return (
    <section class="card stack" data-card="key">
      <h2>{words.keyTitle}</h2>
      <p class="muted">{words.keyWhy}</p>
      {state.key === null ? <MakeKey onMade={onMade} /> : <ProveKey state={state} />}
      {state.key === null ? null : (
        <details>
          <summary>{words.replace}</summary>
          <div class="stack">
            <p class="muted">{words.replaceText}</p>
            <MakeKey onMade={onMade} replaces />
          </div>
        </details>
      )}
    </section>
  );
}

function MakeKey({ onMade, replaces = false }: { onMade: (key: NewKey) => void; replaces?: boolean }) {
  const words = backupWords();
  const { fault, run } = useWork(words.refused);
  const [password, setPassword] = useState('');
  const make = () =>
    run(async () => {
      try {
        const made = await post('/system/backup/key', { password, replace: replaces });
        setPassword('');
        onMade(made);
        refresh('system');
      } catch (error) {
        throw saidOfField(error);
      }
    });
  return (
    <form noValidate class="stack" onSubmit={(event) => event.preventDefault()}>
      <PresentPassword label={words.password} value={password} onTyped={setPassword} />
      {isReadable() ? <p class="note p2">{words.readable}</p> : null}
      <FaultNote fault={fault} />
      <div>
        <WorkButton
          look={replaces ? 'danger' : 'main'}
          disabled={isBlind.value}
          unready={password === ''}
          work={make}
        >
          {replaces ? words.replace : words.make}
        </WorkButton>
      </div>
    </form>
  );
}

function ProveKey({ state }: { state: BackupState }) {
  const words = backupWords();
  const { fault, run } = useWork(words.refused);
  const [typed, setTyped] = useState('');
  const prove = () =>
    run(async () => {
      try {
        await post('/system/backup/proof', { recovery_key: typed });
      } catch (error) {
        throw saidOfField(error);
      }
      refresh('system');
    });
  return (
    <form noValidate class="stack" onSubmit={(event) => event.preventDefault()}>
      <h3>{words.prove}</h3>
      <p class="muted">{words.proveText}</p>
      <TypedKey value={typed} onTyped={setTyped} />
      <FaultNote fault={fault} />
      <WorkNote work={state.work} of="proof" />
      <div>
        <WorkButton
          disabled={isBlind.value}
          unready={typed.trim() === '' || state.work?.state === 'running'}
          work={prove}
        >
          {words.proveNow}
        </WorkButton>
      </div>
    </form>
  );
}

/** The key as it is read off the paper; no browser is to remember it. */
export function TypedKey({ value, onTyped }: { value: string; onTyped: (text: string) => void }) {
  const words = backupWords();
  return (
    <TextField
      needed
      label={words.typedKey}
      hint={words.typedHint}
      value={value}
      maxLength={100}
      autoComplete="off"
      autoCapitalize="characters"
      spellcheck={false}
      onInput={(event) => onTyped(event.currentTarget.value)}
    />
  );
}

/** The one sheet with the key, for the printer or a pen; once it is closed nobody shows it again. */
export function RecoverySheet({
  made,
  folder,
  onClose,
}: {
  made: NewKey;
  folder: string | null;
  onClose: () => void;
}) {
  const words = backupWords();
  const [isKept, setKept] = useState(false);
  const groups = made.recovery_key.split('-');
  return (
    <section class="card stack recovery-sheet" data-card="sheet">
      <h2>{words.sheetTitle}</h2>
      <p class="note p2 no-print">{words.sheetOnce}</p>
      <ol class="recovery-groups mono" aria-label={words.copyOf}>
        {groups.map((group) => (
          <li key={group}>{group}</li>
        ))}
      </ol>
      <dl class="facts">
        <div>
          <dt>{words.sheetFarms}</dt>
          <dd>{farms.value.map(({ name }) => name).join(', ') || '—'}</dd>
        </div>
        <div>
          <dt>{words.sheetMade}</dt>
          <dd>{calendarDay(made.made_at)}</dd>
        </div>
        <div>
          <dt>{words.sheetId}</dt>
          <dd class="mono">{made.id}</dd>
        </div>
      </dl>
      <p>{words.sheetHow}</p>
      <code class="mono breaks">{atTheBox(`restore --from ${folder ?? '/mnt/stick'}`)}</code>
      <p>{words.sheetKeep}</p>
      <div class="stack no-print">
        <CopyText label={words.copyOf} text={made.recovery_key} />
        <div class="row">
          <Button look="main" onClick={() => print()}>
            {words.print}
          </Button>
        </div>
        <CheckField
          label={words.isKept}
          checked={isKept}
          onInput={(event) => setKept(event.currentTarget.checked)}
        />
        <div>
          <Button unready={!isKept} onClick={onClose}>
            {words.close}
          </Button>
        </div>
      </div>
    </section>
  );
}

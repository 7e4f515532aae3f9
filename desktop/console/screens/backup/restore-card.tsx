import { useState } from 'preact/hooks';
import type * as z from 'zod';
import { atTheBox, COMMAND } from '#contract/commands.ts';
import type { systemRestoreAnswer } from '#contract/resources/system-backup.ts';
import { backupWords, uploadWords } from '#words/backup.ts';
import { Button, WorkButton } from '../../components/button.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { PresentPassword, SelectField } from '../../components/field.tsx';
import { del, post } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { refresh } from '../../data/query.ts';
import { dayAndTime, figure } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { saidIn, useWork } from '../system/use-work.ts';
import { type BackupState, fileSize, saidOfField, WorkNote } from './backup-stand.tsx';
import { BackupUpload, Uploaded } from './backup-upload.tsx';
import { TypedKey } from './recovery-key.tsx';

export type RestoreState = z.infer<typeof systemRestoreAnswer>;

/** A backup is opened and compared; only then, and only with the password once more, does it come back. */
export function RestoreCard({ state, restore }: { state: BackupState; restore: RestoreState }) {
  const words = backupWords();
  return (
    <section class="card stack" data-card="restore">
      <h2>{words.restoreTitle}</h2>
      <Outcome restore={restore} />
      {restore.state === 'checked' ? (
        <Checked state={state} restore={restore} />
      ) : ['none', 'done', 'failed'].includes(restore.state) ? (
        <ChooseBackup state={state} />
      ) : null}
    </section>
  );
}

/** What became of the last one. */
function Outcome({ restore }: { restore: RestoreState }) {
  const words = backupWords();
  const { state, checked, aside, detail } = restore;
  if (state === 'none' || state === 'checked') return null;
  const name = checked?.backup ?? '';
  if (state !== 'done' && state !== 'failed') {
    return (
      <p class="note pending" role="status">
        {words.state[state]}
      </p>
    );
  }
  return (
    <div class={`note ${state === 'failed' ? 'p2' : ''}`} role="status">
      <div class="stack grow">
        <strong class="breaks">{words.state[state](name)}</strong>
        {state === 'failed' && detail !== null ? <p class="muted small breaks">{detail}</p> : null}
        {aside === null ? null : <p class="muted small breaks">{words.kept(aside)}</p>}
        <div>
          <WorkButton
            work={async () => {
              await del('/system/restore').catch(() => undefined);
              refresh('system');
            }}
          >
            {words.forget}
          </WorkButton>
        </div>
      </div>
    </div>
  );
}

function Checked({ state, restore }: { state: BackupState; restore: RestoreState }) {
  const words = backupWords();
  const { fault, run } = useWork(words.refused);
  const [isAsking, setAsking] = useState(false);
  const { checked } = restore;
  if (checked === null) return null;
  const changing = checked.counts.filter(({ lost, back, differ }) => lost + back + differ > 0);
  const lost = checked.counts.reduce((sum, one) => sum + one.lost, 0);
  const isUploaded = state.uploaded.some(({ name }) => name === checked.backup);
  const from = `${(isUploaded ? state.uploaded_folder : state.folder) ?? ''}/${checked.backup}`;
  const service = (verb: string) => `sudo systemctl ${verb} ${COMMAND}`;
  return (
    <>
      <WorkNote work={state.work} of="check" />
      <h3>{words.found}</h3>
      <dl class="facts">
        <div>
          <dt>{words.madeAt}</dt>
          <dd>{dayAndTime(checked.made_at)}</dd>
        </div>
        <div>
          <dt>{words.newest}</dt>
          <dd>{checked.newest_at === null ? '—' : dayAndTime(checked.newest_at)}</dd>
        </div>
        <div>
          <dt>{words.farms}</dt>
          <dd>{checked.farm_names.join(', ') || '—'}</dd>
        </div>
      </dl>
      <h3>{words.changes}</h3>
      <Differences counts={checked.counts} />
      {changing.length === 0 ? <p>{words.same}</p> : null}
      {lost > 0 ? <p class="note p2">{words.losing(figure(lost), lost === 1)}</p> : null}
      <FaultNote fault={fault} />
      {restore.can_apply ? null : (
        <>
          <p>{words.byCommand}</p>
          <CopyText
            label={words.apply}
            text={`${service('stop')}; ${atTheBox(`restore --from ${from}`)}; ${service('start')}`}
          />
        </>
      )}
      <div class="row">
        <WorkButton
          work={() =>
            run(async () => {
              await del('/system/restore');
              refresh('system');
            })
          }
        >
          {words.drop}
        </WorkButton>
        {restore.can_apply ? (
          <Button look="danger" disabled={isBlind.value} onClick={() => setAsking(true)}>
            {words.apply}
          </Button>
        ) : null}
      </div>
      {isAsking ? <Apply checked={checked} onClose={() => setAsking(false)} /> : null}
    </>
  );
}

function Apply({ checked, onClose }: { checked: NonNullable<RestoreState['checked']>; onClose: () => void }) {
  const words = backupWords();
  const [password, setPassword] = useState('');
  const apply = async () => {
    try {
      await post('/system/restore/apply', { backup: checked.backup, password });
    } catch (error) {
      throw saidIn(saidOfField(error), words.refused);
    }
    refresh('system');
  };
  return (
    <ConfirmDialog
      title={words.applyTitle}
      label={words.apply}
      work={apply}
      onClose={onClose}
      isReady={password !== ''}
      mustType={{ label: words.applyType, text: words.applyWord }}
    >
      <p>
        <strong>{words.applyText(dayAndTime(checked.made_at))}</strong>
      </p>
      <p class="note p2">{words.applyMotors}</p>
      <p>{words.applySessions}</p>
      <p>{words.applyBack}</p>
      <PresentPassword label={words.password} value={password} onTyped={setPassword} />
    </ConfirmDialog>
  );
}

type Counted = NonNullable<RestoreState['checked']>['counts'][number];

/** Four columns, so that a phone shows them all. */
function Differences({ counts }: { counts: readonly Counted[] }) {
  const words = backupWords();
  const { column } = words;
  return (
    <div class="table-frame">
      <table class="table restore-counts">
        <thead>
          <tr>
            <th scope="col">{column.what}</th>
            <th scope="col" class="number">
              {column.now}
            </th>
            <th scope="col" class="number">
              {column.backup}
            </th>
            <th scope="col">{column.change}</th>
          </tr>
        </thead>
        <tbody>
          {counts.map((one) => (
            <tr key={one.what} data-what={one.what}>
              <th scope="row">{words.what[one.what]}</th>
              <td class="number">{figure(one.now)}</td>
              <td class="number">{figure(one.backup)}</td>
              <td>{changeOf(one)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function changeOf({ lost, back, differ }: Counted): string {
  const { change } = backupWords();
  const parts = [
    lost > 0 ? change.lost(figure(lost)) : null,
    back > 0 ? change.back(figure(back)) : null,
    differ > 0 ? change.differ(figure(differ)) : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? '—' : parts.join(', ');
}

/** Which backup is opened, with which key; or a file that is to be brought first. */
function ChooseBackup({ state }: { state: BackupState }) {
  const words = backupWords();
  const [chosen, setChosen] = useState<string | null>(null);
  const names = [...state.uploaded, ...state.backups].map(({ name }) => name);
  // what was brought here is what somebody wants to open; one that went is not chosen any more
  const backup = chosen !== null && names.includes(chosen) ? chosen : names[0];
  return (
    <>
      {backup === undefined && state.folder !== null ? <p class="muted">{words.refused.NO_BACKUP}</p> : null}
      {backup === undefined ? null : <Open state={state} backup={backup} onChosen={setChosen} />}
      <BackupUpload onArrived={setChosen} />
    </>
  );
}

function Open({
  state,
  backup,
  onChosen,
}: {
  state: BackupState;
  backup: string;
  onChosen: (name: string) => void;
}) {
  const words = backupWords();
  const { fault, run } = useWork(words.refused);
  const [typed, setTyped] = useState('');
  const [password, setPassword] = useState('');
  const uploaded = state.uploaded.find(({ name }) => name === backup);
  const open = () =>
    run(async () => {
      try {
        await post('/system/restore/check', { backup, recovery_key: typed, password });
      } catch (error) {
        throw saidOfField(error);
      }
      refresh('system');
    });
  return (
    <form noValidate class="stack" onSubmit={(event) => event.preventDefault()}>
      <p class="muted">{words.restoreText}</p>
      <SelectField
        label={words.which}
        value={backup}
        onInput={(event) => onChosen(event.currentTarget.value)}
        options={[
          ...state.uploaded.map((one) => ({ ...one, option: uploadWords().option })),
          ...state.backups.map((one) => ({ ...one, option: one.kept ? words.optionKept : words.option })),
        ].map(({ name, made_at, bytes, option }) => ({
          value: name,
          label: option(dayAndTime(made_at), fileSize(bytes)),
        }))}
      />
      {uploaded === undefined ? null : <Uploaded of={uploaded} />}
      <TypedKey value={typed} onTyped={setTyped} />
      <PresentPassword label={words.password} value={password} onTyped={setPassword} />
      <FaultNote fault={fault} />
      {state.work?.state === 'done' ? null : <WorkNote work={state.work} of="check" />}
      <div>
        <WorkButton
          disabled={state.work?.state === 'running' || isBlind.value}
          unready={typed.trim() === '' || password === ''}
          work={open}
        >
          {words.open}
        </WorkButton>
      </div>
    </form>
  );
}

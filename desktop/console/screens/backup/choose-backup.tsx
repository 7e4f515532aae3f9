import { useState } from 'preact/hooks';
import { WorkButton } from '../../components/button.tsx';
import { PresentPassword, SelectField } from '../../components/field.tsx';
import { post } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { refresh } from '../../data/query.ts';
import { dayAndTime } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { fileSize } from './backup-stand.tsx';
import { BackupUpload, Uploaded } from './backup-upload.tsx';
import { backupWords } from './backup-words.ts';
import { type BackupState, saidOfField, WorkNote } from './backup-work.tsx';
import { TypedKey } from './recovery-key.tsx';
import { uploadWords } from './upload-words.ts';

/** Which backup is opened, with which key; or a file that is to be brought first. */
export function ChooseBackup({ state }: { state: BackupState }) {
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
    <form class="stack" onSubmit={(event) => event.preventDefault()}>
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
          disabled={
            typed.trim() === '' || password === '' || state.work?.state === 'running' || isBlind.value
          }
          work={open}
        >
          {words.open}
        </WorkButton>
      </div>
    </form>
  );
}

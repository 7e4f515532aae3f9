import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { MOST_CRITICAL_SHELF_MINUTES } from '#contract/alert-priority.ts';
import { listWords } from '#words/alarms.ts';
import { componentWords } from '#words/components.ts';
import { faultText } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { BlindNote } from '../../components/off-dialog.tsx';
import { acknowledge } from '../../data/alarms.ts';
import { post } from '../../data/api.ts';
import type { Alert } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import type { Alarm } from '../../state/alarm-state.ts';

const MOST_MINUTES = { 1: MOST_CRITICAL_SHELF_MINUTES, 2: 480, 3: 480 } as const;
const CHOICES = [15, 30, 60, 120, 240, 480] as const;

/** Silencing stops the sound; putting off takes it from the list, for a time and with a reason. It is for the alarm as it was asked about. */
export function PutOff({
  asks,
  alarm,
  onClose,
}: {
  asks: 'silence' | 'shelve';
  alarm: Alarm<Alert>;
  onClose: () => void;
}) {
  const words = listWords();
  const [asked] = useState(alarm);
  const [minutes, setMinutes] = useState('30');
  const [reason, setReason] = useState('');
  const most = asks === 'silence' ? 60 : MOST_MINUTES[asked.priority];
  return (
    <Question
      title={asks === 'shelve' ? words.shelveTitle : words.silenceTitle}
      hint={asks === 'shelve' ? words.shelveHint : words.silenceHint}
      label={asks === 'shelve' ? words.shelve : words.silence}
      field={words.reason}
      text={reason}
      onText={setReason}
      work={() => post(`/alerts/${asked.newest.id}/${asks}`, { minutes: Number(minutes), reason })}
      onClose={onClose}
      refusal={alarm.priority < asked.priority ? words.gotWorse : null}
    >
      <SelectField
        label={words.forHowLong}
        value={minutes}
        options={CHOICES.filter((choice) => choice <= most).map((choice) => ({
          value: String(choice),
          label: words.minutes(choice),
        }))}
        onChange={(event) => setMinutes(event.currentTarget.value)}
      />
    </Question>
  );
}

/** What was found and done, for whoever comes next. */
export function Note({ alarm, onClose }: { alarm: Alarm<Alert>; onClose: () => void }) {
  const words = listWords();
  const [asked] = useState(alarm);
  const [note, setNote] = useState(alarm.newest.acknowledge_note ?? '');
  return (
    <Question
      title={words.noteTitle}
      hint={words.noteHint}
      label={words.keepNote}
      field={words.note}
      text={note}
      onText={setNote}
      work={() => acknowledge(asked, note)}
      onClose={onClose}
    />
  );
}

function Question({
  title,
  hint,
  label,
  field,
  text,
  onText,
  work,
  onClose,
  refusal = null,
  children,
}: {
  title: string;
  hint: string;
  label: string;
  field: string;
  text: string;
  onText: (text: string) => void;
  work: () => Promise<unknown>;
  onClose: () => void;
  refusal?: string | null;
  children?: ComponentChildren;
}) {
  const [fault, setFault] = useState<string | null>(null);
  const submit = async () => {
    try {
      await work();
      onClose();
    } catch (error) {
      setFault(faultText(error));
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button big onClick={onClose}>
            {componentWords().cancel}
          </Button>
          <WorkButton
            big
            look="main"
            disabled={isBlind.value}
            unready={text.trim() === '' || refusal !== null}
            work={submit}
          >
            {label}
          </WorkButton>
        </>
      }
    >
      <p class="muted">{hint}</p>
      {children}
      <TextField
        needed
        label={field}
        value={text}
        maxLength={255}
        fault={refusal ?? fault}
        onInput={(event) => onText(event.currentTarget.value)}
      />
      <BlindNote />
    </Dialog>
  );
}

import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { alarmText } from '../../components/alarm-words.ts';
import { faultText } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { PriorityMark } from '../../components/priority-mark.tsx';
import { toast } from '../../components/toast.tsx';
import { componentWords } from '../../components/words.ts';
import { acknowledge } from '../../data/alarms.ts';
import { post } from '../../data/api.ts';
import { now, soon } from '../../data/clock.ts';
import { type Alert, mayOperate } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { usePonds } from '../../data/places.ts';
import { age, clockTime, dayAndTime } from '../../i18n/format.ts';
import type { Alarm } from '../../state/alarm-state.ts';
import { listWords } from './words.ts';

const MOST_MINUTES = { 1: 30, 2: 480, 3: 480 } as const;
const CHOICES = [15, 30, 60, 120, 240, 480] as const;

/** One alarm: what, where, since when, how it stands; open, it says what to do. */
export function AlarmRow({ alarm, place, isOpen }: { alarm: Alarm<Alert>; place: string; isOpen: boolean }) {
  const words = listWords();
  const [asks, setAsks] = useState<'silence' | 'shelve' | null>(null);
  const { newest, priority, state, since, count } = alarm;
  // told in seconds for its first minute; a hundred rows are not drawn anew every second
  const at = now.peek() - since < 60_000 ? now.value : soon.value;
  return (
    <li class={`card stack alarm-row p${priority}`} data-alarm={alarm.key} data-state={state}>
      <div class="row nowrap">
        <PriorityMark priority={priority} />
        <div class="grow">
          <h2>
            {place} · {alarmText(newest)}
          </h2>
          <p class="muted small">
            {words.since(dayAndTime(since))} · {age(at - since)}
            {count > 1 ? ` · ${words.times(count)}` : ''} · {words.state[state]}
            {state === 'shelved' && newest.shelved_until !== null
              ? ` ${words.until(clockTime(newest.shelved_until))}`
              : ''}
          </p>
        </div>
      </div>
      {isOpen || state === 'unanswered' ? (
        <p>
          <strong>{words.whatToDo}: </strong>
          {words.advice[newest.type]}
        </p>
      ) : null}
      <div class="row">
        {mayOperate.value && state !== 'acknowledged' ? (
          <WorkButton
            big
            look="main"
            disabled={isBlind.value}
            work={() => acknowledge(alarm.key).catch((error: unknown) => toast(faultText(error)))}
          >
            {words.acknowledge}
          </WorkButton>
        ) : null}
        {mayOperate.value ? (
          <>
            <Button big disabled={isBlind.value} onClick={() => setAsks('silence')}>
              {words.silence}
            </Button>
            <Button big disabled={isBlind.value} onClick={() => setAsks('shelve')}>
              {words.shelve}
            </Button>
          </>
        ) : null}
        <Where alert={newest} />
      </div>
      {asks === null ? null : <PutOff asks={asks} alarm={alarm} onClose={() => setAsks(null)} />}
    </li>
  );
}

function Where({ alert }: { alert: Alert }) {
  const words = listWords();
  const { ponds } = usePonds();
  const pond = ponds.find(({ id }) => id === alert.pond_id);
  if (pond !== undefined) {
    return (
      <Link class="button big" href={`/viveiros/${encodeURIComponent(pond.cod)}`}>
        {words.toPond}
      </Link>
    );
  }
  if (alert.control_point_id === null) return null;
  return (
    <Link class="button big" href={`/aeracao/${alert.control_point_id}`}>
      {words.toPoint}
    </Link>
  );
}

/** Silencing stops the sound; putting off takes it from the list, for a time and with a reason. */
function PutOff({
  asks,
  alarm,
  onClose,
}: {
  asks: 'silence' | 'shelve';
  alarm: Alarm<Alert>;
  onClose: () => void;
}) {
  const words = listWords();
  const cancel = componentWords().cancel;
  const [fault, setFault] = useState<string | null>(null);
  const [minutes, setMinutes] = useState('30');
  const [reason, setReason] = useState('');
  const most = asks === 'silence' ? 60 : MOST_MINUTES[alarm.priority];
  const submit = async () => {
    try {
      await post(`/alerts/${alarm.newest.id}/${asks}`, { minutes: Number(minutes), reason });
      onClose();
    } catch (error) {
      setFault(faultText(error));
    }
  };
  return (
    <Dialog
      title={asks === 'shelve' ? words.shelveTitle : words.silenceTitle}
      onClose={onClose}
      actions={
        <>
          <Button big onClick={onClose}>
            {cancel}
          </Button>
          <WorkButton big look="main" disabled={reason.trim() === ''} work={submit}>
            {asks === 'shelve' ? words.shelve : words.silence}
          </WorkButton>
        </>
      }
    >
      <p class="muted">{asks === 'shelve' ? words.shelveHint : words.silenceHint}</p>
      <SelectField
        label={words.forHowLong}
        value={minutes}
        options={CHOICES.filter((choice) => choice <= most).map((choice) => ({
          value: String(choice),
          label: words.minutes(choice),
        }))}
        onChange={(event) => setMinutes(event.currentTarget.value)}
      />
      <TextField
        label={words.reason}
        value={reason}
        maxLength={255}
        fault={fault}
        onInput={(event) => setReason(event.currentTarget.value)}
      />
    </Dialog>
  );
}

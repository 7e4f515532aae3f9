import { useState } from 'preact/hooks';
import type * as z from 'zod';
import type { systemClockAnswer } from '#contract/resources/system-clock.ts';
import { healthWords } from '#words/box.ts';
import { Answer } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { post } from '../../data/api.ts';
import { now } from '../../data/clock.ts';
import { mayOperate } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { TIME } from '../../data/schedules.ts';
import { clockTime, dayAndTime, figure, instantAt, isoDay } from '../../i18n/format.ts';
import { useWork } from '../system/use-work.ts';
import { FaultNote } from './system-page.tsx';

type Clock = z.infer<typeof systemClockAnswer>;

/** The time that schedules are read off, whether it is to be trusted, and the way to set it by hand. */
export function ClockCard() {
  const words = healthWords();
  const clock = useGet<Clock>('/system/clock');
  const { fault, run } = useWork();
  const confirm = () =>
    run(async () => {
      await post('/system/clock', {});
      refresh('system');
    }, words.confirmed);
  return (
    <section class="card stack">
      <h2>{isHosted.value ? words.cloudClock : words.clock}</h2>
      <Answer of={clock}>
        {(told) => (
          <>
            <p>
              <strong class="plan-name">{dayAndTime(now.value)}</strong>{' '}
              <span class="muted">
                {words[told.quality]} · {words.reason[told.reason]}
                {told.correction_s === 0 ? '' : ` · ${words.correction(figure(told.correction_s, 1))}`}
              </span>
            </p>
            {told.quality === 'estimated' && mayOperate.value && !isHosted.value ? (
              <div>
                <WorkButton big look="main" disabled={isBlind.value} work={confirm}>
                  {words.isRight}
                </WorkButton>
              </div>
            ) : null}
            <FaultNote fault={fault} />
            {/* nobody of a farm sets the clock of the cloud */}
            {mayOperate.value && !isHosted.value ? <SetByHand shown={told.server_time} /> : null}
          </>
        )}
      </Answer>
    </section>
  );
}

function SetByHand({ shown }: { shown: string }) {
  const words = healthWords();
  const [day, setDay] = useState(() => isoDay(now.value));
  const [time, setTime] = useState('');
  const [reason, setReason] = useState('');
  const [isAsking, setAsking] = useState(false);
  const isRight = day !== '' && TIME.test(time);
  const set = async () => {
    await post('/system/clock', {
      server_time: instantAt(day, time),
      replaces: shown,
      ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
    });
    refresh('system');
  };
  return (
    <details>
      <summary>{words.setByHand}</summary>
      <div class="stack">
        <p class="muted">{words.setText}</p>
        <div class="form-grid">
          <TextField
            label={words.day}
            type="date"
            value={day}
            onInput={(event) => setDay(event.currentTarget.value)}
          />
          <TextField
            label={words.time}
            value={time}
            placeholder={clockTime(now.value)}
            inputMode="numeric"
            maxLength={5}
            fault={time === '' || TIME.test(time) ? null : words.badTime}
            onInput={(event) => setTime(event.currentTarget.value)}
          />
          <TextField
            label={words.why}
            value={reason}
            maxLength={255}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </div>
        <div>
          <Button look="danger" disabled={isBlind.value} unready={!isRight} onClick={() => setAsking(true)}>
            {words.set}
          </Button>
        </div>
      </div>
      {isAsking ? (
        <ConfirmDialog title={words.setTitle} label={words.set} work={set} onClose={() => setAsking(false)}>
          <p>{words.setWarn(dayAndTime(now.value), dayAndTime(instantAt(day, time)))}</p>
        </ConfirmDialog>
      ) : null}
    </details>
  );
}

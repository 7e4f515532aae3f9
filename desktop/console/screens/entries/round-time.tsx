import { useState } from 'preact/hooks';
import { entryWords, formWords } from '#words/entries.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { now } from '../../data/clock.ts';
import { chooseRoundTime, roundTime } from '../../data/water-draft.ts';
import { clockTime, dayAndTime, instantAt, isoDay } from '../../i18n/format.ts';
import { roundTimeFault } from './water-round.ts';

/** When the readings of the round were taken: now, or at an hour that stands on the paper sheet. One line but while it is typed. */
export function RoundTimeFields() {
  const words = entryWords();
  const fields = formWords();
  const [isTyping, setTyping] = useState(false);
  const chosen = roundTime.value;
  const fault = roundTimeFault(chosen);
  if (chosen === null)
    return (
      <div class="row" data-round-time="now">
        <span class="muted">{words.takenNow}</span>
        <Button
          look="quiet"
          onClick={() => {
            chooseRoundTime({ day: isoDay(now.value), time: clockTime(now.value) });
            setTyping(true);
          }}
        >
          {words.otherHour}
        </Button>
      </div>
    );
  const backToNow = (
    <Button onClick={() => chooseRoundTime(null)} key="now">
      {words.now}
    </Button>
  );
  if (!isTyping && fault === null)
    return (
      <div class="note p3" data-round-time="chosen">
        <span class="grow" role="status">
          {words.takenAtHour(dayAndTime(instantAt(chosen.day, chosen.time)))}
        </span>
        <Button onClick={() => setTyping(true)}>{words.change}</Button>
        {backToNow}
      </div>
    );
  return (
    <div class="note p3 round-time" data-round-time="chosen">
      <TextField
        label={fields.when}
        type="date"
        max={isoDay(now.value)}
        value={chosen.day}
        onInput={(event) => chooseRoundTime({ ...chosen, day: event.currentTarget.value })}
      />
      <TextField
        label={fields.time}
        inputMode="numeric"
        value={chosen.time}
        fault={fault === null ? null : fault === 'ahead' ? words.hourAhead : fields.badTime}
        onInput={(event) => chooseRoundTime({ ...chosen, time: event.currentTarget.value })}
      />
      {backToNow}
    </div>
  );
}

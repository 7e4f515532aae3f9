import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { now } from '../../data/clock.ts';
import { chooseRoundTime, roundTime } from '../../data/water-draft.ts';
import { clockTime, isoDay } from '../../i18n/format.ts';
import { formWords } from './form-words.ts';
import { roundTimeFault } from './water-round.ts';
import { entryWords } from './words.ts';

/** When the readings of the round were taken: now, or at an hour that stands on the paper sheet. */
export function RoundTimeFields() {
  const words = entryWords();
  const fields = formWords();
  const chosen = roundTime.value;
  if (chosen === null)
    return (
      <div class="row" data-round-time="now">
        <span class="muted">{words.takenNow}</span>
        <Button
          look="quiet"
          onClick={() => chooseRoundTime({ day: isoDay(now.value), time: clockTime(now.value) })}
        >
          {words.otherHour}
        </Button>
      </div>
    );
  const fault = roundTimeFault(chosen);
  return (
    <div class="note p3 stack" data-round-time="chosen">
      <p role="status">{words.takenAt}</p>
      <div class="form-grid">
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
      </div>
      <Button onClick={() => chooseRoundTime(null)}>{words.now}</Button>
    </div>
  );
}

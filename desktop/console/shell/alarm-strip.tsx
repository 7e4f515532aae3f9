import { useLayoutEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { shellWords } from '#words/shell.ts';
import { alarmText } from '../components/alarm-text.ts';
import { faultText, isSettled } from '../components/answer.tsx';
import { WorkButton } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { toast } from '../components/toast.tsx';
import { PriorityMark } from '../components/value.tsx';
import { acknowledge, toAnswer, unanswered } from '../data/alarms.ts';
import { now, soon } from '../data/clock.ts';
import { type Alert, mayOn } from '../data/farm-store.ts';
import { isBlind } from '../data/live.ts';
import { usePlaceOf } from '../data/places.ts';
import { age, countdown, isoDay } from '../i18n/format.ts';
import { type Alarm, isSoundTestDue } from '../state/alarm-state.ts';
import { arm, isBlocked, silence, silenceLeft, soundTestedAt, testSound } from './sound.ts';

/** What the strip shows now, and since when: a press answers what was seen, not what has just come in its place. */
let shown: { alarm: Alarm<Alert>; since: number } | null = null;

/** What turns critical under the finger is another thing than what stood there. */
function seenSince({ key, priority }: Alarm<Alert>): number {
  if (shown === null || shown.alarm.key !== key || shown.alarm.priority > priority) return performance.now();
  return shown.since;
}

/** The alarm that must be answered first, on every page, with the one press that answers it. */
export function AlarmStrip() {
  const words = shellWords();
  const placeOf = usePlaceOf();
  const [first, ...others] = toAnswer.value;
  useLayoutEffect(() => {
    if (first === undefined) shown = null;
    else shown = { alarm: first, since: seenSince(first) };
  }, [first]);
  if (first === undefined) return null;
  const isOver = first.state === 'returned';
  return (
    <div
      class={`alarm-strip ${isOver ? '' : `p${first.priority}`}`}
      role={isOver ? 'status' : 'alert'}
      data-alarm={first.key}
      data-state={first.state}
    >
      <Link href={`/alarmes/${first.key}`} class="grow row nowrap alarm-text">
        <PriorityMark priority={first.priority} isOver={isOver} />
        <span>
          <strong>{placeOf(first.newest)}</strong> {alarmText(first.newest)}{' '}
          <span class="muted">
            · {isOver ? words.ended(endedFor(first)) : age(now.value - first.since)}
            {others.length === 0 ? '' : ` · ${words.others(others.length)}`}
          </span>
        </span>
      </Link>
      {mayOn(first.newest.farm_id, 'attend') ? (
        <WorkButton big look="main" disabled={isBlind.value} work={answerShown} title="F8">
          {words.acknowledge}
        </WorkButton>
      ) : null}
      <Link href="/alarmes" class="button big wide-only">
        {words.open}
      </Link>
    </div>
  );
}

const endedFor = ({ newest }: Alarm<Alert>): string => age(now.value - Date.parse(newest.resolved_at ?? ''));

/** Answers the alarm in the strip, also on F8. */
export async function answerShown(): Promise<void> {
  if (shown === null || isBlind.value || !isSettled(shown.since)) return;
  const { alarm } = shown;
  if (!mayOn(alarm.newest.farm_id, 'attend')) return;
  await acknowledge(alarm).catch((error: unknown) => toast(faultText(error)));
}

/** Sound is watched like everything else: armed, silenced with the time left, or held back by the browser. */
export function SoundLamp() {
  const words = shellWords();
  if (isBlocked.value) {
    return (
      <button type="button" class="lamp bad" onClick={() => void arm()}>
        <Icon name="mute" size={18} />
        <span class="wide-only">{words.sound.blocked}</span>
        <span class="phone-only">{words.sound.none}</span>
      </button>
    );
  }
  if (silenceLeft.value > 0)
    return (
      <span class="lamp">
        <Icon name="mute" size={18} /> {words.sound.silenced(countdown(silenceLeft.value))}
      </span>
    );
  return (
    <button
      type="button"
      class="lamp well"
      disabled={unanswered.value.length === 0}
      onClick={silence}
      title="F9"
    >
      <Icon name="sound" size={18} /> <span>{words.sound.armed}</span>
    </button>
  );
}

/** Asked once a shift where nobody sits: a loudspeaker that is off is found out by day, not by the first alarm of the night. */
export function SoundTestLamp() {
  const words = shellWords();
  const testedAt = soundTestedAt.value;
  if (!isSoundTestDue(testedAt, soon.value, isoDay)) return null;
  return (
    <button type="button" class="lamp" data-sound-test="due" onClick={() => void testSound()}>
      <Icon name="sound" size={18} />{' '}
      {testedAt === null
        ? words.sound.neverTested
        : words.sound.testDue(age(Math.max(0, soon.value - testedAt)))}
    </button>
  );
}

import { Icon } from '../components/icon.tsx';
import { unanswered } from '../data/alarms.ts';
import { soon } from '../data/clock.ts';
import { age, countdown, isoDay } from '../i18n/format.ts';
import { isSoundTestDue } from '../state/alarm-state.ts';
import { arm, isBlocked, silence, silenceLeft, soundTestedAt, testSound } from './sound.ts';
import { shellWords } from './words.ts';

/** Sound is watched like everything else: armed, silenced with the time left, or held back by the browser. */
export function SoundLamp() {
  const words = shellWords();
  if (isBlocked.value) {
    return (
      <button type="button" class="lamp bad" onClick={() => void arm()}>
        <Icon name="mute" size={18} /> {words.sound.blocked}
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
    <button type="button" class="lamp" disabled={unanswered.value.length === 0} onClick={silence} title="F9">
      <Icon name="sound" size={18} /> {words.sound.armed}
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

import { Icon } from '../components/icon.tsx';
import { unanswered } from '../data/alarms.ts';
import { countdown } from '../i18n/format.ts';
import { arm, isBlocked, silence, silenceLeft } from './sound.ts';
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

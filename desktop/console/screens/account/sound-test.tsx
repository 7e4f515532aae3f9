import { useState } from 'preact/hooks';
import { WorkButton } from '../../components/button.tsx';
import { dayAndTime } from '../../i18n/format.ts';
import { soundTestedAt, testSound } from '../../shell/sound.ts';
import { preferenceWords } from './preference-words.ts';

/** The alarm is only worth something where it can be heard. */
export function SoundTest() {
  const words = preferenceWords();
  const [said, setSaid] = useState<'heard' | 'blocked' | null>(null);
  const test = async () => setSaid((await testSound()) ? 'heard' : 'blocked');
  return (
    <div class="stack">
      <p class="muted">{words.soundText}</p>
      <div class="row">
        <WorkButton big work={test}>
          {words.test}
        </WorkButton>
        <span class="muted small">
          {soundTestedAt.value === null ? words.neverTested : words.lastTest(dayAndTime(soundTestedAt.value))}
        </span>
      </div>
      <p role="status">{said === null ? '' : words[said]}</p>
    </div>
  );
}

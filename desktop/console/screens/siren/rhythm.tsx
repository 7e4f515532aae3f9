import { useState } from 'preact/hooks';
import { WorkButton } from '../../components/button.tsx';
import { DecimalField } from '../../components/field.tsx';
import { put } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { refresh } from '../../data/query.ts';
import { readCount } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { systemWords } from '../system/words.ts';
import { sirenWords } from './words.ts';

const MOST_MINUTES = 60;
const isMinutes = (value: number | null): boolean => value !== null && value >= 1 && value <= MOST_MINUTES;

/** How long the siren sounds and pauses while nobody acknowledges. */
export function Rhythm({ farmId, sound, pause }: { farmId: string; sound: number; pause: number }) {
  const words = sirenWords();
  const shared = systemWords();
  const { fault, run } = useWork();
  const [typed, setTyped] = useState({ sound: String(sound), pause: String(pause) });
  const minutes = { sound: readCount(typed.sound), pause: readCount(typed.pause) };
  const save = () =>
    run(async () => {
      await put(`/farms/${farmId}/siren/settings`, {
        sound_minutes: minutes.sound,
        pause_minutes: minutes.pause,
      });
      refresh('farms');
    }, shared.saved);
  return (
    <section class="card stack" aria-labelledby="siren-rhythm">
      <h2 id="siren-rhythm">{words.rhythm}</h2>
      <div class="form-grid">
        {(['sound', 'pause'] as const).map((name) => (
          <DecimalField
            key={name}
            label={words[name]}
            unit="min"
            inputMode="numeric"
            value={typed[name]}
            fault={isMinutes(minutes[name]) ? null : words.badMinutes}
            onInput={(event) => setTyped({ ...typed, [name]: event.currentTarget.value })}
          />
        ))}
      </div>
      <FaultNote fault={fault} />
      <div>
        <WorkButton
          disabled={isBlind.value || !isMinutes(minutes.sound) || !isMinutes(minutes.pause)}
          work={save}
        >
          {shared.save}
        </WorkButton>
      </div>
    </section>
  );
}

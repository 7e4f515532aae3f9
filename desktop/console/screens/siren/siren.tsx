import { useState } from 'preact/hooks';
import type { SirenAnswer } from '#contract/resources/sirens.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { DecimalField } from '../../components/field.tsx';
import { put } from '../../data/api.ts';
import { farm, mayOperate } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { readCount } from '../../i18n/format.ts';
import { FaultNote, SystemPage } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { systemWords } from '../system/words.ts';
import { ModemCard } from './modem-card.tsx';
import { SirenList } from './siren-list.tsx';
import { SirenNow } from './siren-now.tsx';
import { SmsCard } from './sms-card.tsx';
import { sirenWords } from './words.ts';

const MOST_MINUTES = 60;

const isMinutes = (value: number | null): boolean => value !== null && value >= 1 && value <= MOST_MINUTES;

/** What wakes people at the farm without the internet: the siren and the SMS of the box. */
export function Siren() {
  const words = sirenWords();
  if (isHosted.value || farm.value === null) {
    return (
      <SystemPage title={words.title}>
        <Empty text={isHosted.value ? words.onlyHere : systemWords().noRight} />
      </SystemPage>
    );
  }
  return <OfFarm key={farm.value.id} farmId={farm.value.id} />;
}

function OfFarm({ farmId }: { farmId: string }) {
  const words = sirenWords();
  const siren = useGet<SirenAnswer>(`/farms/${farmId}/siren`);
  return (
    <SystemPage title={words.title} narrow>
      <p class="muted">{words.intro}</p>
      <Answer of={siren}>
        {(told) => (
          <>
            {told.sirens.length === 0 ? null : <SirenNow farmId={farmId} told={told} />}
            <SirenList told={told} />
            {mayOperate.value && told.sirens.length > 0 ? (
              <Rhythm
                key={`${told.sound_minutes} ${told.pause_minutes}`}
                farmId={farmId}
                sound={told.sound_minutes}
                pause={told.pause_minutes}
              />
            ) : null}
          </>
        )}
      </Answer>
      <ModemCard />
      <SmsCard />
    </SystemPage>
  );
}

/** How long the siren sounds and pauses while nobody acknowledges. */
function Rhythm({ farmId, sound, pause }: { farmId: string; sound: number; pause: number }) {
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

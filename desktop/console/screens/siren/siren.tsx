import type { SirenAnswer } from '#contract/resources/sirens.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { farm, mayOperate } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { useGet } from '../../data/query.ts';
import { SystemPage } from '../box/system-page.tsx';
import { systemWords } from '../system/words.ts';
import { ModemCard } from './modem-card.tsx';
import { Rhythm } from './rhythm.tsx';
import { SirenList } from './siren-list.tsx';
import { SirenNow } from './siren-now.tsx';
import { SmsCard } from './sms-card.tsx';
import { sirenWords } from './words.ts';

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

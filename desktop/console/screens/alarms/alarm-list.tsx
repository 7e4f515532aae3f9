import { useRef } from 'preact/hooks';
import { Empty } from '../../components/answer.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { alarms } from '../../data/alarms.ts';
import { soon } from '../../data/clock.ts';
import { isKnown } from '../../data/farm-store.ts';
import { usePlaceOf } from '../../data/places.ts';
import { isFlood } from '../../state/alarm-state.ts';
import { AlarmFigures } from './alarm-figures.tsx';
import { AlarmHistory } from './alarm-history.tsx';
import { AlarmRow } from './alarm-row.tsx';
import { listWords } from './words.ts';

/** The page never grows without end: in a flood the first hundred are what a person can look at. */
const MOST_ROWS = 100;

export function AlarmList({ params }: { params: Readonly<Record<string, string>> }) {
  const words = listWords();
  const shown = params['tab'] ?? '';
  return (
    <div class="page">
      <h1>{words.title}</h1>
      <Tabs
        label={words.title}
        tabs={[
          { href: '/alarmes', label: words.tabs.active },
          { href: '/alarmes/adiados', label: words.tabs.shelved },
          { href: '/alarmes/historico', label: words.tabs.past },
          { href: '/alarmes/desempenho', label: words.tabs.figures },
        ]}
      />
      {shown === 'historico' ? (
        <AlarmHistory />
      ) : shown === 'desempenho' ? (
        <AlarmFigures />
      ) : (
        <Standing shown={shown} />
      )}
    </div>
  );
}

function Standing({ shown }: { shown: string }) {
  const words = listWords();
  const placeOf = usePlaceOf();
  const wasFlood = useRef(false);
  const isShelved = shown === 'adiados';
  const listed = alarms.value.filter(({ state }) => (state === 'shelved') === isShelved);
  wasFlood.current = isFlood(
    listed.map(({ since }) => since),
    soon.value,
    wasFlood.current,
  );
  if (!isKnown.value) return <div class="skeleton" aria-busy="true" />;
  if (listed.length === 0) return <Empty text={isShelved ? words.noneShelved : words.none} />;
  return (
    <>
      {wasFlood.current && !isShelved ? (
        <p class="note p2" role="status">
          {words.flood(listed.length)}
        </p>
      ) : null}
      <ul class="stack">
        {listed.slice(0, MOST_ROWS).map((alarm) => (
          <AlarmRow
            key={alarm.key}
            alarm={alarm}
            place={placeOf(alarm.newest)}
            isOpen={alarm.key === shown}
          />
        ))}
      </ul>
    </>
  );
}

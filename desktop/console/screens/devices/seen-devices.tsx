import type { SeenDevice } from '#contract/resources/devices.ts';
import { deviceWords } from '#words/devices.ts';
import { Answer } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { now } from '../../data/clock.ts';
import { isBlind } from '../../data/live.ts';
import { useGet } from '../../data/query.ts';
import { age } from '../../i18n/format.ts';

/** Controllers that knocked and are nobody's. */
export function SeenDevices({ onAdopt }: { onAdopt: (deviceId: string) => void }) {
  const words = deviceWords();
  const seen = useGet<SeenDevice[]>('/devices/seen');
  return (
    <section class="card stack">
      <h2>{words.unknown}</h2>
      <Answer of={seen} isEmpty={(rows) => rows.length === 0} empty={<p class="muted">{words.noUnknown}</p>}>
        {(rows) => (
          <>
            <p class="muted">{words.unknownText}</p>
            <ul class="lines">
              {rows.map((device) => (
                <li key={device.device_id} class="row apart">
                  <div>
                    <strong class="mono">{device.device_id}</strong>
                    <p class="muted small">
                      {words.keptOut[device.reason]} ·{' '}
                      {words.ago(age(now.value - Date.parse(device.last_seen)))} · {words.times(device.count)}{' '}
                      · {device.via.toUpperCase()} · {device.source}
                    </p>
                  </div>
                  <Button disabled={isBlind.value} onClick={() => onAdopt(device.device_id)}>
                    {words.adopt}
                  </Button>
                </li>
              ))}
            </ul>
          </>
        )}
      </Answer>
    </section>
  );
}

import { useState } from 'preact/hooks';
import type { SirenAnswer } from '#contract/resources/sirens.ts';
import { alarmWords } from '../../components/alarm-words.ts';
import { WorkButton } from '../../components/button.tsx';
import { SelectField } from '../../components/field.tsx';
import { post } from '../../data/api.ts';
import { now } from '../../data/clock.ts';
import { mayAttend, mayOperate } from '../../data/farm-store.ts';
import { isBlind } from '../../data/live.ts';
import { refresh } from '../../data/query.ts';
import { age, countdown } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { sirenWords } from './words.ts';

const HUSHES = [5, 10, 15, 30] as const;
/** Seconds that a test is heard. */
export const TEST_S = 5;

/** Whether it sounds and for what, and the hand on it. */
export function SirenNow({ farmId, told }: { farmId: string; told: SirenAnswer }) {
  const words = sirenWords();
  const { fault, run } = useWork(words.fault);
  const [minutes, setMinutes] = useState('10');
  const { state, until, alerts } = told;
  const left = until === null ? 0 : Date.parse(until) - now.value;
  const isLoud = state === 'sounding' || state === 'pausing' || state === 'hushed';
  const act = (what: 'test' | 'hush', body: unknown, done: string) =>
    run(() => post(`/farms/${farmId}/siren/${what}`, body).finally(() => refresh('farms')), done);
  return (
    <section class="card stack" data-siren={state} aria-labelledby="siren-now">
      <h2 id="siren-now">{words.siren}</h2>
      <p class={isLoud ? 'note p1' : 'note'} role="status">
        <strong>{words.state[state]}</strong>
      </p>
      {left > 0 ? <p class="muted">{words.until(countdown(left))}</p> : null}
      {alerts.length === 0 ? null : (
        <>
          <h3>{words.waiting}</h3>
          <ul class="lines">
            {alerts.map((alert) => (
              <li key={alert.id} class="row apart">
                <div class="grow">
                  <strong>{alarmWords().type[alert.type]}</strong>{' '}
                  <span class="muted small">
                    {words.since(age(Math.max(0, now.value - Date.parse(alert.triggered_at))))}
                  </span>
                  <p class="small">{alert.message}</p>
                </div>
                {mayAttend.value ? (
                  <WorkButton
                    look="main"
                    disabled={isBlind.value}
                    work={() =>
                      run(
                        () =>
                          post(`/alerts/${alert.id}/acknowledge`).finally(() => refresh('farms', 'alerts')),
                        words.acknowledged,
                      )
                    }
                  >
                    {words.acknowledge}
                  </WorkButton>
                ) : null}
              </li>
            ))}
          </ul>
        </>
      )}
      {mayAttend.value ? (
        <>
          <div class="row end-aligned">
            <SelectField
              label={words.hush}
              value={minutes}
              options={HUSHES.map((one) => ({ value: String(one), label: words.hushFor(one) }))}
              onChange={(event) => setMinutes(event.currentTarget.value)}
            />
            <WorkButton
              disabled={isBlind.value}
              work={() => act('hush', { minutes: Number(minutes) }, words.hushed)}
            >
              {words.hushDo}
            </WorkButton>
            {mayOperate.value ? (
              <WorkButton
                disabled={isBlind.value || state === 'testing'}
                work={() => act('test', { seconds: TEST_S }, words.tested)}
              >
                {words.test}
              </WorkButton>
            ) : null}
          </div>
          <p class="muted small">{words.hushHint}</p>
        </>
      ) : null}
      <FaultNote fault={fault} />
    </section>
  );
}

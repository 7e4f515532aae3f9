import type { ComponentChildren } from 'preact';
import type { ShadowAnswer } from '#contract/resources/shadow.ts';
import { aerationWords } from '#words/aeration.ts';
import { notProvedWords } from '#words/components.ts';
import { deviceWords, shadowWords } from '#words/devices.ts';
import { watermark } from '../../components/simulated.tsx';
import { now } from '../../data/clock.ts';
import { age, dayAndTime, figure, quantity } from '../../i18n/format.ts';
import { LinkQualityText } from '../devices/device-page.tsx';

/** What is wanted beside what is said, and how the controller is there. */
export function ShadowFacts({ answer }: { answer: ShadowAnswer }) {
  return (
    <>
      <WantedAndSaid answer={answer} />
      <div class="two-columns">
        <Presence answer={answer} />
        <Keys keys={answer.keys} />
      </div>
    </>
  );
}

type Said = string | number | null;

function WantedAndSaid({ answer }: { answer: ShadowAnswer }) {
  const words = shadowWords();
  const { desired, reported, config, schedule } = answer;
  const stateOf = (state: 'ON' | 'OFF' | null) => (state === null ? null : words.states[state]);
  const { hash, ...content } = config.content;
  return (
    <section class="card stack" aria-labelledby="shadow-wanted" {...watermark(answer.is_simulated)}>
      <h2 id="shadow-wanted">{words.wantedAndSaid}</h2>
      <table class="table stacks">
        <thead>
          <tr>
            <th scope="col">{words.what}</th>
            <th scope="col">{words.wanted}</th>
            <th scope="col">{words.said}</th>
            <th scope="col">
              <span class="visually-hidden">
                {words.same} / {words.other}
              </span>
            </th>
          </tr>
        </thead>
        <tbody>
          <Pair
            name={words.rows.state}
            wanted={stateOf(desired.target_status)}
            said={stateOf(reported.current_status)}
          />
          <Pair name={words.rows.version} wanted={desired.version} said={reported.version} />
          <Pair name={words.rows.config} wanted={config.wanted} said={config.reported} />
          <Pair name={words.rows.schedule} wanted={schedule.wanted} said={schedule.reported} />
        </tbody>
      </table>
      <dl class="facts">
        <Fact name={words.origin}>{aerationWords().origins[desired.origin]}</Fact>
        <Fact name={words.issued}>{timeOf(desired.issued_at)}</Fact>
        <Fact name={words.saved}>{desired.is_saved ? words.savedYes : words.savedNo}</Fact>
        <Fact name={words.since}>{timeOf(reported.since)}</Fact>
        <Fact name={words.source}>{reported.source === null ? '—' : words.sources[reported.source]}</Fact>
        <Fact name={words.deferred}>{timeOf(reported.deferred_until)}</Fact>
        <Fact name={words.epoch}>
          <span class="mono breaks plain">{desired.epoch}</span>
        </Fact>
        <Fact name={words.rows.schedule}>
          <span class="plain">{words.planned(schedule.entries, schedule.weekly)}</span>
        </Fact>
      </dl>
      <details>
        <summary>{words.content}</summary>
        <dl class="plain-pairs">
          {Object.entries({ ...content, hash }).map(([name, value]) => (
            <div key={name} class="row apart">
              <dt class="mono">{name}</dt>
              <dd class="mono breaks">{String(value)}</dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  );
}

function Pair({ name, wanted, said }: { name: string; wanted: Said; said: Said }) {
  const words = shadowWords();
  const isSame = wanted === said;
  return (
    <tr data-same={isSame}>
      <th scope="row">{name}</th>
      <td data-label={words.wanted}>{wanted ?? '—'}</td>
      <td data-label={words.said}>{said ?? words.unheard}</td>
      <td>{isSame ? <span class="muted">✓ {words.same}</span> : <strong>≠ {words.other}</strong>}</td>
    </tr>
  );
}

function Presence({ answer: { presence: told } }: { answer: ShadowAnswer }) {
  const words = shadowWords();
  return (
    <section class="card stack" aria-labelledby="shadow-presence">
      <h2 id="shadow-presence">
        {words.presence}: {told.is_online ? deviceWords().online : deviceWords().silent}
      </h2>
      {/* of one that is silent this is what it last said */}
      <dl class="facts" data-fresh={told.is_online ? 'fresh' : 'stale'}>
        <Fact name={words.link}>{told.is_connected ? words.linked : words.notLinked}</Fact>
        <Fact name={words.heard}>
          {told.last_report_at === null
            ? words.never
            : words.ago(age(now.value - Date.parse(told.last_report_at)))}
        </Fact>
        <Fact name={words.via}>
          {told.via?.toUpperCase() ?? '—'}
          {told.is_proved === false ? ` · ${notProvedWords().mark}` : ''}
        </Fact>
        <Fact name={words.signal}>
          <LinkQualityText rssi={told.rssi} />
        </Fact>
        <Fact name={words.uptime}>{age(told.uptime_s === null ? null : told.uptime_s * 1000)}</Fact>
        <Fact name={words.boot}>
          <span class="mono breaks plain">{told.boot_id ?? '—'}</span>
        </Fact>
        <Fact name={words.firmware}>{told.firmware_version ?? '—'}</Fact>
        <Fact name={words.power}>
          {told.power_ok === null ? '—' : told.power_ok ? words.powerOk : words.powerOut}
        </Fact>
        <Fact name={words.current}>
          {told.motor_current_ma === null ? '—' : `${figure(told.motor_current_ma)} mA`} ·{' '}
          {quantity(told.consumption, 2, 'kW')}
        </Fact>
      </dl>
    </section>
  );
}

function Keys({ keys }: { keys: ShadowAnswer['keys'] }) {
  const words = shadowWords();
  const naming = deviceWords();
  return (
    <section class="card stack" aria-labelledby="shadow-keys">
      <h2 id="shadow-keys">{words.keys}</h2>
      {keys.length === 0 ? (
        <p>{words.noKey}</p>
      ) : (
        <ul class="lines">
          {keys.map(({ id, state, created_at, activated_at, retires_at }) => (
            <li key={id} data-key={state}>
              <strong>{naming.keyState[state]}</strong>
              <p class="muted small">
                {[
                  words.made(dayAndTime(created_at)),
                  activated_at === null ? null : words.used(dayAndTime(activated_at)),
                  retires_at === null ? null : words.until(dayAndTime(retires_at)),
                ]
                  .filter((part) => part !== null)
                  .join(' · ')}
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const timeOf = (at: string | null): string => (at === null ? '—' : dayAndTime(at));

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

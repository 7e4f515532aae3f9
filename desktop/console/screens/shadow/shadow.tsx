import '../../styles/bench.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { DeviceMessage, ShadowAnswer } from '#contract/resources/shadow.ts';
import { aerationWords } from '#words/aeration.ts';
import { notProvedWords } from '#words/components.ts';
import { deviceWords, shadowWords } from '#words/devices.ts';
import { systemWords } from '#words/system.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { SelectField } from '../../components/field.tsx';
import { codeOf, watermark } from '../../components/simulated.tsx';
import { now } from '../../data/clock.ts';
import {
  type ControlPoint,
  farmControlPoints,
  isKnown,
  mayOperate,
  presence,
} from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { useGet } from '../../data/query.ts';
import { age, ageOrDash, clockSeconds, dayAndTime, figure, quantity } from '../../i18n/format.ts';
import { SystemPage } from '../box/system-page.tsx';
import { LinkQualityText } from '../devices/device-page.tsx';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const PATH = '/sistema/bancada/sombra';

/** For a technician who asks why a controller does not do what it should. */
export function Shadow({ params }: { params: Readonly<Record<string, string | undefined>> }) {
  const words = shadowWords();
  const [, go] = useLocation();
  const points = farmControlPoints.value;
  const shown = points.find(({ id }) => id === params['id']) ?? points[0];
  if (isHosted.value || !mayOperate.value || shown === undefined) {
    return (
      <SystemPage title={words.title}>
        {isKnown.value ? (
          <Empty
            text={isHosted.value ? words.onlyHere : mayOperate.value ? words.none : systemWords().noRight}
          />
        ) : (
          <div class="skeleton" aria-busy="true" />
        )}
      </SystemPage>
    );
  }
  return (
    <SystemPage
      title={words.title}
      action={
        <Link class="button" href={`/sistema/dispositivos/${shown.id}`}>
          {words.toDevice}
        </Link>
      }
    >
      <p class="muted">{words.intro}</p>
      <div class="row">
        <SelectField
          label={words.which}
          value={shown.id}
          options={points.map((point) => ({ value: point.id, label: codeOf(point) }))}
          onChange={(event) => go(`${PATH}/${event.currentTarget.value}`, { replace: true })}
        />
      </div>
      <OfPoint key={shown.id} point={shown} />
    </SystemPage>
  );
}

function OfPoint({ point }: { point: ControlPoint }) {
  const words = shadowWords();
  const shadow = useGet(`/control-points/${point.id}/shadow`);
  const heard = presence.value.get(point.id)?.last_heartbeat;
  const { refetch } = shadow;
  // a heartbeat is told as presence, and of nothing else
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when it spoke, whatever it said
  useEffect(() => {
    void refetch();
  }, [heard, refetch]);
  const [held, hold] = useState<ShadowAnswer | null>(null);
  return (
    <Answer of={shadow}>
      {(newest) => {
        const answer = held ?? newest;
        return (
          <div class="stack" data-shadow={point.cod}>
            <div class="row apart">
              <p class="muted" role="status">
                {held === null ? '' : words.held}
              </p>
              <Button aria-pressed={held !== null} onClick={() => hold(held === null ? newest : null)}>
                {held === null ? words.hold : words.follow}
              </Button>
            </div>
            <ShadowFacts answer={answer} />
            <ShadowMessages messages={answer.messages} />
          </div>
        );
      }}
    </Answer>
  );
}

/** What both said to each other, the newest first. */
function ShadowMessages({ messages }: { messages: readonly DeviceMessage[] }) {
  const words = shadowWords();
  return (
    <section class="card stack" aria-labelledby="shadow-messages">
      <h2 id="shadow-messages">{words.messages}</h2>
      {messages.length === 0 ? (
        <p>{words.noMessages}</p>
      ) : (
        <ol class="lines shadow-messages">
          {messages.map(({ at, direction, kind, body }, index) => (
            <li key={`${at} ${messages.length - index}`} data-message={`${direction} ${kind}`}>
              <p>
                <span aria-hidden="true">{direction === 'in' ? '←' : '→'}</span>{' '}
                <strong>{words.kinds[kind] ?? kind}</strong>{' '}
                <span class="muted small">
                  {words.direction[direction]} · {clockSeconds(at)}
                </span>
              </p>
              {Object.keys(body).length === 0 ? null : (
                <p class="mono breaks small">
                  {Object.entries(body)
                    .map(([name, value]) => `${name}: ${textOf(value)}`)
                    .join(' · ')}
                </p>
              )}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** What is wanted beside what is said, and how the controller is there. */
function ShadowFacts({ answer }: { answer: ShadowAnswer }) {
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
        <Fact name={words.uptime}>{ageOrDash(told.uptime_s === null ? null : told.uptime_s * 1000)}</Fact>
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

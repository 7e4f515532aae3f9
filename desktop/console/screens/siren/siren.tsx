import { Link } from 'wouter-preact';
import type { ModemAnswer } from '#contract/resources/modem.ts';
import type { ChannelAnswer } from '#contract/resources/notification-channels.ts';
import { channelWords } from '#words/notifications.ts';
import { sirenWords } from '#words/siren.ts';
import { systemWords } from '#words/system.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { ElsewhereNote, useEdited } from '../../components/edited.tsx';
import { DecimalField } from '../../components/field.tsx';
import { post, put } from '../../data/api.ts';
import { now } from '../../data/clock.ts';
import { farm, mayOperate } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { age, dayAndTime, figure, quantity, readCount } from '../../i18n/format.ts';
import { FaultNote, SystemPage } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { SirenList, SirenNow } from './siren-list.tsx';

/** dBm from which the signal is called so, strongest first. */
const SIGNALS = [
  { from: -85, word: 'good' },
  { from: -104, word: 'fair' },
] as const;

const signalWordOf = (dbm: number) => SIGNALS.find(({ from }) => dbm >= from)?.word ?? 'weak';

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
  const siren = useGet(`/farms/${farmId}/siren`);
  return (
    <SystemPage title={words.title} narrow>
      <p class="muted">{words.intro}</p>
      <Answer of={siren}>
        {(told) => (
          <>
            {told.sirens.length === 0 ? null : <SirenNow farmId={farmId} told={told} />}
            <SirenList told={told} />
            {mayOperate.value && told.sirens.length > 0 ? (
              <Rhythm farmId={farmId} sound={told.sound_minutes} pause={told.pause_minutes} />
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
  const edited = useEdited<Readonly<Record<'sound' | 'pause', string>>>({
    sound: String(sound),
    pause: String(pause),
  });
  const typed = edited.text;
  const minutes = { sound: readCount(typed.sound), pause: readCount(typed.pause) };
  const save = () =>
    run(async () => {
      await put(`/farms/${farmId}/siren/settings`, {
        sound_minutes: minutes.sound,
        pause_minutes: minutes.pause,
      });
      edited.saved();
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
            onInput={(event) => edited.set({ [name]: event.currentTarget.value })}
          />
        ))}
      </div>
      <ElsewhereNote of={edited.elsewhere} label={(name) => words[name]} />
      <FaultNote fault={fault} />
      <div>
        <WorkButton
          disabled={isBlind.value}
          unready={!isMinutes(minutes.sound) || !isMinutes(minutes.pause)}
          work={save}
        >
          {shared.save}
        </WorkButton>
      </div>
    </section>
  );
}

/** The person's own numbers, each with a test; they are set up where all channels are. */
function SmsCard() {
  const words = sirenWords();
  const channels = useGet('/notification-channels/');
  return (
    <section class="card stack" aria-labelledby="own-sms">
      <h2 id="own-sms">{words.sms}</h2>
      <p class="muted">{words.smsText}</p>
      <Answer of={channels}>
        {(rows) => {
          const own = rows.filter(({ kind }) => kind === 'SMS');
          return own.length === 0 ? (
            <p>{words.noSms}</p>
          ) : (
            <ul class="lines">
              {own.map((channel) => (
                <PhoneNumber key={channel.id} channel={channel} />
              ))}
            </ul>
          );
        }}
      </Answer>
      <p>
        <Link class="way" href="/sistema/canais">
          {words.toChannels}
        </Link>
      </p>
    </section>
  );
}

function PhoneNumber({ channel }: { channel: ChannelAnswer }) {
  const words = sirenWords();
  const { fault, run } = useWork(channelWords().fault);
  const { state, pending, last_sent_at, last_error } = channel;
  const facts = [
    state === 'UNCONFIRMED' ? words.unconfirmed : state === 'OFF' ? words.off : channelWords().state[state],
    pending > 0 ? words.pending(pending) : '',
    last_sent_at === null ? '' : words.last(dayAndTime(last_sent_at)),
  ];
  const test = () =>
    run(
      () => post(`/notification-channels/${channel.id}/test`).finally(() => refresh('notification-channels')),
      words.testSent,
    );
  return (
    <li class="stack" data-number={channel.address}>
      <div class="row apart">
        <div class="grow">
          <strong>{channel.address}</strong>
          <p class="muted small">{facts.filter((fact) => fact !== '').join(' · ')}</p>
        </div>
        <WorkButton
          disabled={isBlind.value}
          why={state === 'UNCONFIRMED' ? words.testAfterCode : state === 'OFF' ? words.testAfterOn : null}
          work={test}
        >
          {words.sendTest}
        </WorkButton>
      </div>
      {last_error === null ? null : <p class="note p2 breaks">{last_error}</p>}
      <FaultNote fault={fault} />
    </li>
  );
}

/** How the modem of the box stands, and the next thing to do about it. */
function ModemCard() {
  const words = sirenWords();
  const modem = useGet(mayOperate.value ? '/system/modem' : null);
  return (
    <section class="card stack" aria-labelledby="modem" data-modem={modem.data?.state}>
      <h2 id="modem">{words.modem}</h2>
      {mayOperate.value ? (
        <Answer of={modem}>{(told) => <Stand told={told} />}</Answer>
      ) : (
        <p class="muted">{words.noRight}</p>
      )}
    </section>
  );
}

function Stand({ told }: { told: ModemAnswer }) {
  const words = sirenWords();
  const { state, signal_dbm: dbm, operator, checked_at } = told;
  // a box without a modem is no fault
  const look = state === 'ready' || state === 'starting' || state === 'off' ? 'note' : 'note p2';
  const rows: [string, string | null][] = [
    [
      words.operator,
      operator === null ? null : told.is_roaming ? `${operator} (${words.roaming})` : operator,
    ],
    [
      words.signal,
      dbm === null ? null : `${quantity(dbm, 0, 'dBm')} · ${words.signalWord[signalWordOf(dbm)]}`,
    ],
    [words.model, told.model],
    [words.port, told.port],
    [words.sent, state === 'off' ? null : figure(told.sent)],
    [words.arrived, state === 'off' ? null : figure(told.arrived)],
    [words.failed, state === 'off' ? null : figure(told.failed + told.undelivered)],
    [words.bound, state === 'off' ? null : words.perHour(figure(told.sms_per_hour))],
    [
      words.checked,
      checked_at === null ? null : words.ago(age(Math.max(0, now.value - Date.parse(checked_at)))),
    ],
    [words.lastError, told.last_error],
  ];
  const facts = rows.filter(([, value]) => value !== null);
  return (
    <>
      <div class={`${look} stack`}>
        <p>
          <strong>{words.modemState[state]}</strong> · {told.message}
        </p>
        {told.next === null ? null : (
          <p class="breaks">
            {words.whatNow}: {told.next}
          </p>
        )}
      </div>
      {facts.length === 0 ? null : (
        <dl class="facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="breaks plain">{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

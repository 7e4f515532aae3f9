import { Link } from 'wouter-preact';
import type { ChannelAnswer } from '#contract/resources/notification-channels.ts';
import { Answer } from '../../components/answer.tsx';
import { WorkButton } from '../../components/button.tsx';
import { post } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { dayAndTime } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { channelWords } from '../notifications/channel-words.ts';
import { useWork } from '../system/use-work.ts';
import { sirenWords } from './words.ts';

/** The person's own numbers, each with a test; they are set up where all channels are. */
export function SmsCard() {
  const words = sirenWords();
  const channels = useGet<ChannelAnswer[]>('/notification-channels/');
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
        <WorkButton disabled={isBlind.value || state === 'UNCONFIRMED' || state === 'OFF'} work={test}>
          {words.sendTest}
        </WorkButton>
      </div>
      {last_error === null ? null : <p class="note p2 breaks">{last_error}</p>}
      <FaultNote fault={fault} />
    </li>
  );
}

import { useState } from 'preact/hooks';
import type { ChannelAnswer } from '#contract/resources/notification-channels.ts';
import { channelWords } from '#words/notifications.ts';
import { Answer } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { del, patch, post } from '../../data/api.ts';
import { isBlind } from '../../data/live.ts';
import { ownChannel } from '../../data/push-start.ts';
import { refresh, useGet } from '../../data/query.ts';
import { clockTime, dayAndTime } from '../../i18n/format.ts';
import { FaultNote } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';

const SHOWN = 30;

type Props = { channel: ChannelAnswer; onEdit: () => void; onSecret: (secret: string) => void };

export function ChannelCard({ channel, onEdit, onSecret }: Props) {
  const words = channelWords();
  const path = `/notification-channels/${channel.id}` as const;
  const { fault, run } = useWork(words.fault);
  const [asks, setAsks] = useState<'remove' | 'rotate' | null>(null);
  const again = () => refresh('notification-channels');
  const isQuiet = channel.quiet_from !== null && channel.quiet_to !== null;
  return (
    <li class="card stack" data-channel={channel.state}>
      <div>
        <h2 class="breaks">{nameOfChannel(channel)}</h2>
        <p class="muted small">
          {ownChannel()?.channelId === channel.id ? words.here : words.kind[channel.kind]} ·{' '}
          <strong>{words.state[channel.state]}</strong>
          {channel.pending > 0 ? ` · ${words.pending(channel.pending)}` : ''}
          {channel.last_sent_at === null ? '' : ` · ${words.lastSent(dayAndTime(channel.last_sent_at))}`}
        </p>
        <p class="muted small">
          {channel.types.map((type) => words.type[type]).join(', ')} · {words.from}{' '}
          {words.severity[channel.min_severity]}
          {isQuiet ? ` · ${words.quietText(channel.quiet_from ?? '', channel.quiet_to ?? '')}` : ''}
        </p>
      </div>
      {channel.last_error === null ? null : <p class="note p2 breaks">{channel.last_error}</p>}
      {channel.state === 'UNCONFIRMED' ? (
        <Confirm path={path} kind={channel.kind === 'SMS' ? 'SMS' : 'EMAIL'} />
      ) : null}
      <FaultNote fault={fault} />
      <div class="row">
        {channel.state === 'UNCONFIRMED' ? null : (
          <WorkButton
            disabled={isBlind.value}
            work={() => run(() => post(`${path}/test`).finally(again), words.tested)}
          >
            {words.test}
          </WorkButton>
        )}
        <Button disabled={isBlind.value} onClick={onEdit}>
          {words.edit}
        </Button>
        <WorkButton
          disabled={isBlind.value}
          work={() => run(() => patch(path, { is_active: !channel.is_active }).finally(again))}
        >
          {channel.is_active ? words.turnOff : words.turnOn}
        </WorkButton>
        {channel.kind === 'WEBHOOK' ? (
          <Button disabled={isBlind.value} onClick={() => setAsks('rotate')}>
            {words.rotate}
          </Button>
        ) : null}
        <Button look="danger" disabled={isBlind.value} onClick={() => setAsks('remove')}>
          {words.remove}
        </Button>
      </div>
      <Deliveries path={path} />
      {asks === 'remove' ? (
        <ConfirmDialog
          title={words.removeTitle(nameOfChannel(channel))}
          label={words.remove}
          work={() => del(path).finally(again)}
          onClose={() => setAsks(null)}
        >
          <p>{words.removeText}</p>
        </ConfirmDialog>
      ) : null}
      {asks === 'rotate' ? (
        <ConfirmDialog
          title={words.rotateTitle}
          label={words.rotate}
          work={async () => {
            const { secret } = await post(`${path}/rotate-secret`);
            if (secret !== undefined) onSecret(secret);
          }}
          onClose={() => setAsks(null)}
        >
          <p>{words.rotateText}</p>
        </ConfirmDialog>
      ) : null}
    </li>
  );
}

type ChannelPath = `/notification-channels/${string}`;

function Confirm({ path, kind }: { path: ChannelPath; kind: 'EMAIL' | 'SMS' }) {
  const words = channelWords();
  const { fault, run } = useWork(words.fault);
  const [code, setCode] = useState('');
  const confirm = () =>
    run(async () => {
      await post(`${path}/confirm`, { code: code.trim() });
      refresh('notification-channels');
    }, words.confirmed);
  return (
    <div class="stack">
      <p>{words.confirmText[kind]}</p>
      <TextField
        needed
        label={words.code}
        value={code}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={20}
        fault={fault}
        onInput={(event) => setCode(event.currentTarget.value)}
      />
      <div class="row">
        <WorkButton look="main" disabled={isBlind.value} unready={code.trim() === ''} work={confirm}>
          {words.confirm}
        </WorkButton>
        <WorkButton
          disabled={isBlind.value}
          work={() => run(() => post(`${path}/send-code`), words.codeSent)}
        >
          {words.sendCode}
        </WorkButton>
      </div>
    </div>
  );
}

/** What went out by a channel, what waits, and what was given up with the reason why. */
function Deliveries({ path }: { path: ChannelPath }) {
  const words = channelWords();
  const [isOpen, setOpen] = useState(false);
  const deliveries = useGet(isOpen ? (`${path}/deliveries` as const) : null, { limit: SHOWN });
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.deliveries}</summary>
      {isOpen ? (
        <Answer
          of={deliveries}
          isEmpty={(rows) => rows.length === 0}
          empty={<p class="muted">{words.noDeliveries}</p>}
        >
          {(rows) => (
            <ul class="lines">
              {rows.map(({ id, purpose, state, attempts, next_at, last_error, created_at }) => (
                <li key={id} data-delivery={state}>
                  <p class="row apart">
                    <span>
                      {dayAndTime(created_at)} · {words.purpose[purpose]}
                    </span>
                    <strong>{words.deliveryState[state]}</strong>
                  </p>
                  {state === 'SENT' ? null : (
                    <p class="muted small breaks">
                      {words.attempts(attempts)}
                      {next_at === null ? '' : ` · ${words.next(clockTime(next_at))}`}
                      {last_error === null ? '' : ` · ${last_error}`}
                    </p>
                  )}
                </li>
              ))}
            </ul>
          )}
        </Answer>
      ) : null}
    </details>
  );
}

/** What a channel is called: the address of a browser at its push service says nothing to people. */
export function nameOfChannel({ kind, address }: Pick<ChannelAnswer, 'kind' | 'address'>): string {
  if (kind !== 'WEB_PUSH') return address;
  const service = /^https?:\/\/([^/]+)/.exec(address)?.[1] ?? '';
  return channelWords().browserAt(service);
}

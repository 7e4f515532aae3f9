import { useState } from 'preact/hooks';
import type { ChannelAnswer } from '#contract/resources/notification-channels.ts';
import { channelWords } from '#words/notifications.ts';
import { systemWords } from '#words/system.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button, WorkButton } from '../../components/button.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ElsewhereNote, useRewritten } from '../../components/edited.tsx';
import { CheckField, SelectField, TextField } from '../../components/field.tsx';
import { get, patch, post } from '../../data/api.ts';
import { farm } from '../../data/farm-store.ts';
import { isHosted } from '../../data/instance.ts';
import { isBlind } from '../../data/live.ts';
import { refresh, useGet } from '../../data/query.ts';
import { TIME } from '../../data/schedules.ts';
import { user } from '../../data/session.ts';
import { ThisDevice } from '../account/this-device.tsx';
import { FaultNote, SystemPage } from '../box/system-page.tsx';
import { useWork } from '../system/use-work.ts';
import { ChannelCard, nameOfChannel } from './channel-card.tsx';

/** Where notifications go besides the list. */
export function Channels() {
  const words = channelWords();
  const channels = useGet('/notification-channels/');
  const [editing, setEditing] = useState<ChannelAnswer | 'new' | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <SystemPage
      title={words.title}
      narrow
      action={
        <Button look="main" disabled={isBlind.value} onClick={() => setEditing('new')}>
          {words.add}
        </Button>
      }
    >
      <ThisDevice channels={channels.data} />
      <p class="muted">{words.text}</p>
      <Answer of={channels} isEmpty={(rows) => rows.length === 0} empty={<Empty text={words.none} />}>
        {(rows) => (
          <ul class="stack">
            {rows.map((channel) => (
              <ChannelCard
                key={channel.id}
                channel={channel}
                onEdit={() => setEditing(channel)}
                onSecret={setSecret}
              />
            ))}
          </ul>
        )}
      </Answer>
      {editing === null ? null : (
        <ChannelDialog
          channel={editing === 'new' ? null : editing}
          onClose={() => setEditing(null)}
          onSecret={setSecret}
        />
      )}
      {secret === null ? null : (
        <Dialog
          title={words.secretTitle}
          onClose={() => undefined}
          actions={
            <Button big look="main" onClick={() => setSecret(null)}>
              {words.kept}
            </Button>
          }
        >
          <p>{words.secretText}</p>
          <CopyText label={words.secretTitle} text={secret} />
        </Dialog>
      )}
    </SystemPage>
  );
}

const TYPES = ['ALERT', 'SYSTEM', 'SUBSCRIPTION', 'PAYMENT'] as const;
/** SMS goes out by the modem of the box. */
const KINDS = ['EMAIL', 'SMS', 'WEBHOOK'] as const;
type Kind = (typeof KINDS)[number];
const SEVERITIES = ['LOW', 'MEDIUM', 'HIGH'] as const;
type Type = (typeof TYPES)[number];
type Severity = (typeof SEVERITIES)[number];

const isQuietRight = (from: string, to: string) =>
  (from === '') === (to === '') && (from === '' || (TIME.test(from) && TIME.test(to)));

const BEGIN: Readonly<Record<Kind, () => string>> = {
  EMAIL: () => user.value?.email ?? '',
  SMS: () => '+55 ',
  WEBHOOK: () => 'https://',
};
const KEYBOARD = { EMAIL: 'email', SMS: 'tel', WEBHOOK: 'url' } as const;

/** A new channel, or other wishes for one that stands. */
function ChannelDialog({
  channel,
  onClose,
  onSecret,
}: {
  channel: ChannelAnswer | null;
  onClose: () => void;
  onSecret: (secret: string) => void;
}) {
  const words = channelWords();
  const shared = systemWords();
  const { fault, run } = useWork(words.fault);
  const [kind, setKind] = useState<Kind>('EMAIL');
  const [address, setAddress] = useState(channel?.address ?? user.value?.email ?? '');
  const [types, setTypes] = useState<readonly Type[]>(channel?.types ?? ['ALERT', 'SYSTEM']);
  const [least, setLeast] = useState<Severity>(channel?.min_severity ?? 'LOW');
  const [from, setFrom] = useState(channel?.quiet_from ?? '');
  const [to, setTo] = useState(channel?.quiet_to ?? '');
  const isQuiet = isQuietRight(from, to);
  const choose = (chosen: Kind) => {
    setKind(chosen);
    setAddress(BEGIN[chosen]());
    // an SMS costs money and wakes people: for what cannot wait, unless somebody wants more
    setTypes(chosen === 'SMS' ? ['ALERT'] : ['ALERT', 'SYSTEM']);
    setLeast(chosen === 'SMS' ? 'HIGH' : 'LOW');
  };
  const rewritten = useRewritten(channel, () => get(`/notification-channels/${channel?.id ?? ''}`));
  const save = async () => {
    const wishes = {
      types,
      min_severity: least,
      quiet_from: from === '' ? null : from,
      quiet_to: to === '' ? null : to,
    };
    if (!(await rewritten.mayOverwrite(wishes))) return;
    const isDone = await run(async () => {
      if (channel !== null) await patch(`/notification-channels/${channel.id}`, rewritten.changesOf(wishes));
      else {
        const made = await post('/notification-channels/', {
          kind,
          address: address.trim(),
          ...wishes,
          ...(farm.value === null ? {} : { timezone: farm.value.timezone }),
        });
        if (made.secret !== undefined) onSecret(made.secret);
      }
      refresh('notification-channels');
    });
    if (isDone) onClose();
  };
  const labels: Readonly<Record<string, string>> = {
    types: words.types,
    min_severity: words.from,
    quiet_from: words.quietFrom,
    quiet_to: words.quietTo,
  };
  const shown = (field: string, text: string): string =>
    field === 'types'
      ? TYPES.filter((type) => text.split(' · ').includes(type))
          .map((type) => words.type[type])
          .join(' · ')
      : field === 'min_severity'
        ? words.severity[SEVERITIES.find((word) => word === text) ?? 'LOW']
        : text;
  return (
    <Dialog
      title={channel === null ? words.add : nameOfChannel(channel)}
      onClose={onClose}
      actions={
        <>
          <Button big onClick={onClose}>
            {shared.cancel}
          </Button>
          <WorkButton
            big
            look="main"
            disabled={isBlind.value}
            unready={address.trim() === '' || types.length === 0 || !isQuiet}
            work={save}
          >
            {shared.save}
          </WorkButton>
        </>
      }
    >
      {channel === null ? (
        <>
          <SelectField
            label={words.kindField}
            value={kind}
            options={KINDS.filter((word) => word !== 'SMS' || !isHosted.value).map((word) => ({
              value: word,
              label: words.kind[word],
            }))}
            onChange={({ currentTarget: { value } }) =>
              choose(KINDS.find((word) => word === value) ?? 'EMAIL')
            }
          />
          <TextField
            needed
            label={words.address[kind]}
            value={address}
            maxLength={2_000}
            inputMode={KEYBOARD[kind]}
            hint={kind === 'SMS' ? words.phoneHint : undefined}
            onInput={(event) => setAddress(event.currentTarget.value)}
          />
        </>
      ) : null}
      <fieldset class="plain-set">
        <legend>{words.types}</legend>
        {TYPES.map((type) => (
          <CheckField
            key={type}
            label={words.type[type]}
            checked={types.includes(type)}
            onChange={(event) =>
              setTypes(event.currentTarget.checked ? [...types, type] : types.filter((word) => word !== type))
            }
          />
        ))}
      </fieldset>
      <SelectField
        label={words.from}
        value={least}
        options={SEVERITIES.map((word) => ({ value: word, label: words.severity[word] }))}
        onChange={(event) => setLeast(SEVERITIES.find((word) => word === event.currentTarget.value) ?? 'LOW')}
      />
      <div class="form-grid">
        <TextField
          label={words.quietFrom}
          value={from}
          placeholder="22:00"
          inputMode="numeric"
          maxLength={5}
          onInput={(event) => setFrom(event.currentTarget.value)}
        />
        <TextField
          label={words.quietTo}
          value={to}
          placeholder="05:00"
          inputMode="numeric"
          maxLength={5}
          fault={isQuiet ? null : words.badTime}
          onInput={(event) => setTo(event.currentTarget.value)}
        />
      </div>
      <p class="muted small">{words.quietHint}</p>
      <ElsewhereNote of={rewritten.elsewhere} label={(field) => labels[field] ?? field} shown={shown} />
      <FaultNote fault={fault} />
    </Dialog>
  );
}

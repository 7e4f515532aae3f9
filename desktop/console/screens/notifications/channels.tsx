import { useState } from 'preact/hooks';
import type { ChannelAnswer } from '#contract/resources/notification-channels.ts';
import { channelWords } from '#words/notifications.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { Button } from '../../components/button.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { isBlind } from '../../data/live.ts';
import { useGet } from '../../data/query.ts';
import { ThisDevice } from '../account/this-device.tsx';
import { SystemPage } from '../box/system-page.tsx';
import { ChannelCard } from './channel-card.tsx';
import { ChannelDialog } from './channel-dialog.tsx';

/** Where notifications go besides the list. */
export function Channels() {
  const words = channelWords();
  const channels = useGet<ChannelAnswer[]>('/notification-channels/');
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

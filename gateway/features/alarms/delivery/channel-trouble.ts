import { delivery } from '#contract/resources/local-tables.ts';
import type { ChannelKind } from '#contract/resources/notification-channels.ts';
import type { Change } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import type { Language, Notify } from '#core/notifying.ts';
import type { Channel } from './ports.ts';

const KINDS: Readonly<Record<ChannelKind, Readonly<Record<Language, string>>>> = {
  EMAIL: { 'pt-BR': 'e-mail', en: 'e-mail' },
  WEB_PUSH: { 'pt-BR': 'aviso no navegador', en: 'browser' },
  WEBHOOK: { 'pt-BR': 'webhook', en: 'webhook' },
  SMS: { 'pt-BR': 'SMS', en: 'SMS' },
};

/**
 * Tells the owner of a channel that it does not work, in the list only: through channels it could go round in circles.
 * Once a day, however much is given up.
 */
export async function channelTrouble(
  deps: { notify: Notify },
  channel: Pick<Channel, 'id' | 'user_id' | 'kind' | 'rev'>,
  { isGone, at }: { isGone: boolean; at: number },
): Promise<Change[]> {
  const event = isGone ? `${channel.id}:gone:${channel.rev}` : `${channel.id}:${isoOf(at).slice(0, 10)}`;
  const kind = KINDS[channel.kind];
  const trouble = !isGone ? 'failed' : channel.kind === 'WEB_PUSH' ? 'browserGone' : 'gone';
  const changes = await deps.notify(
    { userIds: [channel.user_id] },
    {
      type: 'SYSTEM',
      title: (language) =>
        language === 'en'
          ? `Notifications do not arrive (${kind.en})`
          : `Os avisos não estão chegando (${kind['pt-BR']})`,
      message: (language) => MESSAGES[trouble][language],
      data: { event: isGone ? 'channel_gone' : 'channel_failed', channel_id: channel.id, kind: channel.kind },
      cause: `channel_failed:${event}`,
    },
  );
  return changes.filter(({ resource }) => resource.name !== delivery.name);
}

type Trouble = 'failed' | 'gone' | 'browserGone';

const MESSAGES: Readonly<Record<Trouble, Readonly<Record<Language, string>>>> = {
  failed: {
    'pt-BR':
      'Uma mensagem para um dos seus canais não pôde ser entregue. Abra os canais de aviso para ver o motivo e corrija o endereço.',
    en: 'A message to one of your channels was given up. Open the channels to see why, and correct the address.',
  },
  gone: {
    'pt-BR':
      'Um dos seus canais não existe mais e foi desligado. Abra os canais de aviso e cadastre de novo.',
    en: 'One of your channels no longer exists and was switched off. Open the channels and set it up again.',
  },
  browserGone: {
    'pt-BR':
      'Um celular ou navegador deixou de receber avisos e saiu dos seus canais. Se ainda o usa, abra nele o painel, em Canais de aviso, e ligue de novo.',
    en: 'A phone or browser no longer takes notifications and left your channels. If you still use it, open the console on it, Channels, and turn it on again.',
  },
};

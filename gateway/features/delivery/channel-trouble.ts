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
  const changes = await deps.notify(
    { userIds: [channel.user_id] },
    {
      type: 'SYSTEM',
      title: (language) =>
        language === 'en'
          ? `Notifications do not arrive (${kind.en})`
          : `Os avisos não estão chegando (${kind['pt-BR']})`,
      message: (language) => messageIn(language, isGone),
      data: { event: isGone ? 'channel_gone' : 'channel_failed', channel_id: channel.id, kind: channel.kind },
      cause: `channel_failed:${event}`,
    },
  );
  return changes.filter(({ resource }) => resource.name !== delivery.name);
}

function messageIn(language: Language, isGone: boolean): string {
  if (language === 'en') {
    return isGone
      ? 'One of your channels no longer exists and was switched off. Open the channels and set it up again.'
      : 'A message to one of your channels was given up. Open the channels to see why, and correct the address.';
  }
  return isGone
    ? 'Um dos seus canais não existe mais e foi desligado. Abra os canais de aviso e cadastre de novo.'
    : 'Uma mensagem para um dos seus canais não pôde ser entregue. Abra os canais de aviso para ver o motivo e corrija o endereço.';
}

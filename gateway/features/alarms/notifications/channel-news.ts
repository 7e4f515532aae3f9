import type { RowOf } from '#contract/resource.ts';
import type { notificationChannel } from '#contract/resources/notification-channels.ts';
import type { Language, News } from '#core/notifying.ts';

type Opened = Pick<
  RowOf<typeof notificationChannel>,
  'id' | 'kind' | 'address' | 'updated_at' | 'created_at'
>;

/** Where alarms go from now on. The path of a webhook or a browser's endpoint opens it to others: the host alone is said. */
function placeOf({ kind, address }: Opened): Record<Language, string> {
  if (kind === 'EMAIL') return same(`e-mail ${address}`, `e-mail ${address}`, `correo ${address}`);
  if (kind === 'SMS') return same(`SMS ${address}`);
  if (kind === 'WEBHOOK') return same(`webhook ${new URL(address).host}`);
  return same('um navegador ou celular', 'a browser or phone', 'un navegador o celular');
}

const same = (pt: string, en = pt, es = pt): Record<Language, string> => ({ 'pt-BR': pt, en, es });

/** To whose account got another place that notifications go to: whoever finds one that is not theirs deletes it. */
export function channelOpenedNews(channel: Opened): News {
  const place = placeOf(channel);
  return {
    type: 'SYSTEM',
    title: (language) =>
      ({ 'pt-BR': 'Novo canal de aviso', en: 'New notification channel', es: 'Nuevo canal de avisos' })[
        language
      ],
    message: (language) =>
      ({
        'pt-BR': `Os avisos da sua conta vão agora também para: ${place['pt-BR']}. Se não foi você, apague o canal em Sistema, Preferências, e troque a senha.`,
        en: `Notifications of your account now also go to: ${place.en}. If it was not you, delete the channel under System, Preferences, and change your password.`,
        es: `Los avisos de su cuenta van ahora también a: ${place.es}. Si no fue usted, elimine el canal en Sistema, Preferencias, y cambie la contraseña.`,
      })[language],
    data: { account: 'channel_opened', channel_id: channel.id },
    cause: `notification_channel:${channel.id}:${channel.updated_at ?? channel.created_at}`,
    farmId: null,
  };
}

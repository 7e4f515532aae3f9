import { atTheBox } from '#contract/commands.ts';
import type { News, Words } from '#core/notifying.ts';
import type { TrustNews } from './keep-trust.ts';

/** What the people of the farms are told; without the farm, which the cause still needs. `day`: YYYY-MM-DD. */
export function newsOfTrust(
  news: TrustNews,
  day: string,
): Pick<News, 'type' | 'title' | 'message' | 'data' | 'severity' | 'cause'> {
  const say =
    (pt: string, en: string, es: string): Words =>
    (language) =>
      ({ 'pt-BR': pt, en: en, es: es })[language];
  switch (news.event) {
    case 'authority_damaged':
      return {
        type: 'SYSTEM',
        severity: 'HIGH',
        title: say(
          'A identidade segura do gateway se perdeu',
          'The secure identity of the gateway is lost',
          'La identidad segura del gateway se perdió',
        ),
        message: say(
          `A chave da autoridade da rede não pode ser lida. A aeração continua. Recupere-a do backup: ${atTheBox('restore --from PASTA --authority-only')}.`,
          `The key of the network authority cannot be read. Aeration goes on. Bring it back from the backup: ${atTheBox('restore --from FOLDER --authority-only')}.`,
          `La clave de la autoridad de la red no se puede leer. La aireación continúa. Recupérela del respaldo: ${atTheBox('restore --from CARPETA --authority-only')}.`,
        ),
        data: { event: news.event },
        // it stays wrong until somebody acts
        cause: `${news.event}:${day}`,
      };
    case 'authority_announced':
      return {
        type: 'SYSTEM',
        title: say(
          'A identidade do gateway vai mudar',
          'The identity of the gateway will change',
          'La identidad del gateway va a cambiar',
        ),
        message: say(
          `A nova autoridade da rede assina a partir de ${news.crossOverAt}. Atualize controladores e consoles até lá.`,
          `The next network authority signs from ${news.crossOverAt} on. Update controllers and consoles by then.`,
          `La nueva autoridad de la red firma a partir de ${news.crossOverAt}. Actualice controladores y paneles hasta entonces.`,
        ),
        data: { event: news.event, cross_over_at: news.crossOverAt },
        cause: `${news.event}:${news.fingerprint}`,
      };
    case 'authority_crossed_over':
      return {
        type: 'SYSTEM',
        title: say(
          'A identidade do gateway mudou',
          'The identity of the gateway changed',
          'La identidad del gateway cambió',
        ),
        message: say(
          `A nova autoridade da rede assina agora. Quem conhece só a antiga é atendido até ${news.retireAt}.`,
          `The new network authority signs now. Who knows only the former one is served until ${news.retireAt}.`,
          `La nueva autoridad de la red firma ahora. A quien conoce solo la antigua se lo atiende hasta ${news.retireAt}.`,
        ),
        data: { event: news.event, retire_at: news.retireAt },
        cause: `${news.event}:${news.fingerprint}`,
      };
    case 'authority_retired':
      return {
        type: 'SYSTEM',
        title: say(
          'A identidade antiga do gateway acabou',
          'The former identity of the gateway ended',
          'La identidad antigua del gateway terminó',
        ),
        message: say(
          'Quem conhece só a autoridade antiga não é mais atendido por TLS.',
          'Who knows only the former network authority is not served over TLS any more.',
          'A quien conoce solo la autoridad antigua ya no se lo atiende por TLS.',
        ),
        data: { event: news.event },
        cause: `${news.event}:${news.fingerprint}`,
      };
    default:
      return unreachable(news);
  }
}

function unreachable(news: never): never {
  throw new Error(`unknown news ${JSON.stringify(news)}`);
}

import type { AlertType } from '#contract/words.ts';
import type { Language } from '#core/notifying.ts';
import type { Summary } from './summary.ts';

// What messages say besides the notification itself: what to do, where, when. In the language of the reader.

type InBoth = Readonly<Record<Language, string>>;

const WHAT_TO_DO: Readonly<Record<AlertType, InBoth>> = {
  LOW_OXYGEN: {
    'pt-BR': 'Ligue todos os aeradores do viveiro, pare a ração e meça de novo em 15 minutos.',
    en: 'Switch on every aerator of the pond, stop feeding and measure again in 15 minutes.',
  },
  LOW_OXYGEN_FORECAST: {
    'pt-BR': 'Deixe todos os aeradores ligados de madrugada e meça antes do amanhecer.',
    en: 'Keep every aerator running before dawn and measure again before sunrise.',
  },
  POWER_FAILURE: {
    'pt-BR': 'Verifique a rede e ligue o gerador: sem aeração o oxigênio acaba em poucas horas.',
    en: 'Check the mains and start the generator: without aeration the oxygen is gone within hours.',
  },
  DEVICE_OFFLINE: {
    'pt-BR': 'Vá até o painel: veja se os aeradores estão girando, depois a energia e a rede do controlador.',
    en: 'Go to the panel: see whether the aerators turn, then check power and network of the controller.',
  },
  COMMAND_NOT_CONFIRMED: {
    'pt-BR': 'Vá até o painel e acione o aerador à mão, se preciso.',
    en: 'Go to the panel and switch the aerator by hand if needed.',
  },
  UNSTABLE: {
    'pt-BR': 'Vá até o painel: veja fonte, contator e sinal do controlador antes que o motor pare.',
    en: 'Go to the panel: look at power supply, contactor and signal of the controller before the motor stops.',
  },
  OFF_SCHEDULE: {
    'pt-BR': 'Ligue o aerador de novo, ou reconheça o aviso se ele deve ficar desligado.',
    en: 'Switch the aerator on again, or acknowledge this if it is meant to stay off.',
  },
  NO_CURRENT: {
    'pt-BR': 'O aerador pode estar parado: verifique motor, contator e fusíveis, e ligue outro no lugar.',
    en: 'The aerator may be standing still: check motor, contactor and fuses, and run another one instead.',
  },
  GATEWAY_OFFLINE: {
    'pt-BR': 'Verifique a energia e a internet da caixa do gateway; os controladores seguem seus horários.',
    en: 'Check power and internet of the gateway; the controllers follow their schedules.',
  },
  CLOCK_UNTRUSTED: {
    'pt-BR': 'Conecte o gateway à internet ou acerte a hora no sistema.',
    en: 'Connect the gateway to the internet or set the time.',
  },
  DISK_FULL: {
    'pt-BR': 'Libere espaço no gateway ou troque o cartão.',
    en: 'Free some space on the gateway or replace its card.',
  },
  HIGH_TEMPERATURE: {
    'pt-BR': 'Aumente a aeração, renove água se puder e reduza a ração.',
    en: 'Aerate more, exchange water if you can, and feed less.',
  },
  LOW_TEMPERATURE: {
    'pt-BR': 'Reduza a ração: o camarão frio come pouco.',
    en: 'Feed less: shrimp hardly eat in cold water.',
  },
  LOW_PH: {
    'pt-BR': 'Meça a alcalinidade e corrija com calcário ou bicarbonato.',
    en: 'Measure the alkalinity and correct with lime or bicarbonate.',
  },
  HIGH_PH: {
    'pt-BR': 'Renove parte da água e acompanhe: pH alto torna a amônia mais tóxica.',
    en: 'Exchange some water and keep watching: a high pH makes ammonia more toxic.',
  },
  LOW_ALKALINITY: {
    'pt-BR': 'Aplique calcário ou bicarbonato em doses pequenas.',
    en: 'Apply lime or bicarbonate in small doses.',
  },
  HIGH_AMMONIA: {
    'pt-BR': 'Pare ou reduza a ração, renove água e aumente a aeração.',
    en: 'Stop or reduce feeding, exchange water and aerate more.',
  },
  HIGH_NITRITE: {
    'pt-BR': 'Reduza a ração, renove água; em água pouco salgada, aplique sal.',
    en: 'Feed less and exchange water; in water of low salinity add salt.',
  },
  HIGH_NITRATE: {
    'pt-BR': 'Renove parte da água.',
    en: 'Exchange some of the water.',
  },
};

/** What a farmer does about an alert; null for a word that is none. */
export function adviceFor(alertType: unknown, language: Language): string | null {
  const found = Object.entries(WHAT_TO_DO).find(([type]) => type === alertType);
  if (found === undefined) return null;
  return `${language === 'en' ? 'What to do' : 'O que fazer'}: ${found[1][language]}`;
}

export function resolvedWords(time: string, language: Language): string {
  return language === 'en' ? `Resolved meanwhile (${time}).` : `Já foi resolvido (${time}).`;
}

export function testWords(language: Language): { title: string; message: string } {
  return language === 'en'
    ? { title: 'Test message', message: 'This channel works: notifications of your farm will arrive here.' }
    : { title: 'Mensagem de teste', message: 'Este canal funciona: os avisos da fazenda vão chegar aqui.' };
}

export function confirmationWords(code: string, language: Language): { title: string; message: string } {
  const shown = `${code.slice(0, 4)} ${code.slice(4)}`;
  return language === 'en'
    ? {
        title: `${shown} is your confirmation code`,
        message: `Enter the code ${shown} to receive notifications of your farm at this address. It holds for 24 hours. If you did not ask for it, ignore this mail: nothing else will be sent.`,
      }
    : {
        title: `${shown} é o seu código de confirmação`,
        message: `Digite o código ${shown} para receber os avisos da fazenda neste endereço. Ele vale por 24 horas. Se não foi você que pediu, ignore este e-mail: nada mais será enviado.`,
      };
}

export function summaryWords(
  { alerts, titles, more }: Summary,
  { from, to }: { from: string; to: string },
  language: Language,
): { title: string; message: string } {
  const list = titles.map(({ title, times }) => (times === 1 ? title : `${times} × ${title}`)).join('; ');
  const isEnglish = language === 'en';
  const rest = more === 0 ? '' : isEnglish ? ` and ${more} more` : ` e mais ${more}`;
  if (isEnglish) {
    return {
      title: `${alerts === 1 ? 'One alert' : `${alerts} alerts`} while no message could be sent`,
      message: `Between ${from} and ${to} there ${alerts === 1 ? 'was one alert' : `were ${alerts} alerts`}, resolved by now: ${list}${rest}.`,
    };
  }
  return {
    title: `${alerts === 1 ? 'Um alerta' : `${alerts} alertas`} enquanto não era possível avisar`,
    message: `Entre ${from} e ${to} houve ${alerts === 1 ? 'um alerta, já resolvido' : `${alerts} alertas, já resolvidos`}: ${list}${rest}.`,
  };
}

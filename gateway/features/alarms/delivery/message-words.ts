import type { Language } from '#core/notifying.ts';
import { adviceForWord, type DeadlyLevel } from '#science/advice/alert-advice.ts';
import type { Summary } from './summary.ts';

// What messages say besides the notification itself: what to do, where, when. In the language of the reader.

/** What a farmer does about the alert a notification tells of, by the farm's own figures; null for a word that is none. */
export function adviceIn(
  data: Readonly<Record<string, unknown>>,
  { language, water }: { language: Language; water: DeadlyLevel },
): string | null {
  const { alert_type: type, severity, value } = data;
  const graded = severity === 'LOW' || severity === 'MEDIUM' || severity === 'HIGH' ? severity : null;
  const advice = adviceForWord(
    { type, severity: graded, value: typeof value === 'number' ? value : null },
    language,
    water,
  );
  return advice === null ? null : `${language === 'en' ? 'What to do' : 'O que fazer'}: ${advice}`;
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

import * as z from 'zod';
import { type Language, languageOf } from '#core/notifying.ts';
import { wallOf, type ZoneClock } from '#core/zone-clock.ts';
import { adviceForWord, type DeadlyLevel } from '#science/advice/alert-advice.ts';
import { amount } from '#science/advice/water-advice.ts';
import { parameterOf, WATER_ALERT_TYPES } from '#science/water-limits.ts';
import type { AlertNow, Channel, Job, Outgoing } from './ports.ts';

/** What a SUMMARY stores: alerts that came and went while nothing could be sent. */
const summary = z.object({
  alerts: z.int(),
  from: z.string(),
  to: z.string(),
  titles: z.array(z.object({ title: z.string(), times: z.int() })),
  /** Titles that did not fit. */
  more: z.int(),
});
type Summary = z.infer<typeof summary>;

const MOST_TITLES = 15;

/** Sums up alerts by what they said, the most frequent first. */
export function sumUp(jobs: readonly Pick<Job, 'notification' | 'delivery'>[]): Summary {
  const timesByTitle = new Map<string, number>();
  const times = jobs
    .map(({ notification, delivery }) => notification?.created_at ?? delivery.created_at)
    .sort();
  for (const { notification } of jobs) {
    const title = notification?.title ?? '';
    timesByTitle.set(title, (timesByTitle.get(title) ?? 0) + 1);
  }
  const titles = [...timesByTitle]
    .map(([title, n]) => ({ title, times: n }))
    .sort((a, b) => b.times - a.times || (a.title < b.title ? -1 : 1));
  return {
    alerts: jobs.length,
    from: times[0] ?? '',
    to: times.at(-1) ?? '',
    titles: titles.slice(0, MOST_TITLES),
    more: Math.max(0, titles.length - MOST_TITLES),
  };
}

/** Reads what `sumUp` made, as stored. */
function summaryIn(body: Record<string, unknown> | null): Summary {
  return summary.parse(body);
}

// What messages say besides the notification itself: what to do, where, when. In the language of the reader.

/** What a farmer does about the alert a notification tells of, by the farm's own figures; null for a word that is none. */
function adviceIn(
  data: Readonly<Record<string, unknown>>,
  { language, water }: { language: Language; water: DeadlyLevel },
): string | null {
  const { alert_type: type, severity, value, threshold } = data;
  const graded = severity === 'LOW' || severity === 'MEDIUM' || severity === 'HIGH' ? severity : null;
  const advice = adviceForWord(
    {
      type,
      severity: graded,
      value: typeof value === 'number' ? value : null,
      threshold: typeof threshold === 'number' ? threshold : null,
    },
    language,
    water,
  );
  return advice === null
    ? null
    : `${{ 'pt-BR': 'O que fazer', en: 'What to do', es: 'Qué hacer' }[language]}: ${advice}`;
}

/** Of a measurement that was put right after the news: the value that stands; null: it is as it was told. */
function correctedWords(alert: AlertNow | null, told: unknown, language: Language): string | null {
  const type = WATER_ALERT_TYPES.find((each) => each === alert?.type);
  if (alert === null || type === undefined || alert.value === null || alert.value === told) return null;
  const basis = type === 'HIGH_AMMONIA' ? ' NH₃-N' : '';
  const stands = `${amount(parameterOf(type), alert.value, language)}${basis}`;
  return {
    'pt-BR': `Corrigido depois: ${stands}.`,
    en: `Corrected meanwhile: ${stands}.`,
    es: `Corregido después: ${stands}.`,
  }[language];
}

function resolvedWords(time: string, language: Language): string {
  return {
    'pt-BR': `Já foi resolvido (${time}).`,
    en: `Resolved meanwhile (${time}).`,
    es: `Ya se resolvió (${time}).`,
  }[language];
}

function testWords(language: Language): { title: string; message: string } {
  return {
    'pt-BR': {
      title: 'Mensagem de teste',
      message: 'Este canal funciona: os avisos da fazenda vão chegar aqui.',
    },
    en: {
      title: 'Test message',
      message: 'This channel works: notifications of your farm will arrive here.',
    },
    es: {
      title: 'Mensaje de prueba',
      message: 'Este canal funciona: los avisos de la camaronera van a llegar aquí.',
    },
  }[language];
}

function confirmationWords(code: string, language: Language): { title: string; message: string } {
  const shown = `${code.slice(0, 4)} ${code.slice(4)}`;
  return {
    'pt-BR': {
      title: `${shown} é o seu código de confirmação`,
      message: `Digite o código ${shown} para receber os avisos da fazenda neste endereço. Ele vale por 24 horas. Se não foi você que pediu, ignore este e-mail: nada mais será enviado.`,
    },
    en: {
      title: `${shown} is your confirmation code`,
      message: `Enter the code ${shown} to receive notifications of your farm at this address. It holds for 24 hours. If you did not ask for it, ignore this mail: nothing else will be sent.`,
    },
    es: {
      title: `${shown} es su código de confirmación`,
      message: `Escriba el código ${shown} para recibir los avisos de la camaronera en esta dirección. Vale por 24 horas. Si no fue usted quien lo pidió, ignore este correo: no se enviará nada más.`,
    },
  }[language];
}

function summaryWords(
  { alerts, titles, more }: Summary,
  { from, to }: { from: string; to: string },
  language: Language,
): { title: string; message: string } {
  const list = titles.map(({ title, times }) => (times === 1 ? title : `${times} × ${title}`)).join('; ');
  const rest =
    more === 0 ? '' : { 'pt-BR': ` e mais ${more}`, en: ` and ${more} more`, es: ` y ${more} más` }[language];
  if (language === 'en') {
    return {
      title: `${alerts === 1 ? 'One alert' : `${alerts} alerts`} while no message could be sent`,
      message: `Between ${from} and ${to} there ${alerts === 1 ? 'was one alert' : `were ${alerts} alerts`}, resolved by now: ${list}${rest}.`,
    };
  }
  if (language === 'es') {
    return {
      title: `${alerts === 1 ? 'Una alerta' : `${alerts} alertas`} mientras no era posible avisar`,
      message: `Entre ${from} y ${to} hubo ${alerts === 1 ? 'una alerta, ya resuelta' : `${alerts} alertas, ya resueltas`}: ${list}${rest}.`,
    };
  }
  return {
    title: `${alerts === 1 ? 'Um alerta' : `${alerts} alertas`} enquanto não era possível avisar`,
    message: `Entre ${from} e ${to} houve ${alerts === 1 ? 'um alerta, já resolvido' : `${alerts} alertas, já resolvidos`}: ${list}${rest}.`,
  };
}

export type ComposeDeps = {
  code: (deliveryId: string, address: string) => string;
  clockOf: (zone: string) => ZoneClock;
};

/** What the advice in a message is for. */
type Told = { job: Job; channel: Channel; water: DeadlyLevel };

/** The message of a delivery in the words of its reader, with the times of his zone. */
export function composeMessage(deps: ComposeDeps, told: Told, now: number): Outgoing {
  const { job, channel } = told;
  const { delivery, notification } = job;
  const language = languageOf(job.reader?.language ?? null);
  const { title, text } = wordsOf(deps, told, language);
  return {
    id: delivery.id,
    purpose: delivery.purpose,
    address: channel.address,
    keys: channel.keys,
    channelId: channel.id,
    title: oneLine(title),
    text,
    language,
    isCritical: delivery.is_critical && delivery.purpose === 'NOTICE',
    at: now,
    notification: notification && {
      id: notification.id,
      type: notification.type,
      title: notification.title,
      message: notification.message,
      data: notification.data,
      farm_id: notification.farm_id,
      created_at: notification.created_at,
    },
  };
}

type Words = { title: string; text: string[] };

function wordsOf(deps: ComposeDeps, { job, channel, water }: Told, language: Language): Words {
  const { delivery } = job;
  const time = (iso: string) => shownTime(iso, deps.clockOf(channel.timezone), language);
  switch (delivery.purpose) {
    case 'TEST':
      return asWords(testWords(language));
    case 'CONFIRMATION':
      return asWords(confirmationWords(deps.code(delivery.id, channel.address), language));
    case 'SUMMARY': {
      const summary = summaryIn(delivery.body);
      return asWords(summaryWords(summary, { from: time(summary.from), to: time(summary.to) }, language));
    }
    case 'NOTICE':
      return noticeWords(job, time, { language, water });
  }
}

const asWords = ({ title, message }: { title: string; message: string }): Words => ({
  title,
  text: [message],
});

function noticeWords(
  { notification, alert, farmName }: Job,
  time: (iso: string) => string,
  { language, water }: { language: Language; water: DeadlyLevel },
): Words {
  if (notification === null) return { title: '', text: [] };
  const { title, message, data, created_at } = notification;
  const isResolved = alert?.status === 'RESOLVED' && alert.resolved_at !== null;
  const corrected = correctedWords(alert, data['value'], language);
  const todo = isResolved
    ? resolvedWords(time(alert.resolved_at ?? created_at), language)
    : adviceIn(corrected === null ? data : { ...data, ...standingOf(alert) }, { language, water });
  const where = [farmName, time(created_at)].filter((part) => part !== null).join(', ');
  return { title, text: [message, corrected, todo, where].filter((part) => part !== null) };
}

const standingOf = (alert: AlertNow | null) =>
  alert === null ? {} : { severity: alert.severity, value: alert.value, threshold: alert.threshold };

/** On the wall clock of the reader: 05/03/2026 03:12. */
function shownTime(iso: string, zone: ZoneClock, language: Language): string {
  const wall = new Date(wallOf(zone, Date.parse(iso))).toISOString();
  const [year, month, day] = wall.slice(0, 10).split('-');
  const date = { 'pt-BR': `${day}/${month}/${year}`, en: wall.slice(0, 10), es: `${day}/${month}/${year}` }[
    language
  ];
  return `${date} ${wall.slice(11, 16)}`;
}

/** Titles become subjects; names of ponds are free text. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

import { type Language, languageOf } from '#core/notifying.ts';
import { wallOf, type ZoneClock } from '#core/zone-clock.ts';
import type { DeadlyLevel } from '#science/advice/alert-advice.ts';
import { adviceIn, confirmationWords, resolvedWords, summaryWords, testWords } from './message-words.ts';
import type { Channel, Job, Outgoing } from './ports.ts';
import { summaryIn } from './summary.ts';

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
  const todo = isResolved
    ? resolvedWords(time(alert.resolved_at ?? created_at), language)
    : adviceIn(data, { language, water });
  const where = [farmName, time(created_at)].filter((part) => part !== null).join(', ');
  return { title, text: [message, ...(todo === null ? [] : [todo]), where] };
}

/** On the wall clock of the reader: 05/03/2026 03:12. */
function shownTime(iso: string, zone: ZoneClock, language: Language): string {
  const wall = new Date(wallOf(zone, Date.parse(iso))).toISOString();
  const [year, month, day] = wall.slice(0, 10).split('-');
  const date = language === 'en' ? wall.slice(0, 10) : `${day}/${month}/${year}`;
  return `${date} ${wall.slice(11, 16)}`;
}

/** Titles become subjects; names of ponds are free text. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

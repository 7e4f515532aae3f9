/// <reference types="vite/types/importMeta.d.ts" />
import type { PushMessage } from '#contract/resources/notification-channels.ts';
import { pushWorkerWords } from '../words/pt-BR/push-worker.ts';

// What a browser shows of a push, and where a press on it leads. Nothing here knows a browser.

export type Shown = {
  title: string;
  options: {
    body: string;
    lang: string;
    tag: string;
    /** It stays until somebody answers it. */
    requireInteraction: boolean;
    /** It sounds again when it takes the place of an older one. */
    renotify: boolean;
    data: { place: string };
  };
};

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** A push that cannot be read is shown, too: browsers end a subscription that shows nothing. `spoken`: of the browser. */
export function shownFor(text: string, spoken: string): Shown {
  const message = readPush(text);
  if (message === null) return wordsOf('unread', spoken);
  const { title, body, lang, tag, critical } = message;
  return {
    title,
    options: {
      body,
      lang,
      tag,
      requireInteraction: critical,
      renotify: critical,
      data: { place: placeOf(message) },
    },
  };
}

/** Said when the browser changed its address and nobody who is signed in could tell the gateway. */
export const movedFor = (spoken: string): Shown => wordsOf('moved', spoken);

/** A place of this console and nothing else; what is none leads to the first screen. */
export function ownPlace(place: unknown, origin: string): string {
  if (typeof place !== 'string' || !place.startsWith('/')) return '/';
  try {
    const url = new URL(place, origin);
    return url.origin === origin ? `${url.pathname}${url.search}` : '/';
  } catch {
    return '/';
  }
}

/** By folder. One worker speaks all languages: a browser knows it by its address, and it cannot ask what a station chose. */
const WORDS = import.meta.glob<typeof pushWorkerWords>('../words/*/push-worker.ts', {
  eager: true,
  import: 'pushWorkerWords',
});
const primaryOf = (tag: string): string => tag.toLowerCase().split('-')[0] ?? '';

function wordsOf(what: keyof typeof pushWorkerWords, spoken: string): Shown {
  const tags = Object.keys(WORDS).map((file) => file.split('/').at(-2) ?? '');
  const lang = tags.find((tag) => primaryOf(tag) === primaryOf(spoken)) ?? 'pt-BR';
  const { title, body } = (WORDS[`../words/${lang}/push-worker.ts`] ?? pushWorkerWords)[what];
  const place = what === 'moved' ? '/sistema/canais' : '/notificacoes';
  return {
    title,
    options: { body, lang, tag: what, requireInteraction: false, renotify: false, data: { place } },
  };
}

function placeOf({ type, tag, alert_id, farm_id }: PushMessage): string {
  if (type === 'ALERT' || alert_id !== null) {
    // somebody with two farms sees the one it is about
    const farm = farm_id !== null && UUID.test(farm_id) ? `?farm=${farm_id}` : '';
    return `/alarmes${farm}`;
  }
  return tag === 'TEST' ? '/sistema/canais' : '/notificacoes';
}

function readPush(text: string): PushMessage | null {
  const read = parsed(text);
  if (typeof read !== 'object' || read === null) return null;
  const given: Record<string, unknown> = { ...read };
  const word = (name: string) => (typeof given[name] === 'string' ? given[name] : null);
  const title = word('title');
  if (title === null || title === '') return null;
  const id = word('id') ?? '';
  const type = word('type');
  return {
    id,
    title,
    body: word('body') ?? '',
    lang: word('lang') ?? '',
    critical: given['critical'] === true,
    // an empty one may not sound again
    tag: word('tag') || id || 'push',
    type: TYPES.find((known) => known === type) ?? null,
    notification_id: word('notification_id'),
    farm_id: word('farm_id'),
    alert_id: word('alert_id'),
  };
}

const TYPES = ['ALERT', 'SYSTEM', 'SUBSCRIPTION', 'PAYMENT'] as const;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

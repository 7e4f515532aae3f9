/// <reference types="vite/types/importMeta.d.ts" />
import { NOTICE_SUBJECTS, type NoticeSubject } from '#contract/notice-subject.ts';
import type { OfferedAction, PushAction, PushMessage } from '#contract/resources/notification-channels.ts';
import { noticePlace } from '../state/notice-place.ts';
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
    /** Buttons; browsers that have none show the rest. */
    actions: { action: PushAction; title: string }[];
    data: Told;
  };
};

/** What a notification keeps for when it is pressed. */
export type Told = {
  place: string;
  lang: string;
  tag: string;
  body: string;
  /** What each button opens, by its name. */
  offered: readonly OfferedAction[];
};

/**
 * What became of a press. `offline`: nothing was sent, for the farm is out of reach. `noAnswer`: it was sent, and whether
 * it was done nobody knows here.
 */
export type Outcome =
  | { is: 'done'; isOnItsWay: boolean }
  | { is: 'refused'; code: string }
  | { is: 'offline' | 'noAnswer' };

/** A push that cannot be read is shown, too: browsers end a subscription that shows nothing. `spoken`: of the browser. */
export function shownFor(text: string, spoken: string): Shown {
  const message = readPush(text);
  if (message === null) return wordsOf('unread', spoken);
  const { title, body, lang, tag, critical, actions } = message;
  const told = { place: placeOf(message), lang, tag, body: `${title}. ${body}`, offered: actions };
  return shown(title, { body, isUrgent: critical, told });
}

/** Says what became of a press, in the place of the notification that was pressed: what is still to be done stays on it. */
export function answerFor(told: Told, pressed: OfferedAction, outcome: Outcome): Shown {
  const words = wordsIn(told.lang);
  const { action, name } = pressed;
  const others = told.offered.filter((one) => one !== pressed);
  if (outcome.is === 'done') {
    const said = outcome.isOnItsWay ? words.onItsWay(name ?? '') : words.done[action](name ?? '');
    return shown(said.title, {
      body: said.body,
      isUrgent: others.length > 0,
      told: { ...told, offered: others },
    });
  }
  const wanted = words.actions[action](name ?? '');
  const title = outcome.is === 'noAnswer' ? words.uncertain(wanted) : words.notDone(wanted);
  const why: Readonly<Record<string, string>> = words.why;
  const reason = why[outcome.is === 'refused' ? outcome.code : outcome.is] ?? words.why.other;
  const isToBeTriedAgain = outcome.is !== 'refused' || outcome.code === 'LOCKED_OUT';
  const offered = isToBeTriedAgain ? told.offered : others;
  return shown(title, { body: `${reason}\n${told.body}`, isUrgent: true, told: { ...told, offered } });
}

function shown(
  title: string,
  { body, isUrgent, told }: { body: string; isUrgent: boolean; told: Told },
): Shown {
  const { lang, tag, offered } = told;
  const words = wordsIn(lang);
  return {
    title,
    options: {
      body,
      lang,
      tag,
      requireInteraction: isUrgent,
      renotify: isUrgent,
      actions: offered.map(({ action, name }) => ({ action, title: words.actions[action](name ?? '') })),
      data: told,
    },
  };
}

/** What a notification of this or an older worker kept. */
export function toldIn(data: unknown): Told {
  const given: Partial<Record<keyof Told, unknown>> = typeof data === 'object' && data !== null ? data : {};
  const word = (name: keyof Told) => (typeof given[name] === 'string' ? given[name] : '');
  const offered = actionsIn(given.offered);
  return { place: word('place'), lang: word('lang'), tag: word('tag'), body: word('body'), offered };
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

function languageFor(spoken: string): string {
  const tags = Object.keys(WORDS).map((file) => file.split('/').at(-2) ?? '');
  return tags.find((tag) => primaryOf(tag) === primaryOf(spoken)) ?? 'pt-BR';
}

const wordsIn = (spoken: string): typeof pushWorkerWords =>
  WORDS[`../words/${languageFor(spoken)}/push-worker.ts`] ?? pushWorkerWords;

function wordsOf(what: 'unread' | 'moved', spoken: string): Shown {
  const { title, body } = wordsIn(spoken)[what];
  const place = what === 'moved' ? '/sistema/canais' : '/notificacoes';
  return shown(title, {
    body,
    isUrgent: false,
    told: { place, lang: languageFor(spoken), tag: what, body, offered: [] },
  });
}

function placeOf({ type, tag, alert_id, farm_id, subject }: PushMessage): string {
  if (subject != null) return noticePlace(subject, farm_id);
  // of an alarm the tag is its episode, by which the list knows it
  if (type === 'ALERT' || alert_id !== null) return noticePlace({ is: 'ALARM', id: tag }, farm_id);
  return tag === 'TEST' ? '/sistema/canais' : '/notificacoes';
}

function subjectIn(given: unknown): NoticeSubject | null {
  const { is, id }: Partial<Record<keyof NoticeSubject, unknown>> =
    typeof given === 'object' && given !== null ? given : {};
  const known = NOTICE_SUBJECTS.find((word) => word === is);
  return known === undefined ? null : { is: known, id: typeof id === 'string' ? id : null };
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
    subject: subjectIn(given['subject']),
    actions: actionsIn(given['actions']),
  };
}

const ACTIONS = ['ACKNOWLEDGE', 'TURN_ON'] as const;

/** What this worker knows to ask for; a newer gateway may offer more. */
function actionsIn(given: unknown): OfferedAction[] {
  if (!Array.isArray(given)) return [];
  return given.flatMap((one: unknown): OfferedAction[] => {
    const { action, token, name }: Partial<Record<keyof OfferedAction, unknown>> =
      typeof one === 'object' && one !== null ? one : {};
    const known = ACTIONS.find((word) => word === action);
    if (known === undefined || typeof token !== 'string') return [];
    return [{ action: known, token, name: typeof name === 'string' ? name : null }];
  });
}

const TYPES = ['ALERT', 'SYSTEM', 'SUBSCRIPTION', 'PAYMENT'] as const;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

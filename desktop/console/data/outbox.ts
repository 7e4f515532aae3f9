import { computed, signal } from '@preact/signals';
import { fateOf, UNDO_MS, waitMs } from '../state/outbox-rules.ts';
import { ApiError, ask, newUuid, Unreachable } from './api.ts';
import { serverNow } from './clock.ts';
import { refresh } from './query.ts';
import { userId } from './session.ts';

// The browser's own store for what was typed: IndexedDB, which there is on plain http, too. A browser may refuse it (a
// private window, a full disk) or never answer; whoever writes hears of it.

type EntryState = 'waiting' | 'sending' | 'queued' | 'saved' | 'refused';
export type Entry = {
  id: string;
  userId: string;
  path: string;
  body: Record<string, unknown>;
  /** What it is, in words, for the list: `V-07 · OD 4,2`. */
  label: string;
  /** Kinds of questions that are asked anew once it is saved. */
  touches: readonly string[];
  /** What it settles, so that a screen knows it as done: a meal of a day. */
  settles?: string;
  /** It can be done once, whichever device says so: the id that all of them give its row. */
  single?: Single;
  enteredAt: number;
  /** By this device's own clock; only asked when a page opens. */
  sendAt: number;
  state: EntryState;
  /** Why the gateway refused it, in its own words; `code` is what that is called. */
  why: string | null;
  code?: string;
  /** It was sent, and nobody knows whether it arrived. */
  mayHaveArrived?: boolean;
  /** False: this browser could not keep it, it lives as long as the page. */
  isKept?: boolean;
};

/**
 * The row that stands under `id` already is this one as long as its instant `field` lies here. One that was corrected to
 * another time, or deleted, does not stand for it any more, though its id stays taken.
 */
type Single = { id: string; field: string; from: number; until: number };

const ANSWER_MS = 5_000;

type OutboxStore = {
  all: () => Promise<Entry[]>;
  has: (id: string) => Promise<boolean>;
  /** All of them or none. */
  put: (entries: readonly Entry[]) => Promise<void>;
  /** Writes an entry anew; false: it is there no more, and stays so. */
  replace: (entry: Entry) => Promise<boolean>;
  remove: (id: string) => Promise<void>;
};

function openOutboxStore(): OutboxStore {
  const opened = open();
  // whoever uses it hears of it
  opened.catch(() => undefined);

  const read = async <Found>(ask: (store: IDBObjectStore) => IDBRequest<Found>): Promise<Found> => {
    const request = ask((await opened).transaction('entries').objectStore('entries'));
    return inTime((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  };
  const write = async (change: (store: IDBObjectStore) => void): Promise<void> => {
    const transaction = (await opened).transaction('entries', 'readwrite', { durability: 'strict' });
    return inTime((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onerror = () => reject(transaction.error);
      transaction.onabort = () => reject(transaction.error);
      change(transaction.objectStore('entries'));
      // at once: a page that is left in the same moment does not take it along
      transaction.commit();
    });
  };
  return {
    all: () => read((store) => store.getAll() as IDBRequest<Entry[]>),
    has: async (id) => (await read((store) => store.getKey(id))) !== undefined,
    put: (entries) =>
      write((store) => {
        for (const entry of entries) store.put(entry);
      }),
    replace: async (entry) => {
      const transaction = (await opened).transaction('entries', 'readwrite', { durability: 'strict' });
      return inTime((resolve, reject) => {
        let isThere = false;
        transaction.oncomplete = () => resolve(isThere);
        transaction.onerror = () => reject(transaction.error);
        transaction.onabort = () => reject(transaction.error);
        const store = transaction.objectStore('entries');
        const key = store.getKey(entry.id);
        // in the same transaction: another window's delete lies before both or after both
        key.onsuccess = () => {
          isThere = key.result !== undefined;
          if (isThere) store.put(entry);
        };
      });
    },
    remove: (id) => write((store) => store.delete(id)),
  };
}

function open(): Promise<IDBDatabase> {
  return inTime((resolve, reject) => {
    const request = indexedDB.open('outbox', 1);
    request.onupgradeneeded = () => request.result.createObjectStore('entries', { keyPath: 'id' });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function inTime<Answer>(
  work: (resolve: (answer: Answer) => void, reject: (reason: DOMException | null) => void) => void,
): Promise<Answer> {
  return new Promise<Answer>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the store of this browser does not answer')), ANSWER_MS);
    work(
      (answer) => {
        clearTimeout(timer);
        resolve(answer);
      },
      (reason) => {
        clearTimeout(timer);
        reject(new Error('the store of this browser failed', { cause: reason }));
      },
    );
  });
}

// What was typed at the pond is kept in the browser until the gateway has it: through a reload, a dead battery, an hour
// without Wi-Fi. Each entry carries its own id, so that sending it again, even days later, never makes a second row. It
// waits ten seconds first: until then it can be taken back.

export type Wanted = Pick<Entry, 'path' | 'body' | 'label' | 'touches' | 'settles' | 'single'> & {
  /** Whoever kept it before it was sent has its id: it becomes one entry however often that happens. */
  id?: string;
};

export const entries = signal<readonly Entry[]>([]);
/** What is not on the gateway yet. */
export const pending = computed(() => entries.value.filter(({ state }) => state !== 'saved'));
/** Typed here by somebody who is signed in no more: it waits for them. */
export const isOfAnother = (entry: Entry): boolean => entry.userId !== '' && entry.userId !== userId.value;

/** Ids of what an earlier visit of the page left. */
export const foundAtStart = signal<ReadonlySet<string>>(new Set());

const SAVED_SHOWN_MS = 60_000;
const RETRY_MS = 5_000;

const store = openOutboxStore();
/** When each is sent, or forgotten once it is saved, by the clock of this page: the device's own may be set back. */
const dueAt = new Map<string, number>();
const dueIn = (id: string, ms: number) => void dueAt.set(id, performance.now() + ms);
const isDue = (id: string): boolean => (dueAt.get(id) ?? 0) <= performance.now();

const find = (id: string) => entries.value.find((entry) => entry.id === id);
const show = (entry: Entry) => {
  entries.value = entries.value.map((found) => (found.id === entry.id ? entry : found));
};
const forget = (...ids: string[]) => {
  entries.value = entries.value.filter(({ id }) => !ids.includes(id));
  for (const id of ids) dueAt.delete(id);
};

/**
 * Puts entries on their way, together; when this answers they are in the browser's store, or `isKept` says that it could
 * not keep them.
 */
export async function enter(...wanted: readonly Wanted[]): Promise<readonly Entry[]> {
  const made = wanted.flatMap((entry): Entry[] => {
    const id = entry.id ?? newUuid();
    if (find(id) !== undefined) return [];
    const kept: Entry = {
      ...entry,
      id,
      body: { ...entry.body, id: entry.single?.id ?? id },
      userId: userId.value ?? '',
      enteredAt: serverNow(),
      sendAt: Date.now() + UNDO_MS,
      state: 'waiting',
      why: null,
    };
    return [kept];
  });
  for (const { id } of made) dueIn(id, UNDO_MS);
  // shown before they are kept: a second press finds the first
  entries.value = [...entries.value, ...made];
  const isKept = await store.put(made).then(
    () => true,
    () => false,
  );
  if (!isKept) for (const { id } of made) withFields(id, { isKept });
  return made.map((entry) => ({ ...entry, isKept }));
}

/** Takes an entry back; false when it is on its way already. */
export async function takeBack(id: string): Promise<boolean> {
  const entry = find(id);
  if (entry === undefined || entry.state === 'sending' || entry.state === 'saved') return false;
  const due = dueAt.get(id) ?? 0;
  forget(id);
  try {
    if (entry.isKept !== false) await store.remove(id);
    return true;
  } catch {
    // still in the store: the next visit would send it, so it is not taken back
    dueAt.set(id, due);
    entries.value = [...entries.value, entry];
    return false;
  }
}

/** Tries a refused entry again. */
export async function tryAgain(id: string): Promise<void> {
  const entry = find(id);
  if (entry === undefined) return;
  dueIn(id, 0);
  await change({ ...entry, state: 'queued', why: null });
}

function withFields(id: string, fields: Partial<Entry>): void {
  const entry = find(id);
  if (entry !== undefined) show({ ...entry, ...fields });
}

async function change(entry: Entry): Promise<void> {
  show(entry);
  if (entry.isKept === false) return;
  // what the store does not take now it still has as it was: that is sent again, and its id keeps it single
  if (entry.state === 'saved') return store.remove(entry.id).catch(() => undefined);
  // another window of this browser may have taken it back, or had it saved, meanwhile: then it is not put in again
  if (!(await store.replace(entry).catch(() => true))) forget(entry.id);
}

let isRunning = false;

/** One look: sends what is due, one after the other. */
async function sendDue(): Promise<void> {
  if (isRunning) return;
  isRunning = true;
  try {
    for (const { id } of entries.value) {
      const entry = find(id);
      if (entry === undefined || (entry.state !== 'waiting' && entry.state !== 'queued')) continue;
      if (!isDue(id) || userId.value === null || isOfAnother(entry)) continue;
      if (!(await send(entry))) break;
    }
    const old = entries.value.filter(({ id, state }) => state === 'saved' && isDue(id));
    if (old.length > 0) forget(...old.map(({ id }) => id));
  } finally {
    isRunning = false;
  }
}

/** False when the gateway cannot be reached: the rest waits, too. */
async function send(entry: Entry): Promise<boolean> {
  show({ ...entry, state: 'sending' });
  // another window of this browser may have sent it, or taken it back
  const isThere = entry.isKept === false || (await store.has(entry.id).catch(() => true));
  if (!isThere) {
    forget(entry.id);
    return true;
  }
  const failure = await ask(entry.path, { method: 'POST', body: entry.body, idempotencyKey: entry.id }).then(
    () => 'none' as const,
    (error: unknown) => error,
  );
  const answer = failure instanceof ApiError ? failure : null;
  if (answer?.code === 'ID_TAKEN' && entry.single !== undefined) return settleSingle(entry, entry.single);
  const fate = failure === 'none' ? { is: 'saved' as const } : fateOf(answer);
  switch (fate.is) {
    case 'saved':
      return saved(entry);
    case 'refused':
      await change({ ...entry, state: 'refused', why: answer?.message ?? null, code: answer?.code ?? '' });
      return true;
    case 'queued':
      dueIn(entry.id, RETRY_MS);
      await change({
        ...entry,
        state: 'queued',
        mayHaveArrived: fate.mayHaveArrived || entry.mayHaveArrived === true,
      });
      return !(failure instanceof Unreachable);
  }
}

async function saved(entry: Entry): Promise<true> {
  dueIn(entry.id, SAVED_SHOWN_MS);
  await change({ ...entry, state: 'saved', why: null });
  refresh(...entry.touches);
  return true;
}

/** Its id is taken: by the same said elsewhere, or by a row that stands for it no more. Then it goes under its own. */
async function settleSingle(entry: Entry, { id, field, from, until }: Single): Promise<boolean> {
  const found = await ask<Record<string, unknown>>(`${entry.path}${id}`).catch((error: unknown) => error);
  if (found instanceof Error && !(found instanceof ApiError && found.status === 404)) {
    dueIn(entry.id, RETRY_MS);
    await change({ ...entry, state: 'queued' });
    return !(found instanceof Unreachable);
  }
  const at =
    found instanceof Error ? Number.NaN : Date.parse(String((found as Record<string, unknown>)[field]));
  if (at >= from && at <= until) return saved({ ...entry, code: 'ID_TAKEN' });
  const { single: _, ...own } = entry;
  dueIn(entry.id, 0);
  await change({ ...own, body: { ...entry.body, id: entry.id }, state: 'queued' });
  return true;
}

/** Reads what an earlier visit left and begins to send. */
export async function startOutbox(): Promise<void> {
  setInterval(() => void sendDue(), 1_000);
  const left = await store.all().catch(() => []);
  for (const { id, sendAt } of left) dueIn(id, waitMs(sendAt, Date.now()));
  entries.value = [
    // one that was on its way when the page closed is sent again: its id keeps it single
    ...left.map((entry) =>
      entry.state === 'sending' ? { ...entry, state: 'queued' as const, mayHaveArrived: true } : entry,
    ),
    ...entries.value,
  ];
  foundAtStart.value = new Set(left.map(({ id }) => id));
}

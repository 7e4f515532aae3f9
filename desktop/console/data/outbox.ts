import { computed, signal } from '@preact/signals';
import { ApiError, newUuid, post, Unreachable } from './api.ts';
import { refresh } from './query.ts';
import { user } from './session.ts';

// What was typed at the pond is kept in the browser until the gateway has it: through a reload, a dead battery, an hour
// without Wi-Fi. Each entry carries its own key, so that sending it again never makes a second row. It waits ten
// seconds first: until then it can be taken back.

export const UNDO_MS = 10_000;

export type EntryState = 'waiting' | 'sending' | 'queued' | 'saved' | 'refused';
export type Entry = {
  id: string;
  userId: string;
  path: string;
  body: Record<string, unknown>;
  /** What it is, in words, for the list: `V-07 · OD 4,2`. */
  label: string;
  /** Kinds of questions that are asked anew once it is saved. */
  touches: readonly string[];
  enteredAt: number;
  sendAt: number;
  state: EntryState;
  /** Why the gateway refused it. */
  why: string | null;
};

export const entries = signal<readonly Entry[]>([]);
/** What is not on the gateway yet. */
export const pending = computed(() => entries.value.filter(({ state }) => state !== 'saved'));

const SAVED_SHOWN_MS = 60_000;
const RETRY_MS = 5_000;

const opened = openStore();

function openStore(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('outbox', 1);
    request.onupgradeneeded = () => request.result.createObjectStore('entries', { keyPath: 'id' });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('no storage in this browser'));
  });
}

async function write(change: (store: IDBObjectStore) => void): Promise<void> {
  const database = await opened;
  return new Promise((resolve, reject) => {
    const transaction = database.transaction('entries', 'readwrite', { durability: 'strict' });
    change(transaction.objectStore('entries'));
    transaction.oncomplete = () => resolve();
    transaction.onerror = () => reject(transaction.error ?? new Error('not stored'));
  });
}

/** Puts an entry on its way; it is in the browser's store when this answers. */
export async function enter(
  wanted: Pick<Entry, 'path' | 'body' | 'label' | 'touches'> & { undoMs?: number },
): Promise<Entry> {
  const { undoMs = UNDO_MS, ...entry } = wanted;
  const id = newUuid();
  const kept: Entry = {
    ...entry,
    id,
    userId: user.value?.id ?? '',
    enteredAt: Date.now(),
    sendAt: Date.now() + undoMs,
    state: 'waiting',
    why: null,
  };
  await write((store) => store.put(kept));
  entries.value = [...entries.value, kept];
  return kept;
}

/** Takes an entry back; false when it is on its way already. */
export async function takeBack(id: string): Promise<boolean> {
  const entry = entries.value.find((found) => found.id === id);
  if (entry === undefined || entry.state === 'sending' || entry.state === 'saved') return false;
  await write((store) => store.delete(id));
  entries.value = entries.value.filter((found) => found.id !== id);
  return true;
}

/** Tries a refused entry again, with other values when they are given. */
export async function tryAgain(id: string, body?: Record<string, unknown>): Promise<void> {
  const entry = entries.value.find((found) => found.id === id);
  if (entry === undefined) return;
  await change({
    ...entry,
    ...(body === undefined ? {} : { body }),
    state: 'waiting',
    why: null,
    sendAt: Date.now(),
  });
}

async function change(entry: Entry): Promise<void> {
  entries.value = entries.value.map((found) => (found.id === entry.id ? entry : found));
  await write((store) => (entry.state === 'saved' ? store.delete(entry.id) : store.put(entry)));
}

let isRunning = false;

/** One look: sends what is due, one after the other. */
export async function sendDue(): Promise<void> {
  if (isRunning) return;
  isRunning = true;
  try {
    for (const entry of entries.value) {
      const isDue = (entry.state === 'waiting' || entry.state === 'queued') && entry.sendAt <= Date.now();
      if (!isDue || entry.userId !== user.value?.id) continue;
      if (!(await send(entry))) break;
    }
    const old = entries.value.filter(
      ({ state, sendAt }) => state === 'saved' && Date.now() - sendAt > SAVED_SHOWN_MS,
    );
    if (old.length > 0) entries.value = entries.value.filter((entry) => !old.includes(entry));
  } finally {
    isRunning = false;
  }
}

/** False when the gateway cannot be reached: the rest waits, too. */
async function send(entry: Entry): Promise<boolean> {
  entries.value = entries.value.map((found) =>
    found.id === entry.id ? { ...entry, state: 'sending' } : found,
  );
  try {
    await post(entry.path, entry.body, entry.id);
    await change({ ...entry, state: 'saved', why: null });
    refresh(...entry.touches);
    return true;
  } catch (error) {
    const isRefused =
      error instanceof ApiError && error.status < 500 && error.status !== 401 && error.status !== 429;
    await change({
      ...entry,
      state: isRefused ? 'refused' : 'queued',
      why: isRefused ? error.message : null,
      sendAt: isRefused ? entry.sendAt : Date.now() + RETRY_MS,
    });
    return !(error instanceof Unreachable);
  }
}

/** Reads what an earlier visit left and begins to send. */
export async function startOutbox(): Promise<void> {
  const database = await opened.catch(() => null);
  if (database === null) return;
  const left = await new Promise<Entry[]>((resolve) => {
    const request = database.transaction('entries').objectStore('entries').getAll() as IDBRequest<Entry[]>;
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => resolve([]);
  });
  // one that was on its way when the page closed is sent again: its key keeps it single
  entries.value = left.map((entry) => (entry.state === 'sending' ? { ...entry, state: 'queued' } : entry));
  setInterval(() => void sendDue(), 1_000);
}

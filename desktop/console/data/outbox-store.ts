// The browser's own store for what was typed: IndexedDB, which there is on plain http, too. A browser may refuse it (a
// private window, a full disk) or never answer; whoever writes hears of it.

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
export type Single = { id: string; field: string; from: number; until: number };

const ANSWER_MS = 5_000;

export type OutboxStore = {
  all: () => Promise<Entry[]>;
  has: (id: string) => Promise<boolean>;
  /** All of them or none. */
  put: (entries: readonly Entry[]) => Promise<void>;
  /** Writes an entry anew; false: it is there no more, and stays so. */
  replace: (entry: Entry) => Promise<boolean>;
  remove: (id: string) => Promise<void>;
};

export function openOutboxStore(): OutboxStore {
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

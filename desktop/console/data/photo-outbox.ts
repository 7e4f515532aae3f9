import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { signal } from '@preact/signals';
import { fateOf } from '../state/outbox-rules.ts';
import { ApiError, ask, newUuid, Unreachable } from './api.ts';
import { serverNow } from './clock.ts';
import { refresh } from './query.ts';
import { userId } from './session.ts';
import { smallPicture } from './small-picture.ts';

// Photos wait in the browser until the gateway has them, as what is typed does: through a reload, and an hour without Wi-Fi.
// Each has its own id, so that one whose answer was lost is sent again and stands once.

/** Where photos are listed and announced: /ponds/…/photos. */
export type PhotosPath = `/${string}/photos`;

export type WaitingPhoto = {
  id: string;
  userId: string;
  path: PhotosPath;
  picture: Blob;
  announced: {
    sha256: string;
    bytes: number;
    width: number;
    height: number;
    type: 'image/jpeg';
    taken_at: string;
  };
  state: 'waiting' | 'sending' | 'refused';
  /** With what the gateway refused it. */
  fault: ApiError | null;
  /** False: this browser could not keep it, it lives as long as the page. */
  isKept: boolean;
};

/** Some 15 MB: browsers of phones give more, and a walk around all ponds takes fewer. */
export const MOST_WAITING = 60;
const RETRY_MS = 5_000;

export const waitingPhotos = signal<readonly WaitingPhoto[]>([]);

/** Those of one place that whoever is signed in has taken. */
export const waitingAt = (path: PhotosPath): readonly WaitingPhoto[] =>
  waitingPhotos.value.filter((photo) => photo.path === path && photo.userId === userId.value);

let opened: Promise<IDBDatabase> | null = null;
function store(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('photos', 1);
    request.onupgradeneeded = () => request.result.createObjectStore('waiting', { keyPath: 'id' });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

async function inStore<Found>(
  mode: IDBTransactionMode,
  ask: (store: IDBObjectStore) => IDBRequest<Found>,
): Promise<Found> {
  const transaction = (await store()).transaction('waiting', mode, { durability: 'strict' });
  const request = ask(transaction.objectStore('waiting'));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request.result);
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
  });
}

const change = (id: string, fields: Partial<WaitingPhoto>) => {
  waitingPhotos.value = waitingPhotos.value.map((photo) =>
    photo.id === id ? { ...photo, ...fields } : photo,
  );
};

/** Makes a picture small, keeps it, and sends it as soon as there is a line. */
export async function takePhoto(
  path: PhotosPath,
  file: File,
): Promise<'taken' | 'not kept' | 'unreadable' | 'full'> {
  if (waitingPhotos.value.length >= MOST_WAITING) return 'full';
  const small = await smallPicture(file);
  if (small === null) return 'unreadable';
  const { blob: picture, width, height } = small;
  const bytes = new Uint8Array(await picture.arrayBuffer());
  // by the clock of the device, whose error is the same now
  const agoMs = Math.max(0, Date.now() - file.lastModified);
  const photo: WaitingPhoto = {
    id: newUuid(),
    userId: userId.value ?? '',
    path,
    picture,
    announced: {
      // the browser has one of its own on https alone, and a gateway is often called on plain http
      sha256: bytesToHex(sha256(bytes)),
      bytes: bytes.length,
      width,
      height,
      type: 'image/jpeg',
      taken_at: new Date(serverNow() - agoMs).toISOString(),
    },
    state: 'waiting',
    fault: null,
    isKept: true,
  };
  const isKept = await inStore('readwrite', (photos) => photos.put(photo)).then(
    () => true,
    () => false,
  );
  waitingPhotos.value = [...waitingPhotos.value, { ...photo, isKept }];
  void startPhotos().then(sendAll);
  return isKept ? 'taken' : 'not kept';
}

export async function discardPhoto(id: string): Promise<void> {
  waitingPhotos.value = waitingPhotos.value.filter((photo) => photo.id !== id);
  await inStore('readwrite', (photos) => photos.delete(id)).catch(() => undefined);
}

export function sendAgain(id: string): void {
  change(id, { state: 'waiting', fault: null });
  void sendAll();
}

let started: Promise<void> | null = null;
/** Reads what an earlier visit left, and sends what waits, again and again. */
export function startPhotos(): Promise<void> {
  started ??= (async () => {
    const left = await inStore('readonly', (photos) => photos.getAll() as IDBRequest<WaitingPhoto[]>).catch(
      () => [],
    );
    const known = new Set(waitingPhotos.value.map(({ id }) => id));
    waitingPhotos.value = [...left.filter(({ id }) => !known.has(id)), ...waitingPhotos.value];
    setInterval(() => void sendAll(), RETRY_MS);
  })();
  return started;
}

let isSending = false;
async function sendAll(): Promise<void> {
  if (isSending) return;
  isSending = true;
  try {
    for (const photo of waitingPhotos.value) {
      if (photo.state !== 'waiting' || photo.userId !== userId.value) continue;
      if (!(await send(photo))) return;
    }
  } finally {
    isSending = false;
  }
}

/** False when the gateway cannot be reached: the rest waits, too. */
async function send(photo: WaitingPhoto): Promise<boolean> {
  const { id, path, picture, announced } = photo;
  change(id, { state: 'sending' });
  try {
    await ask(path, { method: 'POST', body: { id, ...announced }, idempotencyKey: id }).catch(
      (error: unknown) => {
        // announced before, and only the answer was lost
        if (!(error instanceof ApiError && error.code === 'ID_TAKEN')) throw error;
      },
    );
    await ask(`/photos/${id}/image`, { method: 'PUT', body: picture });
    await discardPhoto(id);
    refresh(path.split('/')[1] ?? '');
    return true;
  } catch (error) {
    const answer = error instanceof ApiError ? error : null;
    // a disk that is full may have room later
    const isRefused = fateOf(answer).is === 'refused';
    change(id, { state: isRefused ? 'refused' : 'waiting', fault: isRefused ? answer : null });
    return !(error instanceof Unreachable);
  }
}

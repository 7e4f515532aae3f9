import { navigate } from 'wouter-preact/use-browser-location';
import type { ChannelAnswer } from '#contract/resources/notification-channels.ts';
import { pushEndWords } from '#words/notifications.ts';
import { toast } from '../components/toast.tsx';

import { ApiError, del, get, patch, post } from './api.ts';
import { farm } from './farm-store.ts';
import { isInProgram } from './program.ts';
import { keepOwnChannel, ownChannel } from './push-start.ts';
import { refresh } from './query.ts';
import { user } from './session.ts';

// This browser as a channel: its subscription at its push service, and the gateway's word of it.

const WORKER = '/push-worker.js';
/** A worker of a few kilobytes is there at once, or not at all. */
const WORKER_WITHIN_MS = 10_000;

/** Why a browser cannot be told anything, or `possible`. */
export type PushWay = 'program' | 'insecure' | 'unsupported' | 'denied' | 'possible';

export function pushWay(): PushWay {
  if (isInProgram) return 'program';
  if (!window.isSecureContext) return 'insecure';
  if (!('serviceWorker' in navigator) || !('PushManager' in window) || !('Notification' in window))
    return 'unsupported';
  return Notification.permission === 'denied' ? 'denied' : 'possible';
}

/** Where the push service of this browser takes messages for it; null: nowhere. */
export async function pushEndpoint(): Promise<string | null> {
  if (pushWay() !== 'possible') return null;
  return (await subscriptionNow())?.endpoint ?? null;
}

/** The browser was asked, and the answer was no. */
export class NotAllowed extends Error {}
/** The browser reaches no push service: without internet, or it has none. */
export class NoPushService extends Error {}

/**
 * From a press to a channel. `known`: the person's channels, one of which may lead here and be switched off. Throws
 * NotAllowed, NoPushService and what the interface refuses; then nothing stays behind.
 */
export async function receiveHere(known: readonly ChannelAnswer[]): Promise<void> {
  // first of all: browsers ask only right after a press
  if ((await Notification.requestPermission()) !== 'granted') throw new NotAllowed();
  const registration = await worker();
  const before = await registration.pushManager.getSubscription();
  const own = known.find(({ kind, address }) => kind === 'WEB_PUSH' && address === before?.endpoint);
  if (own !== undefined) {
    await patch(`/notification-channels/${own.id}`, { is_active: true });
    return keepFor(own.id);
  }
  // made for somebody else who signed in here, or for a gateway that had another key
  await before?.unsubscribe();
  const subscription = await subscribe(registration, await serverKey());
  const made = await post('/notification-channels/', {
    kind: 'WEB_PUSH',
    subscription: subscription.toJSON(),
    ...(farm.value === null ? {} : { timezone: farm.value.timezone }),
  }).catch(async (error: unknown) => {
    await subscription.unsubscribe();
    throw error;
  });
  keepFor(made.id);
}

/** The gateway first: a browser that cannot be told any more must not stay among the channels. */
export async function stopHere(channelId: string): Promise<void> {
  await del(`/notification-channels/${channelId}`).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  keepOwnChannel(null);
  await (await subscriptionNow())?.unsubscribe();
}

/**
 * This browser gets nothing more, whoever turned it on here: that person's gateway learns it from the push service and
 * says so to them. Needs no gateway.
 */
export async function stopOthers(): Promise<void> {
  await (await subscriptionNow())?.unsubscribe();
  keepOwnChannel(null);
}

/**
 * Looks whether what the gateway knows still leads here: browsers change their address, and a gateway that was replaced
 * has another key. What can be mended is; what ended is told, once.
 */
export async function keepSubscribed(): Promise<void> {
  const own = ownChannel();
  if (own === null || pushWay() === 'program') return;
  const path = `/notification-channels/${own.channelId}` as const;
  const channel = await get(path).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  const registration = pushWay() === 'possible' ? await worker() : null;
  const before = (await registration?.pushManager.getSubscription()) ?? null;
  if (channel === null || registration === null || Notification.permission !== 'granted') {
    // removed from elsewhere, or no longer allowed: it does not come back by itself
    keepOwnChannel(null);
    await before?.unsubscribe();
    toast(
      pushEndWords().ended,
      { label: pushEndWords().channels, run: () => navigate('/sistema/canais') },
      20_000,
    );
    return;
  }
  const key = await serverKey();
  const isStrange = before !== null && !isMadeFor(key, before);
  if (isStrange) await before.unsubscribe();
  const subscription = before === null || isStrange ? await subscribe(registration, key) : before;
  // said anew in any case: it goes with the login that this browser has now
  await patch(path, { subscription: subscription.toJSON() });
  if (subscription.endpoint !== channel.address) refresh('notification-channels');
}

function keepFor(channelId: string): void {
  if (user.value !== null) keepOwnChannel({ channelId, userId: user.value.id });
  refresh('notification-channels');
}

async function serverKey(): Promise<string> {
  return (await get('/notification-channels/vapid-key')).public_key;
}

async function worker(): Promise<ServiceWorkerRegistration> {
  await navigator.serviceWorker.register(WORKER);
  const late = new Promise<never>((_resolve, reject) =>
    setTimeout(() => reject(new NoPushService('the worker did not start')), WORKER_WITHIN_MS),
  );
  return Promise.race([navigator.serviceWorker.ready, late]);
}

async function subscriptionNow(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration('/');
  return (await registration?.pushManager.getSubscription()) ?? null;
}

function subscribe(registration: ServiceWorkerRegistration, key: string): Promise<PushSubscription> {
  return registration.pushManager
    .subscribe({ userVisibleOnly: true, applicationServerKey: key })
    .catch((error: unknown) => {
      if (error instanceof DOMException && error.name === 'NotAllowedError') throw new NotAllowed();
      throw new NoPushService('no subscription', { cause: error });
    });
}

const isMissing = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** `key` is base64url, as the interface tells it. */
function isMadeFor(key: string, { options: { applicationServerKey: made } }: PushSubscription): boolean {
  // a browser that does not tell is believed: otherwise each start would make another
  if (made === null) return true;
  const text = btoa(String.fromCharCode(...new Uint8Array(made)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '') === key;
}

import type { OfferedAction } from '#contract/resources/notification-channels.ts';
import { answerFor, movedFor, ownPlace, type Shown, shownFor, type Told, toldIn } from './show-push.ts';
import { act } from './use-action.ts';

// Runs in the browser while no page is open, for pushes alone. It hears no request and keeps nothing: pages and answers
// always come from the gateway, and an old one can never be taken for a live one.

declare const self: ServiceWorkerGlobalScope;

// nothing of an older one is in use, so the newer takes its place at once, also beside a wall that is never closed
self.addEventListener('install', () => void self.skipWaiting());
self.addEventListener('push', (event) => {
  event.waitUntil(show(shownFor(event.data?.text() ?? '', self.navigator.language)));
});
self.addEventListener('notificationclick', (event) => {
  const { notification, action } = event;
  notification.close();
  const told = toldIn(notification.data);
  const pressed = told.offered.find((one) => one.action === action);
  event.waitUntil(
    pressed === undefined ? open(ownPlace(told.place, self.location.origin)) : doIt(told, pressed),
  );
});
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(moved(event)));

const show = ({ title, options }: Shown) => self.registration.showNotification(title, options);

/** What was pressed is done, or not, and either is said. */
async function doIt(told: Told, pressed: OfferedAction): Promise<void> {
  const subscription = await self.registration.pushManager.getSubscription();
  const outcome = await act(pressed, subscription?.endpoint ?? '');
  await show(answerFor(told, pressed, outcome));
}

/** The console that is open goes there without losing its page; else one is opened. */
async function open(place: string): Promise<void> {
  const windows = await consoleWindows();
  const chosen =
    windows.find(({ focused }) => focused) ??
    windows.find(({ visibilityState }) => visibilityState === 'visible') ??
    windows[0];
  if (chosen === undefined) return void (await self.clients.openWindow(place));
  chosen.postMessage({ open: place });
  // one that is being left at this moment hears nothing and comes to the front no more
  await chosen.focus().catch(() => self.clients.openWindow(place));
}

/** The browser ended the subscription: another is made, and the next page that somebody is signed in to tells the gateway. */
async function moved({ oldSubscription, newSubscription }: PushSubscriptionChangeEvent): Promise<void> {
  if (newSubscription === null && oldSubscription !== null) {
    const { applicationServerKey } = oldSubscription.options;
    // without it the page does it, too
    await self.registration.pushManager
      .subscribe({ userVisibleOnly: true, applicationServerKey })
      .catch(() => null);
  }
  const windows = await consoleWindows();
  for (const window of windows) window.postMessage({ moved: true });
  if (windows.length === 0) await show(movedFor(self.navigator.language));
}

async function consoleWindows(): Promise<readonly WindowClient[]> {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  // the interface has pages of its own at this address
  return windows.filter(({ url }) => !new URL(url).pathname.startsWith('/api/'));
}

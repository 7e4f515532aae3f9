import { navigate } from 'wouter-preact/use-browser-location';
import { chooseFarm } from './farm-store.ts';
import { user } from './session.ts';

// What every page does for notifications of the browser; all the rest is loaded where it is wanted. Over plain http there
// is none of it, and nothing is missing.

const KEPT = 'push';

/** The channel that leads to this browser, and whose it is. */
export type OwnChannel = { channelId: string; userId: string };

export function startPush(): void {
  goTo(location.href, true);
  if (!('serviceWorker' in navigator)) return;
  navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const told: { open?: unknown; moved?: unknown } = typeof data === 'object' && data !== null ? data : {};
    if (typeof told.open === 'string') goTo(told.open);
    if (told.moved === true) keep();
  });
  user.subscribe(keep);
}

/** null: this browser gets nothing, or what it gets belongs to somebody else. */
export function ownChannel(): OwnChannel | null {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? 'null') as OwnChannel | null;
    return kept !== null && kept.userId === user.value?.id ? kept : null;
  } catch {
    return null;
  }
}

export function keepOwnChannel(kept: OwnChannel | null): void {
  if (kept === null) localStorage.removeItem(KEPT);
  else localStorage.setItem(KEPT, JSON.stringify(kept));
}

function keep(): void {
  if (ownChannel() === null) return;
  // without a gateway nothing can be told to it; the next start looks again
  void import('./push.ts').then(({ keepSubscribed }) => keepSubscribed()).catch(() => undefined);
}

/** A place of the console; `farm` names the one it is about. */
function goTo(place: string, replace = false): void {
  const url = new URL(place, location.origin);
  if (url.origin !== location.origin) return;
  const farmId = url.searchParams.get('farm');
  if (farmId !== null) {
    chooseFarm(farmId);
    // told once: addresses are kept, and opened again after another farm was chosen
    url.searchParams.delete('farm');
  }
  if (url.href !== location.href) navigate(`${url.pathname}${url.search}`, { replace });
}

import { computed, signal } from '@preact/signals';
import { linkOf } from '../state/freshness.ts';
import { now } from './clock.ts';
import { isKnown, take } from './farm-store.ts';
import { isSignedIn, token } from './session.ts';

// The one event stream of this page, read with fetch so that the token goes in a header. Every connection begins with
// a snapshot; a line that says nothing for twelve seconds is lost, whatever the browser believes of the network.

const RETRY_MS = [500, 1_000, 2_000, 3_000] as const;
const SILENT_MS = 12_000;

/** Since when this page listens; null while it does not. */
const startedAt = signal<number | null>(null);
/** When something came last, `performance.now()`. */
export const lastByteAt = signal<number | null>(null);
/** While the first snapshot of a line is taken: how long nothing was heard before it; 0 for a later one. */
export const awayMs = signal(0);
/** Since when nothing comes; null while something does. */
export const blindSince = signal<number | null>(null);

/** How this screen stands with its gateway. */
export const link = computed(() => {
  // asked anew every second
  void now.value;
  const heardAt = lastByteAt.value ?? startedAt.value;
  return linkOf(heardAt === null ? null : performance.now() - heardAt, isKnown.value);
});
export const isBlind = computed(() => link.value === 'lost');
/** The first word of the farm is on its way: until it is here nothing may be said of the farm, not even that all is well. */
export const isAwaited = computed(() => link.value === 'connecting' && blindSince.value === null);

let stopped: AbortController | null = null;

export function startLive(): void {
  if (stopped !== null) return;
  stopped = new AbortController();
  startedAt.value = performance.now();
  void run(stopped.signal);
}

export function stopLive(): void {
  stopped?.abort();
  stopped = null;
  startedAt.value = null;
  lastByteAt.value = null;
  blindSince.value = null;
  isKnown.value = false;
}

async function run(signal: AbortSignal): Promise<void> {
  for (let tries = 0; !signal.aborted && isSignedIn(); tries += 1) {
    const heard = await readStream(signal).catch(() => false);
    if (heard) tries = 0;
    if (signal.aborted) return;
    blindSince.value ??= performance.now();
    await pause(RETRY_MS[Math.min(tries, RETRY_MS.length - 1)] ?? 3_000, signal);
  }
}

/** True when anything was heard. */
async function readStream(signal: AbortSignal): Promise<boolean> {
  const line = new AbortController();
  const watch = setInterval(() => {
    if (performance.now() - Math.max(lastByteAt.value ?? opened, opened) > SILENT_MS) line.abort();
  }, 1_000);
  const opened = performance.now();
  let heard = false;
  try {
    const response = await fetch('/api/v1/events', {
      headers: { authorization: `Bearer ${token() ?? ''}`, accept: 'text/event-stream' },
      signal: AbortSignal.any([signal, line.signal]),
      cache: 'no-store',
    });
    if (!response.ok || response.body === null) return false;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return heard;
      if (!heard) awayMs.value = performance.now() - (lastByteAt.value ?? opened);
      heard = true;
      lastByteAt.value = performance.now();
      blindSince.value = null;
      rest = takeEvents(rest + value);
    }
  } finally {
    clearInterval(watch);
    line.abort();
  }
}

/** Takes whole events and answers what is left over. */
function takeEvents(text: string): string {
  const parts = text.split('\n\n');
  const rest = parts.pop() ?? '';
  for (const part of parts) {
    let name = 'message';
    let data = '';
    for (const row of part.split('\n')) {
      if (row.startsWith('event:')) name = row.slice(6).trim();
      else if (row.startsWith('data:')) data += row.slice(5).trim();
    }
    if (data === '') continue;
    take(name, JSON.parse(data));
    if (name === 'snapshot') awayMs.value = 0;
  }
  return rest;
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

import { batch, computed, effect, signal } from '@preact/signals';
import { linkOf } from '../state/freshness.ts';
import { now, onGap, serverTimeOf } from './clock.ts';
import { forgetFarm, isKnown, take } from './farm-store.ts';
import { queries } from './query.ts';
import { barred, isSignedIn, refused, token, userId } from './session.ts';
import { joinTabs, type Tabs } from './tabs.ts';
import { linked } from './water.ts';

// The one event stream of this page, read with fetch so that the token goes in a header. Every connection begins with
// a snapshot: until a line has given its own, nothing that comes makes the page live. A line that says nothing for twelve
// seconds is lost, whatever the browser believes of the network.

const RETRY_MS = [500, 1_000, 2_000, 3_000] as const;
const SILENT_MS = 12_000;

/** Since when this page listens; null while it does not. */
const startedAt = signal<number | null>(null);
/** When something came last from a line that had given its snapshot, `performance.now()`. */
export const inStepAt = signal<number | null>(null);
/** The same by the server's time. It outlives a line and a session. */
let inStepUntil: number | null = null;
/** Since when the page may not believe its own clock; null while it may. */
const doubtedAt = signal<number | null>(null);
/** While a snapshot is taken: how long the page was not in step before it. */
export const awayMs = signal(0);
/** Since when nothing comes; null while something does. */
export const blindSince = signal<number | null>(null);

/** How this screen stands with its gateway. */
export const link = computed(() => {
  // asked anew every second
  void now.value;
  if (doubtedAt.value !== null) return 'lost';
  const heardAt = inStepAt.value ?? startedAt.value;
  return linkOf(heardAt === null ? null : performance.now() - heardAt, isKnown.value);
});
export const isBlind = computed(() => link.value === 'lost');
/** The first word of the farm is on its way: until it is here nothing may be said of the farm, not even that all is well. */
export const isAwaited = computed(() => link.value === 'connecting' && blindSince.value === null);
/** The page woke a moment ago and asks how things are: it is blind, but nobody need be called for that. */
export const isWaking = computed(() => {
  void now.value;
  return doubtedAt.value !== null && performance.now() - doubtedAt.value < 5_000;
});

let stopped: AbortController | null = null;
let startedFor: string | null = null;
/** Ends the line that runs; the next one begins with a snapshot. */
let drop: () => void = () => {};
/** Whether the line that runs has given its snapshot. */
let isLineInStep = false;
/** Other tabs of the same person; null: a token that does not say whose it is shares with nobody. */
let tabs: Tabs | null = null;
/** Ends the time in which this tab lives on another one's line. */
let endLed: () => void = () => {};

export function startLive(): void {
  if (stopped !== null) return;
  stopped = new AbortController();
  startedFor = userId.value;
  startedAt.value = performance.now();
  join();
  void run(stopped.signal);
}

function join(): void {
  tabs?.leave();
  tabs = startedFor === null ? null : joinTabs(startedFor, OTHERS);
}

const OTHERS = {
  isInStep: () => isLineInStep,
  heard(text: string, at: number) {
    const isLed = tabs?.isLed() === true;
    try {
      // beside a line of its own a tab adds what it hears, and a snapshot of another moment is nothing to add
      const { hasSnapshot } = takeEvents(text, isLed);
      if (isLed) noteInStep(at, hasSnapshot);
    } catch (error) {
      // what could not be taken is missing: only a line of its own makes that good
      tabs?.forget();
      endLed();
      reportError(error);
    }
  },
  led: () => drop(),
  alone: () => endLed(),
};

/** Ends the line, and forgets what came over it: the next person may see another farm. */
export function stopLive(): void {
  stopped?.abort();
  stopped = null;
  tabs?.leave();
  tabs = null;
  batch(() => {
    startedAt.value = null;
    inStepAt.value = null;
    doubtedAt.value = null;
    blindSince.value = null;
    forgetFarm();
  });
  queries.clear();
}

// another person at the same station, without a sign-out in between
effect(() => {
  if (stopped === null || userId.value === null || userId.value === startedFor) return;
  stopLive();
  startLive();
});

onGap(beginAnew);

// a page that the browser kept while another stood in its place left the others as it went
addEventListener('pageshow', ({ persisted }) => {
  if (!persisted || stopped === null) return;
  join();
  beginAnew(0);
});

/** What came until now is of before: the next line begins with a snapshot. */
function beginAnew(ms: number): void {
  if (stopped === null) return;
  doubtedAt.value = performance.now();
  blindSince.value ??= performance.now() - ms;
  tabs?.forget();
  endLed();
  drop();
}

async function run(signal: AbortSignal): Promise<void> {
  for (let tries = 0; !signal.aborted && isSignedIn(); tries += 1) {
    await whileLed(signal);
    const wasInStep = await readStream(signal).catch(() => false);
    if (wasInStep) tries = 0;
    if (signal.aborted) return;
    if (tabs?.isLed()) continue;
    blindSince.value ??= performance.now();
    await pause(RETRY_MS[Math.min(tries, RETRY_MS.length - 1)] ?? 3_000, signal);
  }
}

async function whileLed(signal: AbortSignal): Promise<void> {
  if (signal.aborted || !tabs?.isLed()) return;
  await untilAbort(signal, (done) => {
    endLed = done;
  });
}

/** True when its snapshot was taken. */
async function readStream(signal: AbortSignal): Promise<boolean> {
  const line = new AbortController();
  drop = () => line.abort();
  let heardAt = performance.now();
  const watch = setInterval(() => {
    if (performance.now() - heardAt > SILENT_MS) line.abort();
  }, 1_000);
  try {
    const asked = token();
    const response = await fetch('/api/v1/events', {
      headers: { authorization: `Bearer ${asked ?? ''}`, accept: 'text/event-stream' },
      signal: linked(signal, line.signal),
      cache: 'no-store',
    });
    // the gateway is there and does not know this person any more
    if (response.status === 401) refused(asked);
    if (response.status === 403) await barred(asked, response);
    if (!response.ok || response.body === null) return false;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done || line.signal.aborted) return isLineInStep;
      heardAt = performance.now();
      const text = rest + value;
      const taken = takeEvents(text, true);
      rest = taken.rest;
      isLineInStep ||= taken.hasSnapshot;
      if (!isLineInStep) continue;
      noteInStep(heardAt, taken.hasSnapshot);
      tabs?.pass(text.slice(0, text.length - rest.length));
    }
  } finally {
    clearInterval(watch);
    line.abort();
    isLineInStep = false;
  }
}

function noteInStep(at: number, hasSnapshot: boolean): void {
  // a clock that jumped is right again with the time of a snapshot
  if (hasSnapshot) doubtedAt.value = null;
  if (doubtedAt.value !== null) return;
  inStepAt.value = at;
  inStepUntil = serverTimeOf(at);
  blindSince.value = null;
}

/** Takes whole events, drawn together, and answers what is left over. */
function takeEvents(text: string, withSnapshots: boolean): { rest: string; hasSnapshot: boolean } {
  const parts = text.split('\n\n');
  const rest = parts.pop() ?? '';
  let hasSnapshot = false;
  batch(() => {
    for (const part of parts) {
      const event = readEvent(part);
      if (event === null || (event.name === 'snapshot' && !withSnapshots)) continue;
      if (event.name === 'snapshot') {
        hasSnapshot = true;
        awayMs.value = inStepUntil === null ? 0 : timeOf(event.data) - inStepUntil;
      }
      take(event.name, event.data);
    }
  });
  return { rest, hasSnapshot };
}

const timeOf = (snapshot: unknown): number => Date.parse((snapshot as { server_time: string }).server_time);

function readEvent(part: string): { name: string; data: unknown } | null {
  let name = 'message';
  let data = '';
  for (const row of part.split('\n')) {
    if (row.startsWith('event:')) name = row.slice(6).trim();
    else if (row.startsWith('data:')) data += row.slice(5).trim();
  }
  return data === '' ? null : { name, data: JSON.parse(data) };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  await untilAbort(signal, (done) => {
    timer = setTimeout(done, ms);
  });
  clearTimeout(timer);
}

/** Until `start` says that it is done, or the signal ends it. The signal lives for a session: nothing is left at it. */
function untilAbort(signal: AbortSignal, start: (done: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done);
    start(done);
  });
}

/** A computation that answers what it answered before while that is the same: what rests on it is not drawn anew. */
export function steady<Value>(
  compute: () => Value,
  isSame: (before: Value, after: Value) => boolean,
): () => Value {
  let last: { value: Value } | null = null;
  return () => {
    const value = compute();
    if (last === null || !isSame(last.value, value)) last = { value };
    return last.value;
  };
}

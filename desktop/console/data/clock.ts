import { computed, signal } from '@preact/signals';

// The server's time, carried on by a clock that only grows: the clock of a phone or an old PC may be anywhere.

let offset = Date.now() - performance.now();
let isFromServer = false;

/** Milliseconds since 1970 by the server. Reading it while rendering draws anew every second. */
export const now = signal(Date.now());

const STEP_MS = 10_000;
/** The end of the ten seconds that run, for what is told in minutes: a wall of sixty ponds is not drawn anew every second. */
export const soon = computed(() => Math.ceil(now.value / STEP_MS) * STEP_MS);

export const serverNow = (): number => performance.now() + offset;
/** The server's time at an instant of this page's own clock, `performance.now()`. */
export const serverTimeOf = (instant: number): number => instant + offset;

/** `exact` for the time of an event stream; a Date header has whole seconds and only serves until there is better. */
export function noteServerTime(told: string | null, exact = false): void {
  const at = Date.parse(told ?? '');
  if (Number.isNaN(at) || (!exact && isFromServer)) return;
  isFromServer ||= exact;
  if (!exact && Math.abs(at - serverNow()) < 2_000) return;
  offset = at - performance.now();
  now.value = serverNow();
}

/** The clock that only grows may stand still while the computer sleeps; the other one then jumps. */
const JUMP_MS = 5_000;
/** A page that did nothing for so long was frozen. */
const FROZEN_MS = 12_000;
type GapListener = (ms: number) => void;
const gapListeners = new Set<GapListener>();
/** Hears that the page slept, with how long: what it shows, and its own idea of the time, are of before. */
export const onGap = (listener: GapListener) => {
  gapListeners.add(listener);
};

let last = { wall: Date.now(), mono: performance.now() };

function tick(): void {
  const wallMs = Date.now() - last.wall;
  const monoMs = performance.now() - last.mono;
  last = { wall: Date.now(), mono: performance.now() };
  now.value = serverNow();
  // browsers let hidden pages tick once a minute: that alone is no sleep
  const isFrozen = monoMs > FROZEN_MS && document.visibilityState === 'visible';
  if (!isFrozen && Math.abs(wallMs - monoMs) < JUMP_MS) return;
  for (const listener of gapListeners) listener(Math.max(monoMs, wallMs, 0));
}

setInterval(tick, 1_000);
// before anybody looks at it
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') tick();
});

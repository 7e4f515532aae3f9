import { effect, signal } from '@preact/signals';
import { alarms } from './alarms.ts';
import { get } from './api.ts';
import { now } from './clock.ts';

// By what people know the ponds of their alarms, on whichever of their farms these are. A screen asks for the ponds of
// the farm it shows; alarms come from all of them, and are told outside of any screen, too.

const codes = signal<ReadonlyMap<string, string>>(new Map());

/** null: not known yet. */
export const pondCode = (pondId: string | null): string | null => codes.value.get(pondId ?? '') ?? null;

/** A pond may be newer than the last answer, and a list longer than one page: asked again, but not all the time. */
const AGAIN_MS = 30_000;
const RETRY_MS = 5_000;
const MOST = 1_000;

/** Asks for the ponds of all farms once an alarm names one that is not known. */
export function startPondCodes(): void {
  let notBefore = Number.NEGATIVE_INFINITY;
  effect(() => {
    const isUnknown = alarms.value.some(
      ({ newest }) => newest.pond_id !== null && pondCode(newest.pond_id) === null,
    );
    // looked at every second while one is not known
    if (!isUnknown || now.value === 0 || performance.now() < notBefore) return;
    notBefore = performance.now() + AGAIN_MS;
    get('/ponds/', { limit: MOST }).then(
      (ponds) => {
        codes.value = new Map([...codes.value, ...ponds.map(({ id, cod }) => [id, cod] as const)]);
      },
      () => {
        notBefore = performance.now() + RETRY_MS;
      },
    );
  });
}

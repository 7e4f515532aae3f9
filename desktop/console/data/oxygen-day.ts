import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { MeasurementJournal } from '#contract/resources/water-quality.ts';
import { get } from './api.ts';
import { now, soon } from './clock.ts';
import { type Measurement, onEvent } from './farm-store.ts';

// Oxygen of the last day, pond by pond. Asked for once per pond and a few at a time; after that the event stream adds
// what is measured, so that a wall of sixty ponds does not ask sixty times for every reading.

export type Reading = { at: number; value: number };

const DAY_MS = 86_400_000;
/** A probe may write every half minute: the newest hundred are enough for a line of a few centimetres. */
const MOST = 100;
const AT_ONCE = 3;

const readings = signal<ReadonlyMap<string, readonly Reading[]>>(new Map());
const asked = new Set<string>();
const waiting: string[] = [];
let running = 0;

const put = (pondId: string, of: readonly Reading[]) => {
  readings.value = new Map(readings.value).set(pondId, of);
};

async function load(pondId: string): Promise<void> {
  const start = new Date(now.value - DAY_MS).toISOString();
  const journal = await get<MeasurementJournal>(`/water-quality/pond/${pondId}`, {
    start_date: start,
    limit: MOST,
  });
  const found = journal.measurements.flatMap(({ measurement_date, dissolved_oxygen }) =>
    dissolved_oxygen === null ? [] : [{ at: Date.parse(measurement_date), value: dissolved_oxygen }],
  );
  put(pondId, found.reverse());
}

function next(): void {
  const pondId = waiting.shift();
  if (pondId === undefined || running >= AT_ONCE) {
    if (pondId !== undefined) waiting.unshift(pondId);
    return;
  }
  running += 1;
  void load(pondId)
    // drawn without a line; asked again after the next snapshot
    .catch(() => asked.delete(pondId))
    .finally(() => {
      running -= 1;
      next();
    });
}

onEvent(({ name, data }) => {
  if (name === 'snapshot') {
    // what was measured while nobody listened is asked for anew
    for (const pondId of asked) waiting.push(pondId);
    for (let free = AT_ONCE; free > 0; free -= 1) next();
  } else if (name === 'measurement') {
    const { pond_id, measurement_date, ...rest } = data as Measurement;
    const value = rest['dissolved_oxygen'];
    const known = readings.value.get(pond_id);
    if (known === undefined || typeof value !== 'number') return;
    const added = [...known, { at: Date.parse(measurement_date), value }];
    put(pond_id, added.toSorted((a, b) => a.at - b.at).slice(-MOST));
  }
});

function askFor(pondId: string): void {
  if (asked.has(pondId)) return;
  asked.add(pondId);
  waiting.push(pondId);
  next();
}

/** When oxygen was read last within a day, for ponds whose newest measurement had none. */
export function useLastOxygen(pondIds: readonly string[]): (pondId: string) => number | null {
  useEffect(() => {
    for (const pondId of pondIds) askFor(pondId);
  }, [pondIds.join()]);
  return (pondId) => readings.value.get(pondId)?.at(-1)?.at ?? null;
}

/** Readings of the last 24 hours, oldest first; empty while they are not there. */
export function useOxygenDay(pondId: string | null): readonly Reading[] {
  useEffect(() => {
    if (pondId !== null) askFor(pondId);
  }, [pondId]);
  const known = pondId === null ? undefined : readings.value.get(pondId);
  return known?.filter(({ at }) => at > soon.value - DAY_MS) ?? [];
}

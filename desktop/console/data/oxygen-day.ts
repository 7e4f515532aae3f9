import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { PondCards } from '#contract/resources/pond-cards.ts';
import type { MeasurementJournal } from '#contract/resources/water-quality.ts';
import { get } from './api.ts';
import { now, soon } from './clock.ts';
import { type Measurement, onEvent } from './farm-store.ts';
import { awayMs } from './live.ts';

// Oxygen of the last day, pond by pond. Asked for once per pond and a few at a time; after that the event stream adds
// what is measured. When the stream comes back after a break, the card of each pond, which is asked for anyway, says
// whether anything was measured meanwhile: a wall of sixty ponds does not ask sixty times for one break of the line.

export type Reading = { at: number; value: number };

type Card = PondCards['ponds'][number];
type Line = {
  readings: readonly Reading[];
  /** The newest measurement, of whatever, that the line knows of. */
  until: number;
  /** True after a long break: until it is asked for again, readings that came before others may be missing. */
  mayLack: boolean;
};

const DAY_MS = 86_400_000;
/** A probe may write every half minute: the newest hundred are enough for a line of a few centimetres. */
const MOST = 100;
const AT_ONCE = 3;
/** What is missing of a line of a day after a break as short as this is not seen; its newest figure is on the card. */
const SHORT_BREAK_MS = 5 * 60_000;

const lines = signal<ReadonlyMap<string, Line>>(new Map());
/** Counts snapshots: whatever could not be asked for before is tried once more. */
const round = signal(0);
const asked = new Set<string>();
const waiting: string[] = [];
let running = 0;

const put = (pondId: string, line: Line) => {
  lines.value = new Map(lines.value).set(pondId, line);
};

async function load(pondId: string): Promise<void> {
  const from = now.value - DAY_MS;
  const journal = await get<MeasurementJournal>(`/water-quality/pond/${pondId}`, {
    start_date: new Date(from).toISOString(),
    limit: MOST,
  });
  const found = journal.measurements.flatMap(({ measurement_date, dissolved_oxygen }) =>
    dissolved_oxygen === null ? [] : [{ at: Date.parse(measurement_date), value: dissolved_oxygen }],
  );
  const newest = Math.max(
    from,
    ...journal.measurements.map(({ measurement_date }) => Date.parse(measurement_date)),
  );
  const line = lines.value.get(pondId);
  // what the stream told while the answer was on its way
  const since = line?.readings.filter(({ at }) => at > newest) ?? [];
  put(pondId, {
    readings: [...found.reverse(), ...since],
    until: Math.max(newest, line?.until ?? newest, ...since.map(({ at }) => at)),
    mayLack: false,
  });
}

function next(): void {
  if (running >= AT_ONCE) return;
  const pondId = waiting.shift();
  if (pondId === undefined) return;
  running += 1;
  void load(pondId)
    // drawn without a line; asked again after the next snapshot
    .catch(() => asked.delete(pondId))
    .finally(() => {
      running -= 1;
      next();
    });
}

function askFor(pondId: string): void {
  asked.add(pondId);
  if (!waiting.includes(pondId)) waiting.push(pondId);
  next();
}

/** Takes one reading into the line; a measurement that was corrected stands in the place of the one before. */
function add(pondId: string, line: Line, at: number, value: number | null): void {
  const others = line.readings.filter((reading) => reading.at !== at);
  const readings = value === null ? line.readings : [...others, { at, value }];
  put(pondId, {
    ...line,
    readings: readings.toSorted((a, b) => a.at - b.at).slice(-MOST),
    // a line with a gap is not known until here
    until: line.mayLack ? line.until : Math.max(line.until, at),
  });
}

onEvent(({ name, data }) => {
  if (name === 'snapshot') {
    round.value += 1;
    if (awayMs.value > SHORT_BREAK_MS)
      lines.value = new Map([...lines.value].map(([pondId, line]) => [pondId, { ...line, mayLack: true }]));
  } else if (name === 'measurement') {
    const { pond_id, measurement_date, ...rest } = data as Measurement;
    const value = rest['dissolved_oxygen'];
    const line = lines.value.get(pond_id);
    if (line !== undefined)
      add(pond_id, line, Date.parse(measurement_date), typeof value === 'number' ? value : null);
  }
});

/** Has the line of a pond if it is not there, and what it missed; what is dear waits until somebody `looks`. */
function follow(pondId: string, water: Card['water_quality'], looks: boolean): void {
  if (!asked.has(pondId)) return askFor(pondId);
  const line = lines.value.get(pondId);
  if (line === undefined || water === null) return;
  const at = Date.parse(water.last_measurement);
  if (at <= line.until) return;
  if (!line.mayLack && water.dissolved_oxygen !== null) return add(pondId, line, at, water.dissolved_oxygen);
  if (!looks) return;
  // once for this measurement, whatever the answer says
  put(pondId, { ...line, until: at });
  askFor(pondId);
}

/** When oxygen was read last within a day, for ponds whose newest measurement had none. */
export function useLastOxygen(cards: readonly Card[]): (pondId: string) => number | null {
  useEffect(() => {
    for (const { pond_id, water_quality } of cards) follow(pond_id, water_quality, true);
  }, [
    cards.map(({ pond_id, water_quality }) => `${pond_id} ${water_quality?.last_measurement}`).join(),
    round.value,
  ]);
  return (pondId) => lines.value.get(pondId)?.readings.at(-1)?.at ?? null;
}

/** Readings of the last 24 hours, oldest first; empty while they are not there. `looks`: it is in sight. */
export function useOxygenDay({ pond_id, water_quality: water }: Card, looks: boolean): readonly Reading[] {
  const line = lines.value.get(pond_id);
  useEffect(() => {
    follow(pond_id, water, looks);
  }, [pond_id, water?.last_measurement, looks, round.value, line === undefined]);
  return line?.readings.filter(({ at }) => at > soon.value - DAY_MS) ?? [];
}

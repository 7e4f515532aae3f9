import { computed, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { PondCards } from '#contract/resources/pond-cards.ts';
import { DAY_MS, lineOf, type OxygenLine, type Quarter, withReading } from '../state/oxygen-line.ts';
import { get } from './api.ts';
import { soon } from './clock.ts';
import { type Measurement, onEvent } from './farm-store.ts';
import { awayMs } from './live.ts';

// Oxygen of the last day, pond by pond. Asked for once per pond and a few at a time; after that the event stream adds
// what is measured. When the stream comes back after a break, the card of each pond, which is asked for anyway, says
// whether anything was measured meanwhile: a wall of sixty ponds does not ask sixty times for one break of the line.
// What was corrected or deleted cannot be taken out of a line: the day of that pond is asked for anew.

type Card = PondCards['ponds'][number];
type Water = Pick<NonNullable<Card['water_quality']>, 'last_measurement' | 'dissolved_oxygen'> | null;
/** What is known of a pond without asking. */
type Known = { pond_id: string; water_quality: Water };
type Told = { at: number; value: number };
type Line = OxygenLine & {
  /** The newest measurement, of whatever, that the line knows of. */
  until: number;
  /** True after a long break: until it is asked for again, readings that came before others may be missing. */
  mayLack: boolean;
};

/** Two days of the farm hold the last 24 hours; in so many parts, none is longer than five minutes. */
const ASKED = { days: 2, points: 600 } as const;
const AT_ONCE = 3;
/** A stretch of five minutes has no more, and what was measured without oxygen since. */
const LAST_ROWS = 60;
/** What is missing of a line of a day after a break as short as this is not seen; its newest figure is on the card. */
const SHORT_BREAK_MS = 5 * 60_000;

const lines = signal<ReadonlyMap<string, Line>>(new Map());
/** Counts snapshots: whatever could not be asked for before is tried once more. */
const round = signal(0);
const asked = new Set<string>();
const waiting: string[] = [];
/** The newest measurement that a pond had when its day was asked for: the answer knows of it. */
const askedUntil = new Map<string, number>();
/** What the stream tells of a pond while the answer about its day is on its way. */
const meanwhile = new Map<string, Told[]>();

const put = (pondId: string, line: Line) => {
  lines.value = new Map(lines.value).set(pondId, line);
};

async function load(pondId: string): Promise<void> {
  const told: Told[] = [];
  meanwhile.set(pondId, told);
  const trend = await get(`/water-quality/trend/${pondId}/dissolved_oxygen`, ASKED);
  const found = lineOf(
    (trend.trend_data.readings ?? []).map(({ at, avg, min, max }) => ({
      at: Date.parse(at),
      average: avg,
      low: min,
      high: max,
    })),
  );
  const line = told.reduce((known, { at, value }) => withReading(known, at, value), found);
  const until = Math.max(
    line.last?.at ?? 0,
    askedUntil.get(pondId) ?? 0,
    lines.value.get(pondId)?.until ?? 0,
  );
  put(pondId, { ...line, until, mayLack: false });
}

/** The last reading itself, where only the average of some minutes is known and it is to be shown. */
async function loadLast(pondId: string, from: number): Promise<void> {
  const { measurements } = await get(`/water-quality/pond/${pondId}`, {
    start_date: new Date(from).toISOString(),
    limit: LAST_ROWS,
  });
  const found = measurements.find(({ dissolved_oxygen }) => dissolved_oxygen !== null);
  const line = lines.value.get(pondId);
  if (line === undefined || found === undefined || found.dissolved_oxygen === null) return;
  put(pondId, { ...line, ...withReading(line, Date.parse(found.measurement_date), found.dissolved_oxygen) });
}

function next(): void {
  if (meanwhile.size >= AT_ONCE) return;
  const pondId = waiting.find((id) => !meanwhile.has(id));
  if (pondId === undefined) return;
  waiting.splice(waiting.indexOf(pondId), 1);
  void load(pondId)
    // drawn without a line; asked again after the next snapshot
    .catch(() => asked.delete(pondId))
    .finally(() => {
      meanwhile.delete(pondId);
      next();
    });
  next();
}

function askFor(pondId: string, until = 0): void {
  asked.add(pondId);
  askedUntil.set(pondId, until);
  if (!waiting.includes(pondId)) waiting.push(pondId);
  next();
}

/** Takes one reading into the line; null: something else was measured. */
function add(pondId: string, line: Line, at: number, value: number | null): void {
  const known = value === null ? line : withReading(line, at, value);
  // a line with a gap is not known until here
  put(pondId, { ...line, ...known, until: line.mayLack ? line.until : Math.max(line.until, at) });
}

onEvent(({ name, data }) => {
  if (name === 'snapshot') {
    round.value += 1;
    if (awayMs.value > SHORT_BREAK_MS)
      lines.value = new Map([...lines.value].map(([pondId, line]) => [pondId, { ...line, mayLack: true }]));
  } else if (name === 'measurement') hear(data as Measurement);
});

function hear({ pond_id, measurement_date, ...row }: Measurement): void {
  if (!asked.has(pond_id)) return;
  if (row['deleted'] === true || (row['updated_at'] ?? null) !== null) return askFor(pond_id);
  const at = Date.parse(measurement_date);
  const value = typeof row['dissolved_oxygen'] === 'number' ? row['dissolved_oxygen'] : null;
  // what is entered days later is not of this day
  if (at < soon.value - DAY_MS) return;
  if (value !== null) meanwhile.get(pond_id)?.push({ at, value });
  const line = lines.value.get(pond_id);
  if (line !== undefined) add(pond_id, line, at, value);
}

/** Has the line of a pond if it is not there, and what it missed; what is dear waits until somebody `looks`. */
function follow(pondId: string, water: Water, looks: boolean): void {
  const at = water === null ? 0 : Date.parse(water.last_measurement);
  if (!asked.has(pondId)) return askFor(pondId, at);
  const line = lines.value.get(pondId);
  if (line === undefined || water === null) return;
  if (looks && water.dissolved_oxygen === null) showLast(pondId, line);
  if (at <= line.until) return;
  if (!line.mayLack && water.dissolved_oxygen !== null) return add(pondId, line, at, water.dissolved_oxygen);
  if (!looks) return;
  // once for this measurement, whatever the answer says
  put(pondId, { ...line, until: at });
  askFor(pondId, at);
}

const asking = new Set<string>();

function showLast(pondId: string, { last }: Line): void {
  if (last === null || last.isExact || asking.has(pondId)) return;
  asking.add(pondId);
  void loadLast(pondId, last.at)
    // the average stands there until the next look
    .catch(() => undefined)
    .finally(() => asking.delete(pondId));
}

/** When oxygen was read last, for ponds whose newest measurement had none. */
export function useLastOxygen(cards: readonly Card[]): (pondId: string) => number | null {
  useEffect(() => {
    for (const { pond_id, water_quality } of cards) follow(pond_id, water_quality, true);
  }, [
    cards.map(({ pond_id, water_quality }) => `${pond_id} ${water_quality?.last_measurement}`).join(),
    round.value,
  ]);
  return (pondId) => lines.value.get(pondId)?.last?.at ?? null;
}

const NOTHING = { quarters: [], last: null, isKnown: false } as const;

/** The last 24 hours, oldest first; nothing while they are not there (`isKnown`). `looks`: it is in sight. */
export function useOxygenDay(
  { pond_id, water_quality: water }: Known,
  looks: boolean,
): OxygenLine & { isKnown: boolean } {
  // the line of another pond is no reason to draw this one
  const line = useMemo(() => computed(() => lines.value.get(pond_id)), [pond_id]).value;
  useEffect(() => {
    follow(pond_id, water, looks);
  }, [
    pond_id,
    water?.last_measurement,
    water?.dissolved_oxygen,
    looks,
    round.value,
    line === undefined,
    line?.last?.isExact,
  ]);
  const from = soon.value - DAY_MS;
  const isOfDay = ({ at }: Quarter) => at > from;
  return line === undefined
    ? NOTHING
    : { quarters: line.quarters.filter(isOfDay), last: line.last, isKnown: true };
}

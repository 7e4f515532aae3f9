import type { ReadonlySignal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { WaterTrend } from '#contract/resources/water-quality.ts';
import { useGet } from '../data/query.ts';
import type { Range } from '../state/chart-range.ts';
import { finerPart, hidesReadings } from '../state/finer-readings.ts';
import type { FinerPart } from './chart-lines.ts';

/** The most that the interface gives at once. */
export const MOST_POINTS = 2_000;
/** A hand that zooms asks when it rests. */
const REST_MS = 300;

type Readings = NonNullable<WaterTrend['trend_data']['readings']>;

/** How it stands with the finer readings of a line; null: there is nothing to say. */
export type FinerStand = 'coming' | 'failed' | null;

/** Of several lines in one drawing. */
export const finerStandOf = (stands: readonly FinerStand[]): FinerStand =>
  stands.find((stand) => stand === 'coming') ?? stands.find((stand) => stand !== null) ?? null;

/** Means, and how far single readings lie from them: as many rows as the chart has lines. */
const linesOf = (readings: Readings) => ({
  x: readings.map(({ at }) => Date.parse(at)),
  values: [readings.map(({ avg }) => avg), readings.map(({ min }) => min), readings.map(({ max }) => max)],
});

/**
 * The readings of the part of the time that somebody looks at (`view`, null: the whole), where the line of the whole is the
 * mean of longer stretches. Asked for by what is on the screen; what was there before stays until the next is.
 */
export function useFinerWater(
  path: `/water-quality/trend/${string}/${string}` | null,
  {
    days,
    whole,
    readings,
    view,
    isOnScreen = true,
  }: {
    days: number;
    whole: Range;
    readings: Readings | undefined;
    view: ReadonlySignal<Range | null>;
    isOnScreen?: boolean;
  },
): { finer: FinerPart | null; finerStand: FinerStand } {
  const part = usePart(view, whole);
  const had = useRef<{ told: WaterTrend; finer: FinerPart; path: string | null } | null>(null);
  const isAsked =
    part !== null && isOnScreen && readings !== undefined && hidesReadings(stretchesOf(readings), part);
  const asked = useGet(isAsked ? path : null, {
    days,
    points: MOST_POINTS,
    ...(part === null ? {} : { start_date: isoOf(part.from), end_date: isoOf(part.to) }),
  });
  // of another pond or parameter it is no part of this line
  if (part === null || had.current?.path !== path) had.current = null;
  if (part === null) return { finer: null, finerStand: null };
  if (asked.data !== undefined && had.current?.told !== asked.data) {
    const found = linesOf(asked.data.trend_data.readings ?? []);
    had.current = { told: asked.data, finer: { ...part, ...found }, path };
  }
  const finerStand = !isAsked || asked.data !== undefined ? null : asked.isError ? 'failed' : 'coming';
  return { finer: had.current?.finer ?? null, finerStand };
}

const isoOf = (at: number): string => new Date(at).toISOString();
const stretchesOf = (readings: Readings) =>
  readings.map(({ at, min, max }) => ({ at: Date.parse(at), min, max }));

/** The part to ask for, once the hand rests. */
function usePart(view: ReadonlySignal<Range | null>, whole: Range): Range | null {
  const [part, setPart] = useState<Range | null>(null);
  const { from, to } = whole;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = view.subscribe((seen) => {
      clearTimeout(timer);
      timer = setTimeout(
        () => setPart((had) => finerPart(had, seen, { from, to })),
        seen === null ? 0 : REST_MS,
      );
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [view, from, to]);
  return part;
}

import { useEffect, useRef, useState } from 'preact/hooks';
import type { WaterTrend } from '#contract/resources/water-quality.ts';
import type { ChartGroup } from '../../components/chart-group.ts';
import type { FinerPart } from '../../components/chart-lines.ts';
import { useGet } from '../../data/query.ts';
import type { Range } from '../../state/chart-range.ts';
import { finerPart, hidesReadings } from '../../state/finer-readings.ts';

/** The most that the interface gives at once. */
export const MOST_POINTS = 2_000;
/** A hand that zooms asks when it rests. */
const REST_MS = 300;

type Readings = NonNullable<WaterTrend['trend_data']['readings']>;

/** Means, and how far single readings lie from them: as many rows as the chart has lines. */
const linesOf = (readings: Readings) => ({
  x: readings.map(({ at }) => Date.parse(at)),
  values: [readings.map(({ avg }) => avg), readings.map(({ min }) => min), readings.map(({ max }) => max)],
});

/**
 * The readings of the part of the time that somebody looks at, where the line of the whole is the mean of longer stretches.
 * Asked for by what is on the screen; what was there before stays until the next is.
 */
export function useFinerWater(
  path: `/water-quality/trend/${string}/${string}`,
  {
    days,
    whole,
    readings,
    group,
    isOnScreen,
  }: { days: number; whole: Range; readings: Readings | undefined; group: ChartGroup; isOnScreen: boolean },
): { finer: FinerPart | null; finerStand: 'coming' | 'failed' | null } {
  const part = usePart(group, whole);
  const had = useRef<{ told: WaterTrend; finer: FinerPart } | null>(null);
  const isAsked =
    part !== null && isOnScreen && readings !== undefined && hidesReadings(stretchesOf(readings), part);
  const asked = useGet(isAsked ? path : null, {
    days,
    points: MOST_POINTS,
    ...(part === null ? {} : { start_date: isoOf(part.from), end_date: isoOf(part.to) }),
  });
  if (part === null) had.current = null;
  else if (asked.data !== undefined && had.current?.told !== asked.data) {
    const found = linesOf(asked.data.trend_data.readings ?? []);
    had.current = { told: asked.data, finer: { ...part, ...found } };
  }
  const finerStand = !isAsked || asked.data !== undefined ? null : asked.isError ? 'failed' : 'coming';
  return { finer: had.current?.finer ?? null, finerStand };
}

const isoOf = (at: number): string => new Date(at).toISOString();
const stretchesOf = (readings: Readings) =>
  readings.map(({ at, min, max }) => ({ at: Date.parse(at), min, max }));

/** The part to ask for, once the hand rests. */
function usePart(group: ChartGroup, whole: Range): Range | null {
  const [part, setPart] = useState<Range | null>(null);
  const { from, to } = whole;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = group.view.subscribe((view) => {
      clearTimeout(timer);
      timer = setTimeout(
        () => setPart((had) => finerPart(had, view, { from, to })),
        view === null ? 0 : REST_MS,
      );
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [group, from, to]);
  return part;
}

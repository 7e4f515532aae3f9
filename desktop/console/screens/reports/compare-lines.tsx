import type { ComponentChildren } from 'preact';
import type { WaterTrend } from '#contract/resources/water-quality.ts';
import { compareWords } from '#words/charts.ts';
import { Awaited } from '../../components/answer.tsx';
import type { FinerPart, Series } from '../../components/chart-lines.ts';
import { joined, type Range } from '../../state/chart-range.ts';
import { brokenLines, withFiner } from '../../state/finer-readings.ts';

// Lines that are compared in one drawing, each of its own readings.

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

export type Line = { label: string; x: readonly number[]; values: readonly (number | null)[] };
export type Readings = NonNullable<WaterTrend['trend_data']['readings']>;

export const readingsOf = (told: WaterTrend | undefined, from: number): Readings =>
  (told?.trend_data.readings ?? []).filter(({ at }) => Date.parse(at) >= from);

/** From the first reading of any line to the last one. */
export function wholeOf(lines: readonly Readings[]): Range {
  const ends = lines.flatMap((line) => [line[0], line.at(-1)]).flatMap((end) => end ?? []);
  const instants = ends.map(({ at }) => Date.parse(at));
  return instants.length === 0
    ? { from: 0, to: 0 }
    : { from: Math.min(...instants), to: Math.max(...instants) };
}

/** A line of readings that breaks where nobody measured, with the finer ones of the part that is looked at. */
export function lineOf(label: string, readings: Readings, finer: FinerPart | null): Line {
  const means = {
    x: readings.map(({ at }) => Date.parse(at)),
    values: [readings.map(({ avg }) => avg)],
  };
  const { x, values } =
    finer === null
      ? brokenLines(means)
      : withFiner(means, { x: finer.x, values: finer.values.slice(0, 1) }, finer);
  return { label, x, values: values[0] ?? [] };
}

export function seriesOf(lines: readonly Line[], { unit, decimals }: Pick<Series, 'unit' | 'decimals'>) {
  const { x, values } = joined(lines);
  const series = lines.map(
    ({ label }, tone): Series => ({ label, unit, decimals, tone, values: values[tone] ?? [] }),
  );
  return { x, series };
}

export function Drawing({
  isEmpty,
  awaited,
  children,
}: {
  isEmpty: boolean;
  awaited: Parameters<typeof Awaited>[0]['of'] | null;
  children: ComponentChildren;
}) {
  return (
    <section class="card">
      {isEmpty ? (
        <p class="empty">{compareWords().choose}</p>
      ) : awaited === null ? (
        children
      ) : (
        <Awaited of={awaited} />
      )}
    </section>
  );
}

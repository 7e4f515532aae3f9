import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { clockTime, figure, instantAt, isoDay, shortDay } from '../i18n/format.ts';
import { isOverTime, type Range } from '../state/chart-range.ts';
import { brokenLines, type Lines, withFiner } from '../state/finer-readings.ts';
import type { ChartGroup } from './chart-group.ts';
import { cursorOf, followGroup, forgetOther, takeDrawnPart, takeHand } from './chart-hand.ts';
import { drawLegend } from './chart-legend.ts';
import { drawLimits, rangeOf } from './chart-limits.ts';
import type { FinerPart, Limit, Marks, Series } from './chart-lines.ts';
import { drawMarks, lookOf } from './chart-marks.ts';
import { type Picture, pictureOf } from './chart-picture.ts';

export type Wanted = {
  x: readonly number[];
  series: readonly Series[];
  height: number;
  band: { low: number | null; high: number | null } | null;
  xLabel: (x: number) => string;
  hasGaps: boolean;
  span: { from: number; to: number } | null;
  group: ChartGroup;
  marks: readonly Marks[];
  limits: readonly Limit[];
  finer: FinerPart | null;
};

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Of more readings than these nobody could tell the dots apart. */
const MOST_DOTS = 60;
/** A reading is told for the pointer beside it within this share of what is shown. */
const REACH = 1 / 150;
/** Steps between the labels below: whole days of culture, and for instants whole hours or days. */
const FIGURE_STEPS = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1_000];
const TIME_STEPS = [1 / 12, 1 / 6, 0.25, 0.5, 1, 2, 3, 6, 12, 24, 48, 120, 168, 336, 720, 2_160, 8_760].map(
  (hours) => hours * HOUR,
);

export type Drawn = {
  /** Draws other figures in the same place: whoever holds the drawing with a finger or the pointer keeps it. */
  update: (wanted: Wanted) => void;
  destroy: () => void;
  picture: (about: Picture) => Promise<Blob>;
};

/** What is drawn of what is wanted: with gaps, finer readings where somebody looks, and the axis from end to end. */
function linesOf({ hasGaps, span, finer, ...told }: Wanted) {
  const all: Lines = { x: told.x, values: told.series.map(({ values }) => values) };
  const withGaps = !hasGaps ? all : finer === null ? brokenLines(all) : withFiner(all, finer, finer);
  const { x, values } = withSpan(withGaps, span);
  const series = told.series.map((shown, index) => ({ ...shown, values: values[index] ?? [] }));
  const isDaily =
    told.x.length > 1 &&
    told.x.every((at, index) => index === 0 || at - (told.x[index - 1] ?? 0) >= 20 * HOUR);
  return { x, series, isDaily, whole: { from: x[0] ?? 0, to: x.at(-1) ?? 1 } satisfies Range };
}

/** Draws with the colours of the page; lines are told apart by dashes and words, not by colour alone. */
export function drawChart(host: HTMLElement, first: Wanted): Drawn {
  const { group } = first;
  let wanted = first;
  let lines = linesOf(first);
  const whole = () => lines.whole;
  // as the theme is at the time
  const style = getComputedStyle(host);
  const colour = (name: string) => style.getPropertyValue(name);
  const legendOf = () => ({ ...wanted, x: lines.x, series: lines.series });
  const legend = drawLegend(host, legendOf());
  const tell = ({ cursor: { idx }, scales }: UPlot) => {
    group.pointed = idx == null ? null : (lines.x[idx] ?? null);
    const { from, to } = whole();
    const { min, max } = scales['x'] ?? {};
    legend.tell(idx ?? null, ((max ?? to) - (min ?? from)) * REACH);
  };
  const plot = new UPlot(
    {
      width: Math.max(host.clientWidth, 200),
      height: first.height,
      legend: { show: false },
      cursor: cursorOf(group),
      scales: { x: { time: false }, y: { range: (_, low, high) => rangeOf(low, high, wanted.limits) } },
      axes: axesOf(isOverTime(first.x), { colour, now: () => ({ xLabel: wanted.xLabel, ...lines }) }),
      series: [{}, ...lines.series.map((shown, index) => lineOf(shown, index, colour))],
      hooks: {
        drawClear: [(drawing) => shadeBand(drawing, wanted.band, colour('--card-2'))],
        draw: [
          (drawing) => {
            const colours = { line: colour('--muted'), text: colour('--text'), ground: colour('--card') };
            drawLimits(drawing, wanted.limits, colours);
            drawMarks(drawing, wanted.marks, { text: colours.text, run: colour('--run') });
          },
        ],
        setCursor: [tell],
        setSelect: [(drawing) => takeDrawnPart(drawing, group, whole)],
      },
    },
    plotted(lines),
    host,
  );
  // drawn first, it belongs below
  host.append(legend.place);
  forgetOther(group, whole());
  const follow = new ResizeObserver(() => {
    // it tells of the width that the chart was drawn with, too
    if (host.clientWidth > 0 && host.clientWidth !== plot.width)
      plot.setSize({ width: host.clientWidth, height: wanted.height });
  });
  follow.observe(host);
  const repaint = new MutationObserver(() => plot.redraw(false));
  repaint.observe(document.documentElement, { attributeFilter: ['data-theme', 'data-dim'] });
  const stops = [followGroup(plot, group, whole), takeHand(host, plot, { group, whole })];
  const pointAgain = () => {
    const { pointed } = group;
    if (pointed !== null) plot.setCursor({ left: plot.valToPos(pointed, 'x'), top: wanted.height / 2 });
  };
  requestAnimationFrame(pointAgain);
  return {
    update(next) {
      const before = lines.series;
      wanted = next;
      lines = linesOf(next);
      forgetOther(group, whole());
      const { from, to } = group.view.value ?? whole();
      plot.batch(() => {
        if (!isAlike(before, lines.series)) {
          for (let nth = before.length; nth > 0; nth -= 1) plot.delSeries(nth);
          for (const [index, shown] of lines.series.entries())
            plot.addSeries(lineOf(shown, index, colour), index + 1);
        }
        plot.setData(plotted(lines), false);
        plot.setScale('x', { min: from, max: to });
      });
      if (plot.height !== next.height) plot.setSize({ width: plot.width, height: next.height });
      legend.show(legendOf());
      legend.tell(null, 0);
      pointAgain();
    },
    picture: (about) => pictureOf(plot, host, { ...wanted, series: lines.series.map(lookOf), about }),
    destroy() {
      for (const stop of stops) stop();
      follow.disconnect();
      repaint.disconnect();
      plot.destroy();
      legend.place.remove();
    },
  };
}

type Colour = (name: string) => string;

function lineOf(shown: Series, index: number, colour: Colour): UPlot.Series {
  const { label, tone, width, dash } = lookOf(shown, index);
  return {
    label,
    stroke: () => colour(tone),
    width,
    dash: [...dash],
    // a missing figure is passed over, a gap is not
    spanGaps: false,
    points: {
      show: (_: UPlot, __: number, first: number, last: number) =>
        shown.isEdge !== true && last - first < MOST_DOTS,
      size: 6,
      fill: () => colour(tone),
    },
  };
}

const isAlike = (some: readonly Series[], others: readonly Series[]): boolean =>
  JSON.stringify(some.map(lookOf)) === JSON.stringify(others.map(lookOf));

function axesOf(
  isTime: boolean,
  { colour, now }: { colour: Colour; now: () => { xLabel: (x: number) => string; isDaily: boolean } },
): UPlot.Axis[] {
  const line = { stroke: () => colour('--line'), width: 1 };
  const axis = { stroke: () => colour('--muted'), grid: line, ticks: line };
  return [
    {
      ...axis,
      space: 72,
      ...(isTime
        ? {
            incrs: () => TIME_STEPS.filter((step) => !now().isDaily || step >= DAY),
            splits: timeSplits,
          }
        : { incrs: FIGURE_STEPS }),
      values: (...[, splits, , , step]) =>
        splits.map((at) => (isTime ? timeLabel(at, step) : now().xLabel(at))),
    },
    {
      ...axis,
      size: 56,
      values: (_, splits) => splits.map((value) => figure(value, decimalsOf(splits))),
    },
  ];
}

/** The axis reaches from end to end, though nobody measured there. */
function withSpan({ x, values }: Lines, span: Wanted['span']): Lines {
  if (span === null) return { x, values };
  const isBefore = span.from < (x[0] ?? Number.POSITIVE_INFINITY);
  const isAfter = span.to > (x.at(-1) ?? Number.NEGATIVE_INFINITY);
  const widened = <Value>(all: readonly Value[], from: Value, to: Value) => [
    ...(isBefore ? [from] : []),
    ...all,
    ...(isAfter ? [to] : []),
  ];
  return {
    x: widened(x, span.from, span.to),
    values: values.map((line) => widened<number | null>(line, null, null)),
  };
}

const plotted = ({ x, series }: { x: readonly number[]; series: readonly Series[] }): UPlot.AlignedData => [
  [...x],
  ...series.map(({ values }) =>
    values.map((value) => (value === null ? undefined : Number.isNaN(value) ? null : value)),
  ),
];

const decimalsOf = (splits: readonly number[]): number => {
  const step = Math.abs((splits[1] ?? 1) - (splits[0] ?? 0));
  return (
    [0, 1, 2].find((digits) => Math.abs(step * 10 ** digits - Math.round(step * 10 ** digits)) < 1e-6) ?? 3
  );
};

/** Labels stand at the farm's midnights, or at whole hours counted from one. */
function timeSplits(...[, , low, high, step]: [UPlot, number, number, number, number]): number[] {
  const splits: number[] = [];
  for (let at = Date.parse(instantAt(isoDay(low), '00:00')); at <= high; at += step) {
    if (at >= low) splits.push(at);
  }
  return splits;
}

/** A midnight is told by its day: hours alone would say nothing of which night is looked at. */
const timeLabel = (at: number, step: number): string =>
  step < DAY && at !== Date.parse(instantAt(isoDay(at), '00:00')) ? clockTime(at) : shortDay(at);

function shadeBand(plot: UPlot, band: Wanted['band'], colour: string): void {
  if (band === null) return;
  const { ctx, bbox } = plot;
  const clamp = (at: number) => Math.min(Math.max(at, bbox.top), bbox.top + bbox.height);
  const top = band.high === null ? bbox.top : clamp(plot.valToPos(band.high, 'y', true));
  const bottom = band.low === null ? bbox.top + bbox.height : clamp(plot.valToPos(band.low, 'y', true));
  ctx.save();
  ctx.fillStyle = colour;
  ctx.fillRect(bbox.left, top, bbox.width, bottom - top);
  ctx.restore();
}

import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { clockTime, figure, instantAt, isoDay, shortDay } from '../i18n/format.ts';
import { type Range, valueNear } from '../state/chart-range.ts';
import { broken, gapsIn } from '../state/water-span.ts';
import type { ChartGroup } from './chart-group.ts';
import { cursorOf, followGroup, takeDrawnPart, takeHand } from './chart-hand.ts';
import type { Marks, Series } from './chart-lines.ts';
import { drawMarks, isThere, type Look, signOf } from './chart-marks.ts';
import { type Picture, pictureOf } from './chart-picture.ts';

type Wanted = {
  x: readonly number[];
  series: readonly Series[];
  height: number;
  band: { low: number | null; high: number | null } | null;
  xLabel: (x: number) => string;
  hasGaps: boolean;
  span: { from: number; to: number } | null;
  group: ChartGroup;
  marks: readonly Marks[];
};

const DASHES = [[], [10, 5], [2, 4], [10, 4, 2, 4]] as const;
const EXPECTED_DASH = [6, 6] as const;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Of more readings than these nobody could tell the dots apart. */
const MOST_DOTS = 60;
/** A reading is told for the pointer beside it within this share of what is shown. */
const REACH = 1 / 150;
/** Lines that are compared: told apart by tone, dash and name. */
const TONES = ['--text', '--line-2', '--line-3', '--line-4'] as const;
/** Steps between the labels below: whole days of culture, and for instants whole hours or days. */
const FIGURE_STEPS = [1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1_000];
const TIME_STEPS = [1 / 12, 1 / 6, 0.25, 0.5, 1, 2, 3, 6, 12, 24, 48, 120, 168, 336, 720, 2_160, 8_760].map(
  (hours) => hours * HOUR,
);

const widthOf = ({ dashed, isEdge }: Series): number => (isEdge === true ? 1 : dashed === true ? 1.5 : 2);
const dashOf = ({ dashed, isEdge }: Series, index: number): readonly number[] =>
  isEdge === true ? [] : dashed === true ? EXPECTED_DASH : (DASHES[index % DASHES.length] ?? []);

export type Drawn = { destroy: () => void; picture: (about: Picture) => Promise<Blob> };

/** Draws with the colours of the page; lines are told apart by dashes and words, not by colour alone. */
export function drawChart(
  host: HTMLElement,
  { height, band, xLabel, hasGaps, span, group, marks, ...told }: Wanted,
): Drawn {
  const { x, series } = withSpan(hasGaps ? withGaps(told) : told, span);
  const style = getComputedStyle(host);
  const text = style.getPropertyValue('--text');
  const muted = style.getPropertyValue('--muted');
  const line = style.getPropertyValue('--line');
  const axis = { stroke: muted, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  const isTime = (told.x[0] ?? 0) > 1e11;
  const isDaily =
    told.x.length > 1 &&
    told.x.every((at, index) => index === 0 || at - (told.x[index - 1] ?? 0) >= 20 * HOUR);
  const whole: Range = { from: x[0] ?? 0, to: x.at(-1) ?? 1 };
  const legend = drawLegend(host, { series, marks }, xLabel);
  const tell = ({ cursor: { idx }, scales }: UPlot) => {
    group.pointed = idx == null ? null : (x[idx] ?? null);
    const { min = whole.from, max = whole.to } = scales['x'] ?? {};
    legend.tell(idx ?? null, x, ((max ?? whole.to) - (min ?? whole.from)) * REACH);
  };
  const plot = new UPlot(
    {
      width: Math.max(host.clientWidth, 200),
      height,
      legend: { show: false },
      cursor: cursorOf(group),
      scales: { x: { time: false }, y: { range: (_, low, high) => rangeOf(low, high) } },
      axes: [
        {
          ...axis,
          space: 72,
          incrs: isTime ? TIME_STEPS.filter((step) => !isDaily || step >= DAY) : FIGURE_STEPS,
          ...(isTime ? { splits: timeSplits } : {}),
          values: (...[, splits, , , step]) =>
            splits.map((at) => (isTime ? timeLabel(at, step) : xLabel(at))),
        },
        {
          ...axis,
          size: 56,
          values: (_, splits) => splits.map((value) => figure(value, decimalsOf(splits))),
        },
      ],
      series: [
        {},
        ...series.map((shown, index) => ({
          label: shown.label,
          stroke: shown.isEdge === true ? muted : style.getPropertyValue(toneOf(shown)),
          width: widthOf(shown),
          dash: [...dashOf(shown, index)],
          // a missing figure is passed over, a gap is not
          spanGaps: false,
          points: {
            show: (_: UPlot, __: number, first: number, last: number) =>
              shown.isEdge !== true && last - first < MOST_DOTS,
            size: 6,
            fill: style.getPropertyValue(toneOf(shown)),
          },
        })),
      ],
      hooks: {
        drawClear: [(drawing) => shadeBand(drawing, band, style.getPropertyValue('--card-2'))],
        draw: [(drawing) => drawMarks(drawing, marks, { text, run: style.getPropertyValue('--run') })],
        setCursor: [tell],
        setSelect: [(drawing) => takeDrawnPart(drawing, group, whole)],
      },
    },
    [[...x], ...series.map(({ values }) => plotted(values))],
    host,
  );
  // drawn first, it belongs below
  host.append(legend.place);
  const follow = new ResizeObserver(() => {
    // it tells of the width that the chart was drawn with, too
    if (host.clientWidth > 0 && host.clientWidth !== plot.width)
      plot.setSize({ width: host.clientWidth, height });
  });
  follow.observe(host);
  const stops = [followGroup(plot, group, whole), takeHand(host, plot, { group, whole })];
  const { pointed } = group;
  if (pointed !== null)
    requestAnimationFrame(() => plot.setCursor({ left: plot.valToPos(pointed, 'x'), top: height / 2 }));
  return {
    picture: (about) => pictureOf(plot, host, { series: series.map(lookOf), marks, about }),
    destroy() {
      for (const stop of stops) stop();
      follow.disconnect();
      plot.destroy();
      legend.place.remove();
    },
  };
}

const toneOf = ({ tone, isEdge }: Series): string =>
  isEdge === true ? '--muted' : (TONES[tone ?? 0] ?? '--text');

const lookOf = (shown: Series, index: number): Look => ({
  label: shown.label,
  tone: toneOf(shown),
  width: widthOf(shown),
  dash: dashOf(shown, index),
});

/** Figures that are all the same would be drawn over an axis from nothing to their double. */
function rangeOf(low: number | null, high: number | null): UPlot.Range.MinMax {
  if (low === null || high === null) return [0, 1];
  const around = low === high ? Math.max(Math.abs(low) / 20, 0.01) : 0;
  return UPlot.rangeNum(low - around, high + around, 0.1, true);
}

function withGaps({ x, series }: Pick<Wanted, 'x' | 'series'>): Pick<Wanted, 'x' | 'series'> {
  const breaks = new Set(gapsIn(x));
  return {
    x: broken({ x, values: [] }, breaks).x,
    series: series.map((shown) => ({
      ...shown,
      values: broken({ x, values: shown.values }, breaks).values,
    })),
  };
}

/** The axis reaches from end to end, though nobody measured there. */
function withSpan(
  { x, series }: Pick<Wanted, 'x' | 'series'>,
  span: Wanted['span'],
): Pick<Wanted, 'x' | 'series'> {
  if (span === null) return { x, series };
  const isBefore = span.from < (x[0] ?? Number.POSITIVE_INFINITY);
  const isAfter = span.to > (x.at(-1) ?? Number.NEGATIVE_INFINITY);
  const widened = <Value>(values: readonly Value[], from: Value, to: Value) => [
    ...(isBefore ? [from] : []),
    ...values,
    ...(isAfter ? [to] : []),
  ];
  return {
    x: widened(x, span.from, span.to),
    series: series.map((shown) => ({ ...shown, values: widened(shown.values, null, null) })),
  };
}

const plotted = (values: readonly (number | null)[]) =>
  values.map((value) => (value === null ? undefined : Number.isNaN(value) ? null : value));

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

/** A line of words below: the names with a piece of their line, and the figures where the pointer is. */
function drawLegend(
  host: HTMLElement,
  { series, marks }: Pick<Wanted, 'series' | 'marks'>,
  xLabel: (x: number) => string,
) {
  const place = host.ownerDocument.createElement('div');
  place.className = 'chart-legend';
  const when = host.ownerDocument.createElement('span');
  when.className = 'chart-when';
  const figures = series.map((shown, index) => {
    const item = host.ownerDocument.createElement('span');
    item.innerHTML = `<svg width="28" height="8" aria-hidden="true"><path d="M0 4h28" stroke="var(${toneOf(shown)})" stroke-width="${widthOf(shown)}" stroke-dasharray="${dashOf(shown, index).join(' ')}"/></svg>`;
    const told = host.ownerDocument.createElement('span');
    item.append(told);
    place.append(item);
    return { shown, told };
  });
  for (const mark of marks) {
    if (!isThere(mark)) continue;
    const item = host.ownerDocument.createElement('span');
    item.textContent = `${signOf(mark)} ${mark.label}`;
    place.append(item);
  }
  place.append(when);
  const tell = (at: number | null, x: readonly number[], reach: number) => {
    when.textContent = at === null ? '' : xLabel(x[at] ?? 0);
    const said: string[] = [];
    for (const { shown, told } of figures) {
      const value = at === null ? null : valueNear({ x, values: shown.values }, at, reach);
      const isKnown = value !== null && !Number.isNaN(value);
      told.textContent = isKnown
        ? `${shown.label} ${figure(value, shown.decimals)} ${shown.unit}`
        : shown.label;
      if (isKnown) said.push(told.textContent);
    }
    // to whoever only hears it, the chart is a slider along its readings
    host.setAttribute('aria-valuenow', String(at ?? 0));
    host.setAttribute('aria-valuemax', String(Math.max(x.length - 1, 0)));
    host.setAttribute('aria-valuetext', at === null ? '' : [when.textContent, ...said].join(', '));
  };
  tell(null, [], 0);
  return { place, tell };
}

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

import { figure, type Language } from '#science/advice/language.ts';
import type { Band, Point } from './batch-report.ts';

// Charts as plain SVG: no script, no style of their own (the page's classes colour them), so that a strict content
// policy lets them through and a printer shows them as the screen does.

export type Mark =
  | { kind: 'line' | 'dashed' | 'dots' | 'bars'; name: string; points: readonly Point[] }
  /** Least and most of each day as a band, the mean as a line. */
  | { kind: 'band'; name: string; points: readonly (Band & { x: number })[] };

/** Everything is drawn over the age in whole days, or in weeks. */
export type Chart = { title: string; xName: string; yName: string; marks: readonly Mark[] };

const WIDTH = 720;
const HEIGHT = 260;
const LEFT = 56;
const RIGHT = 12;
const TOP = 22;
const BOTTOM = 40;
const TICKS = 5;

type Scale = { toX: (x: number) => number; toY: (y: number) => number };

/** null: there is nothing to show. */
export function svgChart(chart: Chart, language: Language): string | null {
  const ends = extentOf(chart.marks);
  if (ends === null) return null;
  const xTicks = ticksOf(ends.minX, ends.maxX, 'whole');
  const yTicks = ticksOf(ends.minY, ends.maxY, 'any');
  const [x0, x1] = [Math.min(ends.minX, xTicks[0] ?? 0), Math.max(ends.maxX, xTicks.at(-1) ?? 1)];
  const [y0, y1] = [yTicks[0] ?? 0, yTicks.at(-1) ?? 1];
  const scale: Scale = {
    toX: (x) => LEFT + ((x - x0) / (x1 - x0 || 1)) * (WIDTH - LEFT - RIGHT),
    toY: (y) => HEIGHT - BOTTOM - ((y - y0) / (y1 - y0 || 1)) * (HEIGHT - TOP - BOTTOM),
  };
  const summary = chart.marks.map(({ name }) => name).join(', ');
  return [
    `<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(`${chart.title}: ${summary}`)}">`,
    `<title>${escaped(chart.title)}</title>`,
    ...yTicks.map((tick) => horizontal(tick, scale, { decimals: decimalsOf(yTicks), language })),
    ...xTicks.map((tick) => vertical(tick, scale, { decimals: decimalsOf(xTicks), language })),
    ...chart.marks.map((mark) => drawn(mark, scale)),
    `<text class="axis" x="${LEFT}" y="${HEIGHT - 6}">${escaped(chart.xName)}</text>`,
    `<text class="axis" x="4" y="10">${escaped(chart.yName)}</text>`,
    '</svg>',
  ].join('');
}

function drawn(mark: Mark, scale: Scale): string {
  const { toX, toY } = scale;
  const at = ({ x, y }: Point) => `${px(toX(x))},${px(toY(y))}`;
  switch (mark.kind) {
    case 'line':
    case 'dashed':
      return `<polyline class="${mark.kind}" points="${mark.points.map(at).join(' ')}"/>`;
    case 'dots':
      return mark.points
        .map(({ x, y }) => `<circle class="dot" cx="${px(toX(x))}" cy="${px(toY(y))}" r="3.5"/>`)
        .join('');
    case 'bars': {
      const width = Math.max(2, (toX(1) - toX(0)) * 0.7);
      return mark.points
        .map(({ x, y }) => {
          const height = Math.max(0, toY(0) - toY(y));
          return `<rect class="bar" x="${px(toX(x) - width / 2)}" y="${px(toY(y))}" width="${px(width)}" height="${px(height)}"/>`;
        })
        .join('');
    }
    case 'band': {
      const [only, ...others] = mark.points;
      if (only !== undefined && others.length === 0) return strokeOf(only, scale);
      const upper = mark.points.map(({ x, most }) => at({ x, y: most }));
      const lower = mark.points.map(({ x, least }) => at({ x, y: least })).reverse();
      const means = mark.points.map(({ x, mean }) => at({ x, y: mean }));
      return `<polygon class="band" points="${[...upper, ...lower].join(' ')}"/><polyline class="line" points="${means.join(' ')}"/>`;
    }
  }
}

/** A band of one day would have no width. */
function strokeOf({ x, least, mean, most }: Band & { x: number }, { toX, toY }: Scale): string {
  const cx = px(toX(x));
  return `<line class="stroke" x1="${cx}" x2="${cx}" y1="${px(toY(least))}" y2="${px(toY(most))}"/><circle class="dot" cx="${cx}" cy="${px(toY(mean))}" r="3.5"/>`;
}

type Label = { decimals: number; language: Language };

function horizontal(tick: number, { toY }: Scale, { decimals, language }: Label): string {
  const y = px(toY(tick));
  return `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y}" y2="${y}"/><text class="tick" x="${LEFT - 6}" y="${px(toY(tick) + 4)}" text-anchor="end">${figure(tick, decimals, language)}</text>`;
}

function vertical(tick: number, { toX }: Scale, { decimals, language }: Label): string {
  return `<text class="tick" x="${px(toX(tick))}" y="${HEIGHT - BOTTOM + 16}" text-anchor="middle">${figure(tick, decimals, language)}</text>`;
}

function extentOf(marks: readonly Mark[]) {
  const xs: number[] = [];
  const ys: number[] = [];
  for (const mark of marks) {
    for (const point of mark.points) {
      xs.push(point.x);
      if ('y' in point) ys.push(point.y);
      else ys.push(point.least, point.most);
    }
    // bars stand on the ground, and need half their width at both ends
    if (mark.kind === 'bars') {
      ys.push(0);
      xs.push(
        ...[mark.points[0], mark.points.at(-1)].flatMap((end) => (end ? [end.x - 0.5, end.x + 0.5] : [])),
      );
    }
  }
  if (xs.length === 0) return null;
  const extent = (all: readonly number[]) =>
    all.reduce((seen, one) => [Math.min(seen[0], one), Math.max(seen[1], one)] as const, [
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ] as const);
  const [[minX, maxX], [minY, maxY]] = [extent(xs), extent(ys)];
  return { minX, maxX, minY, maxY };
}

/** Round numbers from at or below the least to at or above the most. */
function ticksOf(least: number, most: number, steps: 'whole' | 'any'): number[] {
  const span = most - least || Math.abs(most) || 1;
  const rough = span / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = ([1, 2, 2.5, 5, 10].find((multiple) => multiple * power >= rough) ?? 10) * power;
  const step = steps === 'whole' ? Math.ceil(round) : round;
  const first = Math.floor(least / step + 1e-9);
  const count = Math.max(1, Math.ceil(most / step - 1e-9) - first);
  return Array.from({ length: count + 1 }, (_, n) => (first + n) * step);
}

function decimalsOf(ticks: readonly number[]): number {
  const step = (ticks[1] ?? 1) - (ticks[0] ?? 0);
  return [0, 1, 2, 3].find((decimals) => Math.abs(step - Number(step.toFixed(decimals))) < step / 1000) ?? 4;
}

const px = (length: number): string => String(Math.round(length * 10) / 10);

const NAMES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it may stand in a page, between tags or inside a quoted attribute. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => NAMES[sign] ?? sign);
}

import { figure } from '../i18n/format.ts';
import { valueNear } from '../state/chart-range.ts';
import type { Limit, Marks, Series } from './chart-lines.ts';
import { isThere, lookOf, signOf } from './chart-marks.ts';

type Shown = {
  x: readonly number[];
  series: readonly Series[];
  marks: readonly Marks[];
  limits: readonly Limit[];
  xLabel: (x: number) => string;
};

/** A line of words below: the names with a piece of their line, and the figures where the pointer is. */
export function drawLegend(host: HTMLElement, first: Shown) {
  const make = (name: string) => host.ownerDocument.createElement(name);
  const place = make('div');
  place.className = 'chart-legend';
  const when = make('span');
  when.className = 'chart-when';
  let shown = first;
  let figures: { line: Series; told: HTMLElement }[] = [];
  const show = (next: Shown) => {
    shown = next;
    place.replaceChildren();
    figures = shown.series.map((line, index) => {
      const { tone, width, dash } = lookOf(line, index);
      const item = make('span');
      item.innerHTML = `<svg width="28" height="8" aria-hidden="true"><path d="M0 4h28" stroke="var(${tone})" stroke-width="${width}" stroke-dasharray="${dash.join(' ')}"/></svg>`;
      const told = make('span');
      item.append(told);
      place.append(item);
      return { line, told };
    });
    for (const name of [
      ...shown.marks.filter(isThere).map((mark) => `${signOf(mark)} ${mark.label}`),
      ...shown.limits.map(({ label }) => `― ${label}`),
    ]) {
      const item = make('span');
      item.textContent = name;
      place.append(item);
    }
    place.append(when);
  };
  const tell = (at: number | null, reach: number) => {
    const { x, xLabel } = shown;
    when.textContent = at === null ? '' : xLabel(x[at] ?? 0);
    const said: string[] = [];
    for (const { line, told } of figures) {
      const value = at === null ? null : valueNear({ x, values: line.values }, at, reach);
      const isKnown = value !== null && !Number.isNaN(value);
      told.textContent = isKnown ? `${line.label} ${figure(value, line.decimals)} ${line.unit}` : line.label;
      if (isKnown) said.push(told.textContent);
    }
    // to whoever only hears it, the chart is a slider along its readings
    host.setAttribute('aria-valuenow', String(at ?? 0));
    host.setAttribute('aria-valuemax', String(Math.max(x.length - 1, 0)));
    host.setAttribute('aria-valuetext', at === null ? '' : [when.textContent, ...said].join(', '));
  };
  show(first);
  tell(null, 0);
  return { place, show, tell };
}

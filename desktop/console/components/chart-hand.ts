import type UPlot from 'uplot';
import { chosen, panned, type Range, showing, widthOf, zoomed } from '../state/chart-range.ts';
import type { ChartGroup } from './chart-group.ts';

// What a hand does to a chart: a mouse draws the part that it wants, a wheel and two fingers come nearer, one finger
// moves, and the keys do all of it.

const KEY_ZOOM = 1.5;
const WHEEL_ZOOM = 1.2;
/** A drag shorter than this, in points of the screen, was a press. */
const LEAST_DRAG = 6;

/** What is drawn now: it moves on while a hand holds the chart. */
type Whole = () => Range;

/** Another time was chosen: what was looked at of the one before means nothing. */
export function forgetOther(group: ChartGroup, whole: Range): void {
  if (Math.abs(group.wholeMs - widthOf(whole)) > widthOf(whole) * 0.02) group.view.value = null;
  group.wholeMs = widthOf(whole);
}

/** Follows what the group looks at, once a frame. */
export function followGroup(plot: UPlot, group: ChartGroup, whole: Whole): () => void {
  let frame = 0;
  const stop = group.view.subscribe((view) => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      const { from, to } = view ?? whole();
      plot.setScale('x', { min: from, max: to });
    });
  });
  return () => {
    cancelAnimationFrame(frame);
    stop();
  };
}

/** What of uPlot's own hand is used: its pointer, and the part that a mouse draws. */
export const cursorOf = (group: ChartGroup): UPlot.Cursor => ({
  drag: { x: true, y: false, setScale: false, dist: LEAST_DRAG },
  bind: {
    // with the key held the mouse moves the line instead
    mousedown: (_, __, handler) => (event: MouseEvent) => {
      if (!event.shiftKey) handler(event);
      return null;
    },
    dblclick: () => () => {
      group.view.value = null;
      return null;
    },
  },
  ...(group.name === null
    ? {}
    : {
        sync: {
          key: group.name,
          scales: ['x', null],
          filters: { sub: () => true, pub: (type: string) => type === 'mousemove' || type === 'mouseleave' },
        },
      }),
});

export function takeDrawnPart(plot: UPlot, group: ChartGroup, whole: Whole): void {
  const { left, width } = plot.select;
  if (width < LEAST_DRAG) return;
  group.view.value = chosen(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'), whole());
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
}

/** `tell` says what is under the pointer to whoever only hears it. */
export function takeHand(
  host: HTMLElement,
  plot: UPlot,
  { group, whole }: { group: ChartGroup; whole: Whole },
): () => void {
  const around = () => {
    const { left = -1 } = plot.cursor;
    const { from, to } = group.view.value ?? whole();
    return left < 0 ? (from + to) / 2 : plot.posToVal(left, 'x');
  };
  const zoom = (factor: number, at = around()) => {
    group.view.value = zoomed(group.view.value, whole(), factor, at);
  };
  const pan = (share: number) => {
    group.view.value = panned(group.view.value, whole(), share);
  };
  const end = new AbortController();
  const on = { signal: end.signal };
  host.addEventListener('keydown', (event) => onKey(event, { plot, group, whole, zoom, pan }), on);
  plot.over.addEventListener(
    'wheel',
    (event) => {
      const isMeant = event.ctrlKey || event.metaKey || document.activeElement === host;
      if (isMeant && event.deltaY !== 0) {
        event.preventDefault();
        const { left } = plot.over.getBoundingClientRect();
        zoom(event.deltaY < 0 ? WHEEL_ZOOM : 1 / WHEEL_ZOOM, plot.posToVal(event.clientX - left, 'x'));
      } else if (event.deltaX !== 0 && group.view.value !== null) {
        event.preventDefault();
        pan(event.deltaX / plot.over.clientWidth);
      }
    },
    { ...on, passive: false },
  );
  takeFingers(host, plot, { group, whole, pan, on });
  return () => end.abort();
}

type Acts = {
  plot: UPlot;
  group: ChartGroup;
  whole: Whole;
  zoom: (factor: number) => void;
  pan: (share: number) => void;
};

function onKey(event: KeyboardEvent, { plot, group, whole, zoom, pan }: Acts): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { key, shiftKey } = event;
  if (key === '+' || key === '=') zoom(KEY_ZOOM);
  else if (key === '-' || key === '_') zoom(1 / KEY_ZOOM);
  else if (key === '0' || (key === 'Escape' && group.view.value !== null)) group.view.value = null;
  else if (shiftKey && key === 'ArrowLeft') pan(-0.25);
  else if (shiftKey && key === 'ArrowRight') pan(0.25);
  else if (!step(plot, group, whole(), key)) return;
  event.preventDefault();
}

/** The pointer goes from reading to reading; at the edge of what is shown the view goes with it. */
function step(plot: UPlot, group: ChartGroup, whole: Range, key: string): boolean {
  const x = plot.data[0];
  const told = toldAt(plot);
  const { from, to } = group.view.value ?? whole;
  const first = Math.max(
    told.findIndex((at) => (x[at] ?? 0) >= from),
    0,
  );
  const last = Math.max(
    told.findLastIndex((at) => (x[at] ?? 0) <= to),
    first,
  );
  const wide = Math.max(Math.round((last - first) / 10), 1);
  const pointed = (plot.cursor.left ?? -1) < 0 ? null : (plot.cursor.idx ?? null);
  const isLater = key === 'ArrowRight' || key === 'PageDown';
  // what is pointed at need not be a reading: the next one counts
  const at =
    pointed === null
      ? null
      : isLater
        ? told.findLastIndex((each) => each <= pointed)
        : told.findIndex((each) => each >= pointed);
  const places: Readonly<Record<string, number>> = {
    ArrowLeft: at === null ? last : at === -1 ? told.length - 1 : at - 1,
    ArrowRight: at === null ? first : at + 1,
    PageUp: (at ?? last) - wide,
    PageDown: (at ?? first) + wide,
    Home: first,
    End: last,
  };
  const wanted = places[key];
  if (wanted === undefined) return false;
  const instant = x[told[Math.min(Math.max(wanted, 0), told.length - 1)] ?? 0] ?? 0;
  const view = showing(group.view.value, whole, instant);
  const show = () => pointAt(plot, plot.valToPos(instant, 'x'));
  if (view === group.view.value) show();
  else {
    group.view.value = view;
    // after the frame that moves the view
    requestAnimationFrame(() => requestAnimationFrame(show));
  }
  return true;
}

/** Places of the axis where at least one line has a figure. */
function toldAt(plot: UPlot): number[] {
  const [x, ...lines] = plot.data;
  return Array.from(x, (_, at) => at).filter((at) => lines.some((line) => typeof line[at] === 'number'));
}

/** As a mouse would, and between the points of the screen, too: the charts of the group hear of it. */
function pointAt(plot: UPlot, left: number): void {
  // the last one, which its types leave out, tells the group
  const point: (at: { left: number; top: number }, hooks: boolean, group: boolean) => void = plot.setCursor;
  point({ left, top: plot.over.clientHeight / 2 }, true, true);
}

/** One finger shows what is under it, or moves what is near; two come nearer. Up and down the page scrolls. */
function takeFingers(
  host: HTMLElement,
  plot: UPlot,
  {
    group,
    whole,
    pan,
    on,
  }: { group: ChartGroup; whole: Whole; pan: (share: number) => void; on: { signal: AbortSignal } },
): void {
  const held = new Map<number, number>();
  const placeOf = ({ clientX }: PointerEvent) => clientX - plot.over.getBoundingClientRect().left;
  const isHand = ({ pointerType, shiftKey }: PointerEvent) => pointerType !== 'mouse' || shiftKey;
  plot.over.style.touchAction = 'pan-y';
  plot.over.addEventListener(
    'pointerdown',
    (event) => {
      if (event.pointerType === 'mouse') host.focus({ preventScroll: true });
      if (!isHand(event)) return;
      held.set(event.pointerId, placeOf(event));
      plot.over.setPointerCapture(event.pointerId);
    },
    on,
  );
  plot.over.addEventListener(
    'pointermove',
    (event) => {
      const was = held.get(event.pointerId);
      if (was === undefined) return;
      const is = placeOf(event);
      const other = [...held].find(([id]) => id !== event.pointerId)?.[1];
      held.set(event.pointerId, is);
      if (other !== undefined) {
        const factor = Math.abs(is - other) / Math.max(Math.abs(was - other), 1);
        if (factor > 0)
          group.view.value = zoomed(group.view.value, whole(), factor, plot.posToVal((is + other) / 2, 'x'));
      } else if (group.view.value !== null) pan((was - is) / Math.max(plot.over.clientWidth, 1));
      else pointAt(plot, is);
    },
    on,
  );
  for (const name of ['pointerup', 'pointercancel'] as const)
    plot.over.addEventListener(name, ({ pointerId }) => held.delete(pointerId), on);
}

import '../styles/charts.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { chartWords } from '#words/charts.ts';
import { componentWords } from '#words/components.ts';
import { now } from '../data/clock.ts';
import { loadPageAnew } from '../data/code.ts';
import { fileStem, saveBlob } from '../data/csv.ts';
import { farm } from '../data/farm-store.ts';
import { calendarDay, dayAndTime, figure, isoDay } from '../i18n/format.ts';
import { isOverTime, panned, type Range, zoomed } from '../state/chart-range.ts';
import { faultText } from './answer.tsx';
import { Button, WorkButton } from './button.tsx';
import { type ChartGroup, chartGroup } from './chart-group.ts';
import type { Figures, FinerPart, Limit, Marks, Series } from './chart-lines.ts';
import type { Drawn, Wanted } from './draw-chart.ts';
import type { FinerStand } from './finer-water.ts';
import { Icon } from './icon.tsx';
import { toast } from './toast.tsx';

// One chart is drawn at a time and the browser gets a breath between two: a page of six never holds up a finger. What
// is on the screen comes first, from top to bottom; the rest is drawn while nothing else is going on, so that it is
// there when somebody scrolls to it or prints the page.

type Turn = { host: HTMLElement; draw: () => void };

/** The longest that a chart out of sight waits for an idle moment. */
const MOST_PATIENCE_MS = 400;

const waiting = new Set<Turn>();

let isCalled = false;

const isInSight = ({ host }: Turn): boolean => {
  const { top, bottom } = host.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
};

const fromTheTop = (a: Turn, b: Turn): number =>
  (a.host.compareDocumentPosition(b.host) & Node.DOCUMENT_POSITION_FOLLOWING) === 0 ? 1 : -1;

type Props = {
  title: string;
  /** Instants in milliseconds, or figures with `xLabel` telling what they are. */
  x: readonly number[];
  series: readonly Series[];
  height?: number;
  /** Shaded: the range that is good. */
  band?: { low: number | null; high: number | null } | null;
  xLabel?: (x: number) => string;
  /** What the table tells where the lines have more points than a person can read; without it, the same. */
  table?: Figures | undefined;
  /** The line breaks where a probe was silent: nobody measured there. */
  hasGaps?: boolean;
  /** Where the axis begins and ends, for charts that stand beside each other; without it, where the figures do. */
  span?: { from: number; to: number } | null;
  /** Charts of one group show the same part of the time, and the same instant under the pointer. */
  group?: ChartGroup | undefined;
  /** Pond or batch, as its picture says it. */
  place?: string;
  marks?: readonly Marks[];
  limits?: readonly Limit[];
  /** Readings of the part that is looked at, where the lines are means of longer stretches. */
  finer?: FinerPart | null;
  /** How it stands with them, said below the drawing; null: there is nothing to say. */
  finerStand?: FinerStand;
  /** Called once there is something to be seen, be it the drawing or the table. */
  onShown?: () => void;
};

const NO_MARKS: readonly Marks[] = [];
const NO_LIMITS: readonly Limit[] = [];

const drawing = () => import('./draw-chart.ts');

/** Called while figures are still on their way. */
export function expectChart(): void {
  // whoever draws hears of it when this fails, and tries again
  drawing().catch(() => undefined);
}

/** Lines over time, with the same figures as a table for those who do not see it. The drawing comes when it is needed. */
export function Chart({
  title,
  x,
  series,
  height = 220,
  band = null,
  xLabel = dayAndTime,
  table,
  hasGaps = false,
  span = null,
  group,
  place: placeName = '',
  marks = NO_MARKS,
  limits = NO_LIMITS,
  finer = null,
  finerStand = null,
  onShown,
}: Props) {
  const w = chartWords();
  const [isTable, setTable] = useState(false);
  const [isFailed, setFailed] = useState(false);
  /** The figures are there, whatever became of their drawing. */
  const fail = () => {
    setFailed(true);
    setTable(true);
  };
  useEffect(() => {
    if (isTable) onShown?.();
  }, [isTable]);
  const [alone] = useState(() => chartGroup());
  const looked = group ?? alone;
  const whole = span ?? { from: x[0] ?? 0, to: x.at(-1) ?? 0 };
  const wanted = { x, series, height, band, xLabel, hasGaps, span, group: looked, marks, limits, finer };
  const { place, drawnChart } = useDrawing(isTable ? null : wanted, {
    fail,
    onDrawn() {
      setFailed(false);
      if (onShown !== undefined) requestAnimationFrame(() => setTimeout(onShown));
    },
  });
  if (x.length === 0) {
    return (
      <>
        <h2>{title}</h2>
        <p class="empty">{w.noData}</p>
      </>
    );
  }
  return (
    <figure class="stack" aria-label={title}>
      <div class="row apart">
        <figcaption>
          <h2>{title}</h2>
        </figcaption>
        <div class="row nowrap chart-tools no-print">
          {isTable ? null : (
            <WorkButton
              look="quiet"
              aria-label={w.pictureOf(title)}
              title={w.picture}
              work={() => savePicture(drawnChart.current, { title, place: placeName, xLabel, whole, looked })}
            >
              <Icon name="download" size={18} />
            </WorkButton>
          )}
          <button type="button" class="button quiet small" onClick={() => setTable(!isTable)}>
            {isTable ? w.asChart : w.asTable}
          </button>
        </div>
      </div>
      {isFailed ? (
        <p class="note" role="status">
          <span class="grow">{w.notDrawn}</span>
          <WorkButton work={loadPageAnew}>{componentWords().tryAgain}</WorkButton>
        </p>
      ) : null}
      {isTable ? (
        <ChartTable {...{ x, series, xLabel, ...table }} />
      ) : (
        <>
          <div
            ref={place}
            class="chart"
            style={{ minHeight: `${height}px` }}
            tabIndex={0}
            role="slider"
            aria-label={w.hand(title)}
            aria-valuemin={0}
            aria-valuemax={x.length - 1}
            aria-valuenow={0}
          />
          <ZoomButtons group={looked} whole={whole} title={title}>
            {finerStand === null ? null : (
              <span class="muted small" role="status" data-finer={finerStand}>
                {w.finer[finerStand]}
              </span>
            )}
          </ZoomButtons>
        </>
      )}
    </figure>
  );
}

/**
 * The drawing in its place, made once and then told what else to show: whoever holds it with a finger, the pointer or the
 * keys keeps what they hold. Null: nothing is drawn.
 */
function useDrawing(wanted: Wanted | null, told: { fail: () => void; onDrawn: () => void }) {
  const place = useRef<HTMLDivElement>(null);
  const drawnChart = useRef<Drawn | null>(null);
  const latest = useRef({ wanted, ...told });
  latest.current = { wanted, ...told };
  // of another kind or group it is another drawing
  const kind = wanted === null || wanted.x.length === 0 ? null : isOverTime(wanted.x);
  // before the next frame: it has the place where the drawing will be
  useLayoutEffect(() => {
    const host = place.current;
    if (host === null || kind === null) return;
    let drawn: Drawn | null = null;
    let isGone = false;
    let giveUp: () => void = () => undefined;
    void drawing().then(
      ({ drawChart }) => {
        if (isGone) return;
        giveUp = takeTurn(host, () => {
          const now = latest.current;
          if (now.wanted === null) return;
          try {
            drawn = drawChart(host, now.wanted);
            drawnChart.current = drawn;
          } catch {
            return now.fail();
          }
          now.onDrawn();
        });
      },
      () => {
        if (!isGone) latest.current.fail();
      },
    );
    return () => {
      isGone = true;
      giveUp();
      drawn?.destroy();
      drawnChart.current = null;
    };
  }, [kind, wanted?.group]);
  const { x, series, height, band, hasGaps, span, marks, limits, finer } = wanted ?? {};
  useLayoutEffect(() => {
    if (wanted === null) return;
    try {
      drawnChart.current?.update(wanted);
    } catch {
      told.fail();
    }
  }, [x, series, height, band, hasGaps, span, marks, limits, finer]);
  return { place, drawnChart };
}

/** What fingers, wheel and keys do, for whoever has one pointer and no wheel. */
function ZoomButtons({
  group,
  whole,
  title,
  children,
}: {
  group: ChartGroup;
  whole: Range;
  title: string;
  children: ComponentChildren;
}) {
  const w = chartWords();
  const view = group.view.value;
  const zoom = (factor: number) => {
    const { from, to } = view ?? whole;
    group.view.value = zoomed(view, whole, factor, (from + to) / 2);
  };
  const pan = (share: number) => {
    group.view.value = panned(view, whole, share);
  };
  return (
    <div class="row chart-tools chart-zoom no-print">
      <Button look="quiet" aria-label={w.nearer(title)} title={w.nearer('')} onClick={() => zoom(2)}>
        +
      </Button>
      {view === null ? null : (
        <>
          <Button look="quiet" aria-label={w.farther(title)} title={w.farther('')} onClick={() => zoom(0.5)}>
            −
          </Button>
          <Button look="quiet" aria-label={w.earlier(title)} title={w.earlier('')} onClick={() => pan(-0.5)}>
            <Icon name="back" size={18} />
          </Button>
          <Button look="quiet" aria-label={w.later(title)} title={w.later('')} onClick={() => pan(0.5)}>
            <Icon name="next" size={18} />
          </Button>
          <Button look="quiet" data-whole onClick={() => (group.view.value = null)}>
            {w.whole}
          </Button>
          {children}
        </>
      )}
    </div>
  );
}

async function savePicture(
  drawn: Drawn | null,
  {
    title,
    place,
    xLabel,
    whole,
    looked,
  }: { title: string; place: string; xLabel: (x: number) => string; whole: Range; looked: ChartGroup },
): Promise<void> {
  const { from, to } = looked.view.value ?? whole;
  const told = [farm.value?.name ?? '', place].filter((word) => word !== '');
  try {
    const picture = await drawn?.picture({
      title,
      place: told.join(' · '),
      period: `${xLabel(from)} – ${xLabel(to)} · ${chartWords().madeOn(calendarDay(now.value))}`,
    });
    if (picture !== undefined) saveBlob(fileStem(...told, title, isoDay(now.value)) + '.png', picture);
  } catch (error) {
    toast(faultText(error));
  }
}

function ChartTable({ x, series, xLabel }: Pick<Props, 'x' | 'series'> & { xLabel: (x: number) => string }) {
  const w = chartWords();
  return (
    <div
      class="table-frame"
      style={{ maxHeight: '320px', overflowY: 'auto' }}
      tabIndex={0}
      role="region"
      aria-label={w.asTable}
    >
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{w.when}</th>
            {series.map(({ label, unit }) => (
              <th key={label} scope="col" class="number">
                {label} {unit === '' ? '' : `(${unit})`}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {x.map((at, index) => (
            <tr key={at}>
              <td>{xLabel(at)}</td>
              {series.map(({ label, values, decimals }) => (
                <td key={label} class="number">
                  {figure(values[index], decimals)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Draws when it is this chart's turn; what comes back gives the turn up. */
function takeTurn(host: HTMLElement, draw: () => void): () => void {
  const turn = { host, draw };
  waiting.add(turn);
  callNext();
  return () => waiting.delete(turn);
}

function callNext(): void {
  if (isCalled || waiting.size === 0) return;
  isCalled = true;
  if ([...waiting].some(isInSight)) setTimeout(serve);
  // not in every browser
  else if (typeof requestIdleCallback === 'function')
    requestIdleCallback(serve, { timeout: MOST_PATIENCE_MS });
  else setTimeout(serve, MOST_PATIENCE_MS / 4);
}

function serve(): void {
  isCalled = false;
  const inOrder = [...waiting].toSorted(fromTheTop);
  const turn = inOrder.find(isInSight) ?? inOrder[0];
  if (turn === undefined) return;
  waiting.delete(turn);
  try {
    turn.draw();
  } finally {
    callNext();
  }
}

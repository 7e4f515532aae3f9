import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { chartWords, componentWords } from '#words/components.ts';
import { loadPageAnew } from '../data/code.ts';
import { dayAndTime, figure } from '../i18n/format.ts';
import { WorkButton } from './button.tsx';

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

export type Series = {
  label: string;
  unit: string;
  decimals: number;
  /** One value per label; null: none. */
  values: readonly (number | null)[];
  /** What is expected, not measured. */
  dashed?: boolean;
  /** Thin and pale: how far single readings lie from the line that counts. */
  isEdge?: boolean;
};

/** What happened at instants of the line: an alarm above it, a meal below it. */
export type Marks = { label: string; shape: 'alarm' | 'meal'; at: readonly number[] };

/** The same as words: instants or figures down the side, and what belongs to them. */
export type Figures = {
  x: readonly number[];
  series: readonly Series[];
  xLabel?: (x: number) => string;
};

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
  /** Charts of one name show the same instant under the pointer. */
  together?: string | null;
  marks?: readonly Marks[];
  /** Called once there is something to be seen, be it the drawing or the table. */
  onShown?: () => void;
};

const NO_MARKS: readonly Marks[] = [];

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
  together = null,
  marks = NO_MARKS,
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
  const place = useRef<HTMLDivElement>(null);
  // before the next frame: it has the place where the drawing will be
  useLayoutEffect(() => {
    const host = place.current;
    if (host === null || isTable || x.length === 0) return;
    let drawn: { destroy: () => void } | null = null;
    let isGone = false;
    let giveUp: () => void = () => undefined;
    void drawing().then(
      ({ drawChart }) => {
        if (isGone) return;
        giveUp = takeTurn(host, () => {
          try {
            drawn = drawChart(host, { x, series, height, band, xLabel, hasGaps, span, together, marks });
          } catch {
            return fail();
          }
          setFailed(false);
          if (onShown !== undefined) requestAnimationFrame(() => setTimeout(onShown));
        });
      },
      () => {
        if (!isGone) fail();
      },
    );
    return () => {
      isGone = true;
      giveUp();
      drawn?.destroy();
    };
  }, [x, series, height, band, hasGaps, span, together, marks, isTable]);
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
        <button type="button" class="button quiet small" onClick={() => setTable(!isTable)}>
          {isTable ? w.asChart : w.asTable}
        </button>
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
        <div ref={place} class="chart" style={{ minHeight: `${height}px` }} aria-hidden="true" />
      )}
    </figure>
  );
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

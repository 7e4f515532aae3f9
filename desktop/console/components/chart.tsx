import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { dayAndTime, figure } from '../i18n/format.ts';
import { dictionary, language } from '../i18n/language.ts';
import { takeTurn } from './chart-turns.ts';

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

/** The same as words: instants or figures down the side, and what belongs to them. */
export type Figures = {
  x: readonly number[];
  series: readonly Series[];
  xLabel?: (x: number) => string;
};

const words = dictionary({
  'pt-BR': {
    asTable: 'Ver como tabela',
    asChart: 'Ver como gráfico',
    when: 'Quando',
    noData: 'Sem dados neste período',
  },
  en: {
    asTable: 'Show as a table',
    asChart: 'Show as a chart',
    when: 'When',
    noData: 'No data in this period',
  },
});

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
  /** Called once a drawing is on the screen. */
  onDrawn?: () => void;
};

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
  onDrawn,
}: Props) {
  const w = words();
  const [isTable, setTable] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  // before the next frame: it has the place where the drawing will be
  useLayoutEffect(() => {
    const host = place.current;
    if (host === null || isTable || x.length === 0) return;
    let drawn: { destroy: () => void } | null = null;
    let isGone = false;
    let giveUp: () => void = () => undefined;
    void drawing().then(({ drawChart }) => {
      if (isGone) return;
      giveUp = takeTurn(host, () => {
        drawn = drawChart(host, { x, series, height, band, xLabel });
        if (onDrawn !== undefined) requestAnimationFrame(() => setTimeout(onDrawn));
      });
    });
    return () => {
      isGone = true;
      giveUp();
      drawn?.destroy();
    };
  }, [x, series, height, band, isTable, language.value]);
  if (x.length === 0) return <p class="empty">{w.noData}</p>;
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
      {isTable ? (
        <ChartTable {...{ x, series, xLabel, ...table }} />
      ) : (
        <div ref={place} class="chart" style={{ minHeight: `${height}px` }} aria-hidden="true" />
      )}
    </figure>
  );
}

function ChartTable({ x, series, xLabel }: Pick<Props, 'x' | 'series'> & { xLabel: (x: number) => string }) {
  const w = words();
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

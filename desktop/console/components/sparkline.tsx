import { sparklineWords } from '#words/components.ts';
import { figure } from '../i18n/format.ts';

import { piecesOf, type Quarter } from '../state/oxygen-line.ts';

type Props = {
  /** With the lowest and highest figure of each. */
  quarters: readonly Quarter[];
  /** Both ends of the line in time. */
  from: number;
  to: number;
  /** Drawn thin: below it is not good; null: that is not known. */
  limit: number | null;
  decimals: number;
  unit: string;
  days?: number;
  /** Its lowest and highest figures stand below it, for everybody. */
  isTold?: boolean;
};

const WIDTH = 100;
const HEIGHT = 28;

/** A day, or some, in one small line. Its lowest and highest figures are told to those who do not see it. */
export function Sparkline({ quarters, from, to, limit, decimals, unit, days = 1, isTold = false }: Props) {
  const pieces = piecesOf(quarters);
  if (pieces.flat().length < 2) return null;
  const lowest = Math.min(...quarters.map(({ low }) => low));
  const highest = Math.max(...quarters.map(({ high }) => high));
  // so much that what stands on the edge is seen: 0.2 mg/L of oxygen
  const margin = 2 / 10 ** decimals;
  const floor = Math.min(lowest, limit ?? lowest) - margin;
  const ceiling = Math.max(highest, limit ?? highest) + margin;
  const x = (at: number) => ((at - from) / (to - from)) * WIDTH;
  const y = (value: number) => HEIGHT - ((value - floor) / (ceiling - floor)) * HEIGHT;
  const point = ({ at, value }: { at: number; value: number }) =>
    `${x(at).toFixed(1)},${y(value).toFixed(1)}`;
  // a piece of one reading is a dot
  const path = pieces
    .map((piece) => `M${piece.map(point).join('L')}${piece.length === 1 ? 'h.1' : ''}`)
    .join('');
  const told = sparklineWords().told(days, figure(lowest, decimals), figure(highest, decimals), unit);
  const line = (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={told}
    >
      {limit === null ? null : <line x1="0" x2={WIDTH} y1={y(limit)} y2={y(limit)} class="sparkline-limit" />}
      <path d={path} class="sparkline-line" />
    </svg>
  );
  if (!isTold) return line;
  return (
    <>
      {line}
      <span class="small" aria-hidden="true">
        {told}
      </span>
    </>
  );
}

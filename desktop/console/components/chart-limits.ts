import UPlot from 'uplot';
import type { Limit } from './chart-lines.ts';

const LETTERS = 12;
/** The name begins so far from the axis, and stands so far above its line. */
const BESIDE = 6;
const ABOVE = 4;

/** From the least to the most of what is seen, and to the limits that are always seen. */
export function rangeOf(
  low: number | null,
  high: number | null,
  limits: readonly Limit[],
): UPlot.Range.MinMax {
  const kept = limits.filter(({ isAlwaysSeen }) => isAlwaysSeen === true).map(({ value }) => value);
  const all = [...(low === null ? [] : [low]), ...(high === null ? [] : [high]), ...kept];
  if (all.length === 0) return [0, 1];
  const [least, most] = [Math.min(...all), Math.max(...all)];
  // figures that are all the same would be drawn over an axis from nothing to their double
  const around = least === most ? Math.max(Math.abs(least) / 20, 0.01) : 0;
  const [from, to] = UPlot.rangeNum(least - around, most + around, 0.1, true);
  // nothing weighs less than nothing
  return [least < 0 ? from : Math.max(from ?? 0, 0), to];
}

/** Across the whole chart, each with its name at the left, where the oldest readings are. */
export function drawLimits(
  plot: UPlot,
  limits: readonly Limit[],
  colours: { line: string; text: string; ground: string },
): void {
  const { ctx, bbox } = plot;
  const scale = UPlot.pxRatio;
  ctx.save();
  ctx.font = `${LETTERS * scale}px system-ui, sans-serif`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'alphabetic';
  ctx.lineJoin = 'round';
  for (const { label, value, isGrave } of limits) {
    const y = plot.valToPos(value, 'y', true);
    if (y < bbox.top || y > bbox.top + bbox.height) continue;
    ctx.strokeStyle = colours.line;
    ctx.lineWidth = (isGrave === true ? 2.5 : 1.5) * scale;
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    const isAtTop = y - (LETTERS + ABOVE) * scale < bbox.top;
    const at = [bbox.left + BESIDE * scale, y + (isAtTop ? LETTERS + ABOVE : -ABOVE) * scale] as const;
    // a line that passes behind the name does not strike it out
    ctx.strokeStyle = colours.ground;
    ctx.lineWidth = 3 * scale;
    ctx.strokeText(label, ...at);
    ctx.fillStyle = colours.text;
    ctx.fillText(label, ...at);
  }
  ctx.restore();
}

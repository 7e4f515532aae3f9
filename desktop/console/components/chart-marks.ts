import type UPlot from 'uplot';
import type { Marks, Series } from './chart-lines.ts';

/** How a line looks where it is named. */
export type Look = { label: string; tone: string; width: number; dash: readonly number[] };

const DASHES = [[], [10, 5], [2, 4], [10, 4, 2, 4]] as const;
const EXPECTED_DASH = [6, 6] as const;
/** Lines that are compared: told apart by tone, dash and name. */
const TONES = ['--text', '--line-2', '--line-3', '--line-4'] as const;

export const lookOf = ({ label, dashed, isEdge, tone }: Series, index: number): Look =>
  isEdge === true
    ? { label, tone: '--muted', width: 1, dash: [] }
    : {
        label,
        tone: TONES[tone ?? 0] ?? '--text',
        width: dashed === true ? 1.5 : 2,
        dash: dashed === true ? EXPECTED_DASH : (DASHES[index % DASHES.length] ?? []),
      };

const SIGNS = { alarm: '▼', meal: '❘', treatment: '◆', running: '▬' } as const satisfies Record<
  Marks['shape'],
  string
>;
export const signOf = ({ shape }: Marks): string => SIGNS[shape];
export const isThere = (mark: Marks): boolean =>
  mark.shape === 'running' ? mark.spans.length > 0 : mark.at.length > 0;

/**
 * Alarms hang from the upper edge, treatments stand in the middle of the lower one, meals on it, and a bar along it while a
 * motor was ordered to run: none of them hides the line.
 */
export function drawMarks(
  plot: UPlot,
  marks: readonly Marks[],
  colours: { text: string; run: string },
): void {
  const { ctx, bbox } = plot;
  const size = 5 * devicePixelRatio;
  const bottom = bbox.top + bbox.height;
  const xOf = (instant: number) => plot.valToPos(instant, 'x', true);
  const within = (x: number) => Math.min(Math.max(x, bbox.left), bbox.left + bbox.width);
  ctx.save();
  ctx.fillStyle = colours.text;
  for (const mark of marks) {
    if (mark.shape === 'running') {
      ctx.fillStyle = colours.run;
      for (const { from, to } of mark.spans) {
        const left = within(xOf(from));
        ctx.fillRect(left, bottom - 0.8 * size, within(xOf(to)) - left, 0.8 * size);
      }
      ctx.fillStyle = colours.text;
      continue;
    }
    for (const x of mark.at.map(xOf)) {
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      if (mark.shape === 'meal') {
        ctx.fillRect(x - size / 5, bottom - 3 * size, (2 * size) / 5, 3 * size);
        continue;
      }
      const corners: [number, number][] =
        mark.shape === 'alarm'
          ? [
              [x - size, bbox.top],
              [x + size, bbox.top],
              [x, bbox.top + 1.6 * size],
            ]
          : [
              [x, bottom - 6 * size],
              [x + size, bottom - 5 * size],
              [x, bottom - 4 * size],
              [x - size, bottom - 5 * size],
            ];
      ctx.beginPath();
      for (const [across, down] of corners) ctx.lineTo(across, down);
      ctx.fill();
    }
  }
  ctx.restore();
}

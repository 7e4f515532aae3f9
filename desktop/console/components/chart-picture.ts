import type UPlot from 'uplot';
import type { Limit, Marks } from './chart-lines.ts';
import { isThere, type Look, signOf } from './chart-marks.ts';

/** What a picture says of itself, for whoever gets it without the page. */
export type Picture = { title: string; place: string; period: string };

type Shown = {
  series: readonly Look[];
  marks: readonly Marks[];
  limits: readonly Limit[];
  about: Picture;
};

const HEAD = 62;
const LINE = 20;
const PADDING = 12;

/** The drawing as it stands, with the words of the page around it, on the ground of its theme. */
export async function pictureOf(
  plot: UPlot,
  host: HTMLElement,
  { series, marks, limits, about }: Shown,
): Promise<Blob> {
  const style = getComputedStyle(host);
  const colour = (name: string) => style.getPropertyValue(name);
  const drawn = plot.ctx.canvas;
  const scale = drawn.width / Math.max(plot.width, 1);
  const canvas = host.ownerDocument.createElement('canvas');
  const pen = canvas.getContext('2d');
  if (pen === null) throw new Error('this browser draws no pictures');
  const names = rowsOf(pen, plot.width, [
    ...series.map((look) => ({ look, text: look.label })),
    ...marks.filter(isThere).map((mark) => ({ look: null, text: `${signOf(mark)} ${mark.label}` })),
    ...limits.map(({ label }) => ({ look: null, text: `― ${label}` })),
  ]);
  canvas.width = drawn.width + 2 * PADDING * scale;
  canvas.height = drawn.height + (HEAD + names.length * LINE + 2 * PADDING) * scale;
  pen.fillStyle = colour('--card');
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(drawn, PADDING * scale, (HEAD + PADDING) * scale);
  pen.scale(scale, scale);
  pen.fillStyle = colour('--text');
  pen.font = '600 16px system-ui, sans-serif';
  pen.fillText(about.title, PADDING, PADDING + 18);
  pen.font = FONT;
  pen.fillText(about.place, PADDING, PADDING + 38);
  pen.fillStyle = colour('--muted');
  pen.fillText(about.period, PADDING, PADDING + 56);
  names.forEach((row, index) => {
    const y = HEAD + PADDING + plot.height + (index + 0.8) * LINE;
    for (const { look, text, left } of row) {
      if (look !== null) {
        pen.strokeStyle = colour(look.tone);
        pen.lineWidth = look.width;
        pen.setLineDash([...look.dash]);
        pen.beginPath();
        pen.moveTo(PADDING + left, y - 4);
        pen.lineTo(PADDING + left + SAMPLE, y - 4);
        pen.stroke();
      }
      pen.fillStyle = colour('--text');
      pen.fillText(text, PADDING + left + (look === null ? 0 : SAMPLE + 6), y);
    }
  });
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) =>
      blob === null ? reject(new Error('this browser makes no picture')) : resolve(blob),
    );
  });
}

const FONT = '13px system-ui, sans-serif';
const SAMPLE = 28;

/** The names one after the other, in as many rows as they need. */
function rowsOf(
  pen: CanvasRenderingContext2D,
  width: number,
  names: readonly { look: Look | null; text: string }[],
) {
  const rows: { look: Look | null; text: string; left: number }[][] = [];
  let left = Number.POSITIVE_INFINITY;
  pen.font = FONT;
  for (const { look, text } of names) {
    const wide = pen.measureText(text).width + (look === null ? 0 : SAMPLE + 6);
    if (left + wide > width) {
      rows.push([]);
      left = 0;
    }
    rows.at(-1)?.push({ look, text, left });
    left += wide + 18;
  }
  return rows;
}

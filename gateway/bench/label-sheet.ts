import { encode } from 'uqr';
import { inEach } from '#core/each-language.ts';
import type { Language } from '#core/notifying.ts';

// Labels for controllers, 24 on a sheet of A4 (3 × 8, 70 × 37 mm, edge to edge, as sticker sheets are sold).

export type Label = {
  device_id: string;
  /** What a person who stands before the board can read and nobody else; null: it has the label it came with, or none. */
  claim: string | null;
  /** Code of the control point; null: not bound to one. */
  code: string | null;
  farm: string | null;
  ponds: readonly string[];
};

/** Of the page, as a browser heads what it prints. */
const TITLE = inEach('Controladores', 'Controllers', 'Controladores');

const PER_ROW = 3;
const PER_SHEET = 24;
const WIDTH_MM = 70;
const HEIGHT_MM = 37.125;
const QR_MM = 29;
const MARGIN_MM = 4;

/**
 * What the QR code says; null without a claim. Identifiers may hold colons; the claim never does, so it is what stands
 * behind the last one.
 */
export function labelPayload({ device_id, claim }: Pick<Label, 'device_id' | 'claim'>): string | null {
  return claim === null ? null : `SF1:${device_id}:${claim}`;
}

/** For a terminal, a log, or a printer of plain text. */
export function labelText(label: Label): string {
  const payload = labelPayload(label);
  const lines = [
    label.code ?? label.device_id,
    `id ${label.device_id}`,
    ...(label.claim === null ? [] : [`claim ${inFours(label.claim)}`]),
    ...(label.farm === null ? [] : [label.farm]),
    ...(label.ponds.length === 0 ? [] : [label.ponds.join(', ')]),
    ...(payload === null ? [] : [payload]),
  ];
  return `${lines.join('\n')}\n`;
}

/** One label as a picture of its own size. */
export function labelSvg(label: Label): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH_MM}mm" height="${HEIGHT_MM}mm" viewBox="0 0 ${WIDTH_MM} ${HEIGHT_MM}">${drawing(label)}</svg>`;
}

/** Whole sheets as pictures, to be printed at 100 %. */
export function labelSheets(labels: readonly Label[]): string[] {
  const count = Math.max(1, Math.ceil(labels.length / PER_SHEET));
  return Array.from({ length: count }, (_, at) =>
    sheetSvg(labels.slice(at * PER_SHEET, (at + 1) * PER_SHEET)),
  );
}

/** The one style sheet of the page. */
export const LABEL_PAGE_STYLE =
  '@page{size:A4;margin:0}html,body{margin:0;padding:0}svg{display:block;width:210mm;height:297mm;break-after:page}';

/** A page that a browser prints: one sheet after the other. */
export function labelPage(labels: readonly Label[], language: Language): string {
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${TITLE[language]}</title><style>${LABEL_PAGE_STYLE}</style></head><body>${labelSheets(labels).join('')}</body></html>`;
}

function sheetSvg(labels: readonly Label[]): string {
  const placed = labels.map((label, i) => {
    const x = (i % PER_ROW) * WIDTH_MM;
    const y = Math.floor(i / PER_ROW) * HEIGHT_MM;
    return `<g transform="translate(${x} ${y})">${drawing(label)}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="210mm" height="297mm" viewBox="0 0 210 297">${placed.join('')}</svg>`;
}

function drawing(label: Label): string {
  const rows = [
    { text: label.code ?? '', size: 5, most: 12, family: 'sans-serif', weight: 'bold' },
    ...halves(label.device_id).map((text) => ({
      text,
      size: 2.6,
      most: 20,
      family: 'monospace',
      weight: 'normal',
    })),
    {
      text: label.claim === null ? '' : inFours(label.claim),
      size: 2.8,
      most: 20,
      family: 'monospace',
      weight: 'bold',
    },
    { text: label.farm ?? '', size: 2.6, most: 22, family: 'sans-serif', weight: 'normal' },
    { text: label.ponds.join(', '), size: 2.6, most: 22, family: 'sans-serif', weight: 'normal' },
  ].filter(({ text }) => text !== '');
  let y = MARGIN_MM + 1;
  const lines = rows.map(({ text, size, most, family, weight }) => {
    y += size * 1.25;
    const shown = cut(text, most, family);
    return `<text x="${MARGIN_MM + QR_MM + 2}" y="${y.toFixed(2)}" font-family="${family}" font-weight="${weight}" font-size="${size}">${escaped(shown)}</text>`;
  });
  const payload = labelPayload(label);
  const code = payload === null ? '' : qrPath(payload);
  return `<g transform="translate(${MARGIN_MM} ${MARGIN_MM})">${code}</g>${lines.join('')}`;
}

/** As it is read out and typed; hyphens do not count. */
const inFours = (claim: string) => claim.replaceAll(/(.{4})(?=.)/g, '$1-');

/** Of an identifier that is too long the end is shown, where it differs from others; of a name its beginning. */
function cut(text: string, most: number, family: string): string {
  if (text.length <= most) return text;
  return family === 'monospace' ? `…${text.slice(1 - most)}` : `${text.slice(0, most - 1)}…`;
}

function halves(text: string): string[] {
  return text.length <= 20 ? [text] : [text.slice(0, 20), text.slice(20)];
}

/** Dark modules as one path of `QR_MM` millimetres; the quiet zone is the white of the label. */
function qrPath(payload: string): string {
  const { data, size } = encode(payload, { ecc: 'M', border: 0 });
  const runs = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => {
      if (!isDark || row[x - 1] === true) return [];
      const end = row.indexOf(false, x);
      return [`M${x} ${y}h${(end === -1 ? size : end) - x}v1H${x}z`];
    }),
  );
  return `<path transform="scale(${(QR_MM / size).toFixed(5)})" fill="#000" d="${runs.join('')}"/>`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll(/\p{Cc}/gu, ' ');
}

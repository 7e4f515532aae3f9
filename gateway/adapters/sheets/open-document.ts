import { type Part, unpacked } from './zip-parts.ts';

/** What nobody sees who looks at a sheet; rows and columns counted from 0. */
export type Unseen = { isWhole: boolean; rows: ReadonlySet<number>; columns: readonly number[] };

const TAGS = /<(table:table(?:-row|-column)?|style:(?:style|table-properties))(?=[\s/>])([^>]*)>/g;
const HIDDEN = /\btable:visibility="(?:collapse|filter)"/;

/** Of the sheets of LibreOffice in their order: what is hidden or filtered out, which the library does not tell. */
export async function unseenIn(
  parts: readonly Part[],
  { rows, columns }: { rows: number; columns: number },
): Promise<Unseen[]> {
  const content = parts.find(({ name }) => name === 'content.xml');
  if (content === undefined) return [];
  const pieces: Buffer[] = [];
  for await (const piece of unpacked(content)) pieces.push(piece);
  const sheets: { isWhole: boolean; rows: Set<number>; columns: number[] }[] = [];
  const unseenStyles = new Set<string>();
  let [style, row, column] = ['', 0, 0];
  for (const [, tag, attributes = ''] of Buffer.concat(pieces).toString('utf8').matchAll(TAGS)) {
    const sheet = sheets.at(-1);
    const repeated = Number(/-repeated="(\d{1,7})"/.exec(attributes)?.[1] ?? 1);
    if (tag === 'style:style') style = /\bstyle:name="([^"]*)"/.exec(attributes)?.[1] ?? '';
    else if (tag === 'style:table-properties') {
      if (/\btable:display="false"/.test(attributes)) unseenStyles.add(style);
    } else if (tag === 'table:table') {
      [row, column] = [0, 0];
      const isWhole = unseenStyles.has(/\btable:style-name="([^"]*)"/.exec(attributes)?.[1] ?? '');
      sheets.push({ isWhole, rows: new Set(), columns: [] });
    } else if (tag === 'table:table-column') {
      if (HIDDEN.test(attributes))
        for (let at = column; at < Math.min(column + repeated, columns); at += 1) sheet?.columns.push(at);
      column += repeated;
    } else {
      if (HIDDEN.test(attributes))
        for (let at = row; at < Math.min(row + repeated, rows); at += 1) sheet?.rows.add(at);
      row += repeated;
    }
  }
  return sheets;
}

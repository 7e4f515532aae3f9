import { type CellObject, read, SSF, utils } from '@e965/xlsx';
import type { App } from './app.ts';

/** A file as it comes, byte by byte. */
export async function fetchFile(
  app: App,
  { token, language = 'en' }: { token: string; language?: string },
  path: string,
): Promise<{ status: number; type: string; name: string; bytes: Uint8Array }> {
  const response = await fetch(`${app.base}/api/v1${path}`, {
    headers: { Authorization: `Bearer ${token}`, 'Accept-Language': language },
  });
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    name: response.headers.get('content-disposition') ?? '',
    bytes: new Uint8Array(await response.arrayBuffer()),
  };
}

export type SheetRead = { name: string; head: string[]; rows: CellObject[][] };

/** A workbook by the library that imports read with: cells as they are typed. */
export function sheetsIn(bytes: Uint8Array): SheetRead[] {
  const book = read(bytes, { type: 'array', dense: true, cellNF: true, cellFormula: true, cellStyles: true });
  return book.SheetNames.map((name) => {
    const sheet = book.Sheets[name];
    const width = utils.decode_range(sheet?.['!ref'] ?? 'A1').e.c + 1;
    const [first = [], ...others] = (sheet?.['!data'] ?? []) as CellObject[][];
    const cells = (line: CellObject[] | undefined) =>
      Array.from({ length: width }, (_, at) => line?.[at] ?? ({ t: 'z' } as CellObject));
    return { name, head: cells(first).map(({ v }) => String(v)), rows: others.map(cells) };
  });
}

/** A cell as the CSV file writes the same value. */
export function asCsvCell({ t, v, z }: CellObject): string {
  if (t === 'z' || v === undefined) return '';
  if (t !== 'n') return String(v);
  const format = String(z ?? '');
  if (!SSF.is_date(format)) return String(v);
  const at = new Date(Math.round((Number(v) - 25_569) * 86_400) * 1_000);
  if (Number(v) < 1) return new Date(Math.round(Number(v) * 86_400) * 1_000).toISOString().slice(11, 19);
  return /h/.test(format) ? at.toISOString().slice(0, 19).replace('T', ' ') : at.toISOString().slice(0, 10);
}

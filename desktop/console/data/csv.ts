import { BYTE_ORDER_MARK, type Cell, csvRows } from '#contract/csv-cells.ts';
import { spoken } from '#words/language.ts';

// Files made of what is shown, in the separators of the reader's spreadsheet, as the files of the gateway.

export function csvOf(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const row = csvRows({ separator: spoken.decimalSign === ',' ? 'semicolon' : 'comma' });
  return [head, ...rows].map(row).join('');
}

/** `V-07-Oxigenio-dissolvido-2026-03-02`: the words of the screen, in letters that every system takes. */
export const fileStem = (...words: readonly string[]): string =>
  words
    .join('-')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/-$/, '');

export const fileName = (...words: readonly string[]): string => `${fileStem(...words)}.csv`;

export const saveFile = (name: string, text: string): void =>
  saveBlob(name, new Blob([BYTE_ORDER_MARK, text], { type: 'text/csv;charset=utf-8' }));

export function saveBlob(name: string, blob: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

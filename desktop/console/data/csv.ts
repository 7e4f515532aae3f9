import { language } from '../i18n/language.ts';

// Files made of what is shown, in the separators of the reader's spreadsheet: as the files of the gateway (csv-text there).

type Cell = string | number | null;

/** More are no figure any more but what binary fractions leave of one. */
const MOST_DIGITS = 12;

export function csvOf(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const isLocal = language.value === 'pt-BR';
  const cell = (value: Cell): string => {
    if (value === null) return '';
    if (typeof value === 'number') {
      const digits = String(Number(value.toPrecision(MOST_DIGITS)));
      return isLocal ? digits.replace('.', ',') : digits;
    }
    // a cell that begins like a formula would be run by a spreadsheet
    const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
    return /[",;\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [head, ...rows].map((row) => row.map(cell).join(isLocal ? ';' : ',')).join('\r\n');
}

/** `V-07-Oxigenio-dissolvido-2026-03-02.csv`: the words of the screen, in letters that every system takes. */
export const fileName = (...words: readonly string[]): string =>
  `${words
    .join('-')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')}.csv`;

export function saveFile(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

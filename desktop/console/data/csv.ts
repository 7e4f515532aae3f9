// Files made of what is shown. Figures with a point, separated by commas: what every spreadsheet reads.

const cell = (value: string | number | null): string => {
  if (value === null) return '';
  const text = String(value);
  // a cell that begins like a formula would be run by a spreadsheet
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

export const csvOf = (
  head: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string => [head, ...rows].map((row) => row.map(cell).join(',')).join('\r\n');

/** `V-07-Oxigenio-dissolvido-2026-03-02.csv`: the words of the screen, in letters that every system takes. */
export const fileName = (...words: readonly string[]): string =>
  `${words
    .join('-')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')}.csv`;

export function saveFile(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(['﻿', text], { type: 'text/csv;charset=utf-8' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

import { columnNames } from '#words/imports.ts';
import { waterWords } from '#words/water.ts';

export function columnName(column: string): string {
  const known: Readonly<Record<string, string>> = { ...waterWords().name, ...columnNames() };
  return known[column] ?? column;
}

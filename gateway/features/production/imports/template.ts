import type { ImportKind } from '#contract/resources/imports.ts';
import type { Language } from '#science/advice/language.ts';
import { COLUMNS } from './columns.ts';
import { examplesOf } from './read-rows.ts';

const BYTE_ORDER_MARK = '\uFEFF';

/** A file to fill in: the headings in the reader's language, and one example below them, ready for a spreadsheet. */
export function templateOf(kind: ImportKind, language: Language): string {
  const columns = COLUMNS[kind];
  const isPortuguese = language === 'pt-BR';
  const headings = columns.map(({ name, aliases }) => (isPortuguese ? aliases[0] : name));
  const examples = columns.map((column) => examplesOf(column)[isPortuguese ? 0 : 1]);
  const separator = isPortuguese ? ';' : ',';
  return `${BYTE_ORDER_MARK}${headings.join(separator)}\r\n${examples.join(separator)}\r\n`;
}

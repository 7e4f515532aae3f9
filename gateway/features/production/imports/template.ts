import type { ImportKind } from '#contract/resources/imports.ts';
import type { Language } from '#science/advice/language.ts';
import { COLUMNS } from './columns.ts';
import { exampleIn } from './read-rows.ts';
import { SPANISH_NAMES } from './spanish-columns.ts';

const BYTE_ORDER_MARK = '\uFEFF';

/** A file to fill in: the headings in the reader's language, and one example below them, ready for a spreadsheet. */
export function templateOf(kind: ImportKind, language: Language): string {
  const columns = COLUMNS[kind];
  const headings = columns.map(
    ({ name, aliases }) =>
      ({ 'pt-BR': aliases[0], en: name, es: SPANISH_NAMES[name]?.[0] ?? name })[language],
  );
  const examples = columns.map((column) => exampleIn(language, column));
  const separator = language === 'en' ? ',' : ';';
  return `${BYTE_ORDER_MARK}${headings.join(separator)}\r\n${examples.join(separator)}\r\n`;
}

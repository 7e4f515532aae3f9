/**
 * Reads RFC 4180 to the letter, sign by sign: what a strict program sees. Throws on a quote where none may stand, on a
 * line end that is not CRLF and on a last line without one.
 */
export function readStrictCsv(text: string, separator = ','): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      at += 1;
      for (;;) {
        if (at >= text.length) throw new Error('a quoted cell never ends');
        if (text[at] !== '"') {
          cell += text[at];
          at += 1;
        } else if (text[at + 1] === '"') {
          cell += '"';
          at += 2;
        } else {
          at += 1;
          break;
        }
      }
    } else {
      while (at < text.length && text[at] !== separator && text[at] !== '\r' && text[at] !== '\n') {
        if (text[at] === '"') throw new Error(`a bare quote in ${cell}`);
        cell += text[at];
        at += 1;
      }
    }
    row.push(cell);
    if (text[at] === separator) {
      at += 1;
      if (at === text.length) throw new Error('the file ends after a separator');
    } else if (text[at] === '\r' && text[at + 1] === '\n') {
      rows.push(row);
      row = [];
      at += 2;
    } else {
      throw new Error(`neither separator nor CRLF after ${JSON.stringify(cell)}`);
    }
  }
  return rows;
}

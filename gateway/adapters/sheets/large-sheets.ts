import { SheetTrouble } from './sheet-trouble.ts';
import { archiveOf, type Part, storedPart, unpacked } from './zip-parts.ts';

// SheetJS holds a sheet as text and as cells at once, some thirty times as much as the file takes: a sheet of a year of
// one-minute readings is given to it some thousand rows at a time, as workbooks that are otherwise the same.

const SHEET_PART = /^xl\/worksheets\/[^/]+\.xml$/;
const SHARED_TEXTS = /^xl\/sharedStrings\.xml$/i;
/** Read with each piece anew. */
const MOST_SHARED_BYTES = 8 * 1_048_576;
/** What stands before the rows, and what behind: widths of columns, merged cells. */
const MOST_FRAME_BYTES = 2 * 1_048_576;
/** Longer than the opening tag of a row, and than any mark that is looked for. */
const OVERLAP = 400;

/** Sheets of fewer than `wholeBytes` are read whole, larger ones in pieces of some `pieceBytes`. */
type Bounds = { rows: number; wholeBytes: number; pieceBytes: number };
/** Where the rows of a sheet may be cut, in bytes of the part; the first cut is where they begin, the last where they end. */
type Cuts = { head: Buffer; cuts: number[]; tail: Buffer };
type Surveyed = { lastRow: number; cuts: Cuts | null };

/** The workbook without the rows of its large sheets, and each of those in pieces. */
export type InPieces = {
  rest: () => Uint8Array;
  sheets: { pieces: () => AsyncGenerator<Uint8Array> }[];
};

/**
 * Unpacks every part once, so that what the archive says of sizes is proved, and refuses sheets with values below the
 * bound of rows. Answers null for a workbook that is to be read whole. Throws SheetTrouble.
 */
export async function inPieces(
  parts: readonly Part[],
  { rows, wholeBytes, pieceBytes }: Bounds,
): Promise<InPieces | null> {
  const large: { part: Part; cuts: Cuts }[] = [];
  let mustBeWhole = false;
  for (const part of parts) {
    if (!SHEET_PART.test(part.name)) {
      for await (const piece of unpacked(part)) void piece;
      if (SHARED_TEXTS.test(part.name) && part.size > MOST_SHARED_BYTES) mustBeWhole = true;
      continue;
    }
    const { lastRow, cuts } = await survey(part, pieceBytes);
    if (lastRow > rows) throw new SheetTrouble(`The workbook has rows below row ${rows}: send it in parts`);
    if (part.size > wholeBytes && cuts !== null) large.push({ part, cuts });
  }
  if (large.length === 0 || mustBeWhole) return null;
  const isLarge = (part: Part) => large.some((each) => each.part === part);
  return {
    rest: () => archiveOf(parts.map((part) => (isLarge(part) ? emptied(part) : part))),
    sheets: large.map(({ part, cuts }) => ({
      async *pieces() {
        for await (const rows of piecesOf(part, cuts))
          yield archiveOf(
            parts.map((each) => {
              if (each === part) return storedPart(part.name, Buffer.concat([cuts.head, rows, cuts.tail]));
              return SHEET_PART.test(each.name) ? emptied(each) : each;
            }),
          );
      },
    })),
  };
}

const EMPTY_SHEET = Buffer.from(
  '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData/></worksheet>',
);
const emptied = ({ name }: Part): Part => storedPart(name, EMPTY_SHEET);

/** Looks through the text of a sheet once, as it is unpacked. */
async function survey(part: Part, pieceBytes: number): Promise<Surveyed> {
  const look = createLook(pieceBytes);
  let kept: Buffer = Buffer.alloc(0);
  let at = 0;
  for await (const piece of unpacked(part)) {
    const text = kept.length === 0 ? piece : Buffer.concat([kept, piece]);
    const sure = Math.max(0, text.length - OVERLAP);
    look.at(text, { offset: at, sure });
    kept = Buffer.from(text.subarray(sure));
    at += sure;
  }
  look.at(kept, { offset: at, sure: kept.length });
  return look.found();
}

function createLook(pieceBytes: number) {
  let row = 0;
  let lastRow = 0;
  let head: Buffer = Buffer.alloc(0);
  let tail: Buffer[] | null = null;
  const cuts: number[] = [];
  let isWhole = false;

  /** The last row that holds something, however many below it are only coloured. */
  function lookForRows(text: Buffer, sure: number): void {
    const value = Math.max(text.lastIndexOf('</v>', sure - 1), text.lastIndexOf('</is>', sure - 1));
    const before = value === -1 ? -1 : text.lastIndexOf('<row ', value);
    if (value !== -1) lastRow = before === -1 ? row : (numberAt(text, before) ?? 0);
    const last = text.lastIndexOf('<row ', sure - 1);
    if (last !== -1) row = numberAt(text, last) ?? 0;
  }

  function lookForFrame(text: Buffer, offset: number, sure: number): void {
    let from = 0;
    if (cuts.length === 0) {
      const begin = text.indexOf(ROWS_BEGIN);
      if (begin === -1 || begin >= sure) {
        head = Buffer.concat([head, text.subarray(0, sure)]);
        if (head.length > MOST_FRAME_BYTES) isWhole = true;
        return;
      }
      from = begin + ROWS_BEGIN.length;
      head = Buffer.concat([head, text.subarray(0, from)]);
      cuts.push(offset + from);
    }
    if (tail === null) {
      const end = text.indexOf(ROWS_END, from);
      const isLast = end !== -1 && end < sure;
      lookForCuts(text, { offset, from, to: isLast ? end : sure });
      if (!isLast) return;
      cuts.push(offset + end);
      tail = [];
      from = end;
    }
    tail.push(Buffer.from(text.subarray(from, sure)));
    if (tail.reduce((sum, { length }) => sum + length, 0) > MOST_FRAME_BYTES) isWhole = true;
  }

  function lookForCuts(
    text: Buffer,
    { offset, from, to }: { offset: number; from: number; to: number },
  ): void {
    for (;;) {
      const next = text.indexOf('<row ', Math.max(from, (cuts.at(-1) ?? 0) + pieceBytes - offset));
      if (next === -1 || next >= to) return;
      // a row that does not say its number would be taken for the first of its piece
      if (numberAt(text, next) === null) isWhole = true;
      cuts.push(offset + next);
    }
  }

  return {
    /** `text` begins at `offset` of the part; what begins at `sure` or behind comes again. */
    at(text: Buffer, { offset, sure }: { offset: number; sure: number }): void {
      if (sure === 0) return;
      lookForRows(text, sure);
      if (isWhole) return;
      // the formula that others share stands in one piece alone
      if (text.includes('t="shared"')) isWhole = true;
      else lookForFrame(text, offset, sure);
    },
    found(): Surveyed {
      if (isWhole || tail === null) return { lastRow, cuts: null };
      return { lastRow, cuts: { head, cuts, tail: Buffer.concat(tail) } };
    },
  };
}

const ROWS_BEGIN = '<sheetData>';
const ROWS_END = '</sheetData>';

/** The number of the row whose tag begins there; null where it does not say it. */
function numberAt(text: Buffer, at: number): number | null {
  const tag = text.toString('latin1', at, at + 200);
  const said = /^<row [^>]*?\br="(\d+)"/.exec(tag)?.[1];
  return said === undefined ? null : Number(said);
}

/** The rows between each two cuts, as bytes. */
async function* piecesOf(part: Part, { cuts }: Cuts): AsyncGenerator<Buffer> {
  const [begin = 0, ...ends] = cuts;
  let from = begin;
  let at = 0;
  let held: Buffer[] = [];
  let next = ends.shift();
  for await (const text of unpacked(part)) {
    while (next !== undefined && next <= at + text.length) {
      held.push(text.subarray(Math.max(0, from - at), next - at));
      yield Buffer.concat(held);
      held = [];
      from = next;
      next = ends.shift();
    }
    if (next === undefined) return;
    if (from < at + text.length) held.push(Buffer.from(text.subarray(Math.max(0, from - at))));
    at += text.length;
  }
}

import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { SheetRow, WorkbookTold } from '#adapters/sheets/read-workbook.ts';
import { SheetTrouble } from '#adapters/sheets/sheet-trouble.ts';

/** What the process says: rows of a sheet as JSON, and at last what kind of file it was and in which order its sheets stand. */
export type SheetAnswer =
  | { sheet: string; rows: Uint8Array }
  | WorkbookTold
  | { trouble: string }
  | { failure: string };

/** A row on its way. */
export type RowSent = Omit<SheetRow, 'carried'> & { carried?: [number, string | number][] };

export type Workbook = {
  file: WorkbookTold['file'];
  sheets: { name: string; rows: () => Iterable<SheetRow> }[];
};

const FILE = fileURLToPath(new URL('./sheet-child.ts', import.meta.url));
const FLAGS = [
  '--max-semi-space-size=2',
  '--max-old-space-size=256',
  '--import',
  new URL('../../../scripts/require-node.mjs', import.meta.url).href,
];
/** A workbook of 100,000 rows is read in some 20 seconds on a box; one that takes much longer was made to. */
const WITHIN_MS = 120_000;
const MOST_MEMORY_BYTES = 512 * 1_048_576;
const LOOK_EVERY_MS = 250;
const PAGE_BYTES = 4096;

/**
 * Reads a workbook in a process of its own, which ends with it, whatever the file makes of the library that reads it.
 * Throws SheetTrouble for a file that cannot be read, or not within those bounds.
 */
export function readWorkbookBeside(
  path: string,
  { withinMs = WITHIN_MS, memoryBytes = MOST_MEMORY_BYTES }: { withinMs?: number; memoryBytes?: number } = {},
): Promise<Workbook> {
  return new Promise((resolve, reject) => {
    const child = fork(FILE, [], {
      execArgv: FLAGS,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const sheets = new Map<string, Uint8Array[]>();
    const tooMuch = () =>
      finish(() => reject(new SheetTrouble('The workbook takes too much to read: save it as CSV')));
    const late = setTimeout(tooMuch, withinMs);
    const watch = setInterval(
      () => void residentBytes(child).then((resident) => (resident > memoryBytes ? tooMuch() : undefined)),
      LOOK_EVERY_MS,
    );
    function finish(settle: () => void): void {
      clearTimeout(late);
      clearInterval(watch);
      child.kill('SIGKILL');
      settle();
    }
    child.on('message', (answer: SheetAnswer) => {
      if ('rows' in answer) {
        const chunks = sheets.get(answer.sheet) ?? [];
        chunks.push(answer.rows);
        sheets.set(answer.sheet, chunks);
      } else if ('file' in answer) {
        const read = answer.sheets.flatMap((name) => {
          const chunks = sheets.get(name);
          return chunks === undefined ? [] : [{ name, rows: () => rowsIn(chunks) }];
        });
        finish(() => resolve({ file: answer.file, sheets: read }));
      } else if ('trouble' in answer) finish(() => reject(new SheetTrouble(answer.trouble)));
      else finish(() => reject(new Error(answer.failure)));
    });
    child.once('error', (error) => finish(() => reject(error)));
    child.once('exit', tooMuch);
    child.send(path, (error) => {
      if (error !== null) finish(() => reject(error));
    });
  });
}

/** Of a hundred thousand rows as they came a third of the memory is enough that they take as lists. */
function* rowsIn(chunks: readonly Uint8Array[]): Generator<SheetRow> {
  for (const chunk of chunks)
    for (const { carried, ...row } of JSON.parse(Buffer.from(chunk).toString()) as RowSent[])
      yield carried === undefined ? row : { ...row, carried: new Map(carried) };
}

/** 0 where the system does not tell. */
async function residentBytes({ pid }: ChildProcess): Promise<number> {
  const text = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
  return Number(text.split(' ')[1] ?? 0) * PAGE_BYTES;
}

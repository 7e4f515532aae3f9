import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { ZipFile } from 'yazl';
import { workbookWriter } from '#adapters/sheets/write-workbook.ts';
import { standBack } from '#adapters/system/process-pauses.ts';
import type { PackLine } from './pack-process.ts';

// Packs what comes line by line at stdin into one file at stdout, for pack-process.ts, and ends.

standBack();
const zip = new ZipFile();
zip.outputStream.pipe(process.stdout);
// nobody reads any more
process.stdout.on('error', () => process.exit(1));
let book: ReturnType<typeof workbookWriter> | null = null;
let file: PassThrough | null = null;
let isWhole = false;
for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
  const part = JSON.parse(line) as PackLine;
  if ('sheet' in part) {
    book ??= workbookWriter(zip);
    book.sheet(part.sheet, part.columns);
  } else if ('rows' in part) await book?.rows(part.rows);
  else if ('file' in part) {
    file?.end();
    file = new PassThrough();
    zip.addReadStream(file, part.file);
  } else if ('text' in part) {
    if (file !== null && !file.write(part.text)) await once(file, 'drain');
  } else isWhole = true;
}
// what was cut off is no file: whoever gets a piece of it must see that
if (!isWhole) process.exit(1);
book?.end();
file?.end();
zip.end();

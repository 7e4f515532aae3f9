import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { workbookWriter } from '#adapters/sheets/write-workbook.ts';
import type { PackPart } from '#core/packed-file.ts';
import { sheetsIn } from '#test/read-export.ts';
import { createPacker } from '#workers/jobs/pack-process.ts';

const rows = (count: number) => Array.from({ length: count }, (_, n) => [n, `text ${n}`]);
const columns = [
  { heading: 'n', is: 'number' },
  { heading: 'text', is: 'text' },
] as const;

async function* parts(count: number): AsyncIterable<PackPart> {
  yield { sheet: 'a', columns };
  for (let n = 0; n < count; n += 1) yield { rows: rows(500) };
}

it('what does not fit on a sheet goes on on the next, headed like it', async () => {
  const zip = new ZipFile();
  const writer = workbookWriter(zip, 4);
  writer.sheet('Water', columns);
  const written = buffer(zip.outputStream as Readable);
  await writer.rows(rows(7));
  writer.end();
  zip.end();
  const sheets = sheetsIn(new Uint8Array(await written));
  expect(sheets.map(({ name, head, rows: found }) => [name, head, found.map(([n]) => n?.v)])).toEqual([
    ['Water', ['n', 'text'], [0, 1, 2]],
    ['Water 2', ['n', 'text'], [3, 4, 5]],
    ['Water 3', ['n', 'text'], [6]],
  ]);
});

it('where no process can be started the file fails, and the program goes on', async () => {
  const packer = createPacker({ mostAtOnce: 1, mostWaiting: 0 });
  const { execPath } = process;
  process.execPath = '/there/is/none';
  try {
    await expect(packer.pack(parts(1))[Symbol.asyncIterator]().next()).rejects.toThrow('ENOENT');
  } finally {
    process.execPath = execPath;
  }
  // its place is free again
  expect((await buffer(Readable.from(packer.pack(parts(1))))).length).toBeGreaterThan(0);
});

it('as many files are made as may be at once, some wait for their turn, and the rest are told to come again', async () => {
  const packer = createPacker({ mostAtOnce: 1, mostWaiting: 1 });
  const first = packer.pack(parts(1))[Symbol.asyncIterator]();
  await first.next();
  const second = buffer(Readable.from(packer.pack(parts(1))));
  const waits = () => {
    try {
      packer.requireRoom();
      return false;
    } catch {
      return true;
    }
  };
  await expect.poll(waits).toBe(true);
  expect(() => packer.requireRoom()).toThrow('Other workbooks');
  await expect(packer.pack(parts(1))[Symbol.asyncIterator]().next()).rejects.toThrow('Other workbooks');
  await first.return?.();
  expect(sheetsIn(new Uint8Array(await second))[0]?.rows).toHaveLength(500);
  packer.requireRoom();
});

it('a file whose rows end in a fault is cut off, never whole', async () => {
  async function* broken(): AsyncIterable<PackPart> {
    yield* parts(2);
    throw new Error('the database is gone');
  }
  await expect(buffer(Readable.from(createPacker().pack(broken())))).rejects.toThrow('the database is gone');
});

it('whoever reads nothing for long makes room, and what is read for him ends', async () => {
  const packer = createPacker({ mostAtOnce: 1, unreadMs: 200 });
  let handed = 0;
  async function* endless(): AsyncIterable<PackPart> {
    yield { file: 'a' };
    for (;;) {
      handed += 1;
      yield { text: String(Math.random()).repeat(2_000) };
    }
  }
  const reading = packer.pack(endless())[Symbol.asyncIterator]();
  await reading.next();
  // reads nothing for ten times as long as may be
  await pause(2_000);
  await expect(
    (async () => {
      for (;;) if ((await reading.next()).done === true) return;
    })(),
  ).rejects.toThrow('cut off');
  packer.requireRoom();
  const atEnd = handed;
  // time for forty more pieces, were they still handed over
  await pause(200);
  expect(handed).toBe(atEnd);
});

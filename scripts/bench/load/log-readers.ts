import { answerCalls } from '../remote.ts';

// People who read out a whole journal, page after page from the newest to the oldest and again, as fast as it comes.

export type Reading = { base: string; token: string; farmId: string; readers: number };
export type Told = { rows: number; oldest: number; bytes: number };

type Reader = { stop: AbortController; done: Promise<void> };

const readers: Reader[] = [];
/** How far each reader has come: where it was broken off it goes on. */
const placeByReader = new Map<number, number>();
const told: Told = { rows: 0, oldest: 0, bytes: 0 };
/** The most one answer holds. */
const PAGE_ROWS = 10_000;
const ROW_START = Buffer.from('{"id":');

const handlers = {
  async start(reading: Reading): Promise<void> {
    for (let n = 0; n < reading.readers; n += 1) {
      const stop = new AbortController();
      readers.push({ stop, done: readOn(reading, n, stop.signal) });
    }
  },
  /** Breaks off what is being read, as a closed browser does. */
  async pause(): Promise<void> {
    for (const { stop } of readers) stop.abort();
    await Promise.all(readers.splice(0).map(({ done }) => done));
  },
  async told(): Promise<Told> {
    return told;
  },
};
export type LogReaders = typeof handlers;
answerCalls(handlers);

async function readOn(reading: Reading, reader: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const skip = placeByReader.get(reader) ?? 0;
    try {
      const rows = await readPage(reading, skip, signal);
      placeByReader.set(reader, rows === 0 ? 0 : skip + PAGE_ROWS);
      told.oldest = Math.max(told.oldest, skip + rows);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

async function readPage(
  { base, token, farmId }: Reading,
  skip: number,
  signal: AbortSignal,
): Promise<number> {
  const path = `/api/v1/logs/farm/${farmId}/control-points?skip=${skip}&limit=${PAGE_ROWS}`;
  const response = await fetch(`${base}${path}`, { headers: { authorization: `Bearer ${token}` }, signal });
  if (response.status !== 200 || response.body === null)
    throw new Error(`the journal was answered ${response.status}`);
  let rows = 0;
  for await (const piece of response.body) {
    told.bytes += piece.length;
    const found = rowsIn(Buffer.from(piece.buffer, piece.byteOffset, piece.length));
    rows += found;
    told.rows += found;
  }
  return rows;
}

/** Near enough: a mark that two pieces share is not found. */
function rowsIn(piece: Buffer): number {
  let count = 0;
  for (let at = piece.indexOf(ROW_START); at !== -1; at = piece.indexOf(ROW_START, at + 1)) count += 1;
  return count;
}

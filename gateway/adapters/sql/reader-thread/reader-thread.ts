import { Worker } from 'node:worker_threads';
import type { CompiledQuery } from 'kysely';
import type { CsvLayout } from '#core/csv-text.ts';
import { linesOf, type ReadLines } from '../database.ts';
import type { ReaderData, ReadReply, ReadRequest, ReadRows } from './messages.ts';

type Row = Record<string, unknown>;
type Waiting = {
  request: ReadRequest;
  take: (reply: ReadRows) => void;
  readHere: () => void;
  reject: (error: Error) => void;
};

export type ReaderThreadDeps = {
  path: string;
  /** Reads on the main thread: for as long as there is no other. */
  readHere: (sql: string, params: readonly unknown[]) => Row[];
  /** Turns an SQLite code into a failure the kernel knows. */
  failureOf: (code: string, message: string) => Error;
  /** Called once for each thread that ended by itself. */
  died: (error: unknown) => void;
  startWorker?: (data: ReaderData) => Worker;
};

export type ReaderThread = {
  read: (sql: string, params: readonly unknown[]) => Promise<Row[]>;
  readLines: ReadLines;
  close: () => Promise<void>;
};

/** A thread that nobody asked for so long gives its memory back. */
const IDLE_MS = 60_000;
/** A statement that takes longer is given up, and the thread with it. */
const STATEMENT_MS = 30_000;
/** After a thread died, lists are read on the main thread for this long. */
const REST_MS = 30_000;

/**
 * Reads in a thread of its own, so that a long list never holds up heartbeats and orders. One statement runs at a time
 * and the others wait in their order; a list asks for its next rows only when its reader has taken the last ones.
 */
export function createReaderThread(deps: ReaderThreadDeps): ReaderThread {
  const queue: Waiting[] = [];
  const state = {
    worker: null as Worker | null,
    underWay: null as Waiting | null,
    timer: null as NodeJS.Timeout | null,
    restingUntil: 0,
    lastId: 0,
    isClosed: false,
  };

  function next(): void {
    clearTimeout(state.timer ?? undefined);
    state.underWay = queue.shift() ?? null;
    const worker = state.worker;
    if (worker === null) return;
    if (state.underWay === null) {
      worker.unref();
      state.timer = setTimeout(() => retire(worker), IDLE_MS).unref();
      return;
    }
    worker.ref();
    const { request } = state.underWay;
    state.timer = setTimeout(
      () => fell(worker, new Error('a statement took too long')),
      STATEMENT_MS,
    ).unref();
    worker.postMessage(request);
  }

  function take(reply: ReadReply): void {
    const { underWay } = state;
    if (underWay === null || reply.id !== underWay.request.id) return;
    // the thread has its next statement while this one's rows are looked at
    next();
    if ('error' in reply) underWay.reject(deps.failureOf(reply.error.code, reply.error.message));
    else underWay.take(reply);
  }

  function start(): Worker {
    const worker = (deps.startWorker ?? startWorker)({ path: deps.path });
    worker.on('message', take);
    worker.on('error', (error) => fell(worker, error));
    worker.on('exit', (code) => fell(worker, new Error(`the reading thread ended with ${code}`)));
    return worker;
  }

  function retire(worker: Worker): void {
    state.worker = null;
    worker.removeAllListeners('exit');
    void worker.terminate();
  }

  /** What it had and what waits for it is read here: a reader gets its rows, only the others wait a little. */
  function fell(worker: Worker, error: unknown): void {
    if (state.worker !== worker) return;
    retire(worker);
    clearTimeout(state.timer ?? undefined);
    const left = [...(state.underWay === null ? [] : [state.underWay]), ...queue.splice(0)];
    state.underWay = null;
    state.restingUntil = performance.now() + REST_MS;
    if (!state.isClosed) deps.died(error);
    for (const waiting of left) waiting.readHere();
  }

  function ask<Found>(
    statement: Omit<ReadRequest, 'id'>,
    foundIn: (reply: ReadRows) => Found,
    findHere: () => Found,
  ): Promise<Found> {
    return new Promise((resolve, reject) => {
      state.lastId += 1;
      const readHere = () => {
        try {
          resolve(findHere());
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      if (state.worker === null && (state.isClosed || performance.now() < state.restingUntil)) {
        readHere();
        return;
      }
      const request = { id: state.lastId, ...statement };
      queue.push({ request, take: (reply) => resolve(foundIn(reply)), readHere, reject });
      state.worker ??= start();
      if (state.underWay === null) next();
    });
  }

  return {
    read: (sql, params) => ask({ sql, params }, rowsOf, () => deps.readHere(sql, params)),
    readLines<Found>({ sql, parameters: params }: CompiledQuery<Found>, layout: CsvLayout) {
      return ask(
        { sql, params, layout },
        // the rows are those of the query that Kysely typed
        (reply) => ({ text: '', count: 0, ...reply.lines, last: (rowsOf(reply)[0] ?? null) as Found | null }),
        () => linesOf(deps.readHere(sql, params) as Found[], layout),
      );
    },
    async close() {
      state.isClosed = true;
      clearTimeout(state.timer ?? undefined);
      const { worker } = state;
      state.worker = null;
      for (const { reject } of [...(state.underWay === null ? [] : [state.underWay]), ...queue.splice(0)]) {
        reject(new Error('the database is closed'));
      }
      state.underWay = null;
      await worker?.terminate();
    },
  };
}

/** Rows pass through a few at a time; the box has little memory, and control needs it. */
const HEAP = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 128 };

function startWorker(data: ReaderData): Worker {
  return new Worker(new URL('./worker.ts', import.meta.url), { workerData: data, resourceLimits: HEAP });
}

function rowsOf({ columns, rows }: ReadRows): Row[] {
  return rows.map((values) => {
    const row: Row = {};
    for (let at = 0; at < columns.length; at++) row[columns[at] ?? ''] = values[at];
    return row;
  });
}

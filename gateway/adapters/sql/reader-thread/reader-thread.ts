import { Worker } from 'node:worker_threads';
import type { ReaderData, ReadReply, ReadRequest } from './messages.ts';

type Row = Record<string, unknown>;
type Waiting = ReadRequest & { resolve: (rows: Row[]) => void; reject: (error: Error) => void };

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
    const { id, sql, params } = state.underWay;
    state.timer = setTimeout(
      () => fell(worker, new Error('a statement took too long')),
      STATEMENT_MS,
    ).unref();
    worker.postMessage({ id, sql, params } satisfies ReadRequest);
  }

  function take(reply: ReadReply): void {
    const { underWay } = state;
    if (underWay === null || reply.id !== underWay.id) return;
    if ('error' in reply) underWay.reject(deps.failureOf(reply.error.code, reply.error.message));
    else underWay.resolve(reply.rows.map((values) => rowOf(reply.columns, values)));
    next();
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
    for (const waiting of left) readHere(waiting);
  }

  function readHere({ sql, params, resolve, reject }: Waiting): void {
    try {
      resolve(deps.readHere(sql, params));
    } catch (error) {
      reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  return {
    read(sql, params) {
      return new Promise((resolve, reject) => {
        state.lastId += 1;
        const waiting: Waiting = { id: state.lastId, sql, params, resolve, reject };
        if (state.worker === null && (state.isClosed || performance.now() < state.restingUntil)) {
          readHere(waiting);
          return;
        }
        queue.push(waiting);
        state.worker ??= start();
        if (state.underWay === null) next();
      });
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

function rowOf(columns: readonly string[], values: readonly unknown[]): Row {
  const row: Row = {};
  for (let at = 0; at < columns.length; at++) row[columns[at] ?? ''] = values[at];
  return row;
}

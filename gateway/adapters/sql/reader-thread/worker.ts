import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import BetterSqlite from 'better-sqlite3';
import type { ReaderData, ReadReply, ReadRequest } from './messages.ts';

// Runs in a thread of its own: answers statements over a connection that can only read, one after another. Besides, it
// brings pages from the log of the database to their places, which no connection can that was opened for reading.

const LOCK_PATIENCE_MS = 2_000;
const LOW_PRIORITY = 10;

// a box has few cores, and control needs one of them; elsewhere than on Linux this would slow down the whole process
if (process.platform === 'linux') setPriority(LOW_PRIORITY);

const { path } = workerData as ReaderData; // handed over by reader-thread.ts
const connection = new BetterSqlite(path, { fileMustExist: true, timeout: LOCK_PATIENCE_MS });
connection.pragma('query_only = ON');
const statementsBySql = new Map<string, BetterSqlite.Statement<unknown[]>>();
const STATEMENTS_KEPT = 100;

parentPort?.on('message', (request: ReadRequest) => {
  void answer(request).then((reply) => parentPort?.postMessage(reply));
});

async function answer({ id, sql, params, layout }: ReadRequest): Promise<ReadReply> {
  try {
    const statement = prepared(sql);
    const columns = statement.columns().map(({ name }) => name);
    // raw() makes every row a list
    const rows = statement.all(...params) as unknown[][];
    if (layout === undefined) return { id, columns, rows };
    // brings the calendar with it, which few threads need
    const { csvLines } = await import('#core/csv-text.ts');
    const text = rows.map(csvLines(layout, columns)).join('');
    return { id, columns, rows: rows.slice(-1), lines: { text, count: rows.length } };
  } catch (error) {
    const { code = 'ERROR', message } = error as { code?: string; message: string };
    return { id, error: { code, message } };
  }
}

function prepared(sql: string): BetterSqlite.Statement<unknown[]> {
  const known = statementsBySql.get(sql);
  if (known !== undefined) return known;
  if (statementsBySql.size >= STATEMENTS_KEPT) statementsBySql.clear();
  const statement = connection.prepare<unknown[]>(sql).raw();
  statementsBySql.set(sql, statement);
  return statement;
}

import { Worker } from 'node:worker_threads';
import BetterSqlite from 'better-sqlite3';

export type Statement = { sql: string; params: readonly unknown[] };

/**
 * Hears every question this process puts to SQLite, on its own connections and to threads of long reads, until it is
 * told to stop.
 */
export function hearStatements(): { heard: Statement[]; stop: () => void } {
  const heard: Statement[] = [];
  const { prepare } = BetterSqlite.prototype;
  const { postMessage } = Worker.prototype;
  BetterSqlite.prototype.prepare = function (this: BetterSqlite.Database, sql: string) {
    const statement: BetterSqlite.Statement<unknown[]> = prepare.call(this, sql);
    const all: (...params: unknown[]) => unknown[] = statement.all;
    statement.all = (...params: unknown[]) => {
      if (/^(select|with)\b/i.test(sql.trim())) heard.push({ sql, params: params.flat() });
      return all.apply(statement, params);
    };
    return statement;
    // better-sqlite3 types what it prepares by its SQL text, which is not known here
  } as typeof prepare;
  Worker.prototype.postMessage = function (this: Worker, message: Partial<Statement>, ...more: never[]) {
    if (message.sql !== undefined) heard.push({ sql: message.sql, params: message.params ?? [] });
    postMessage.call(this, message, ...more);
  };
  return {
    heard,
    stop() {
      BetterSqlite.prototype.prepare = prepare;
      Worker.prototype.postMessage = postMessage;
    },
  };
}

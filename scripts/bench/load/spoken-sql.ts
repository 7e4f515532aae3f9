import { createServer } from 'node:http';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import express from 'express';
import { hearStatements, type Statement } from '../hear-statements.ts';
import { composeHere } from '../in-process.ts';
import { answerCalls } from '../remote.ts';

// The baseline of reading: the very statements an answer is made of, without the program around them. They are heard
// once from the gateway itself, in this process, and then repeated on a plain connection.

type Heard = { statements: number; rows: number };

const statementsByPath = new Map<string, Statement[]>();
let bare: BetterSqlite.Database | null = null;

const handlers = {
  /** Hears what each path asks of the database; the gateway of this folder must be stopped. */
  async learn(wanted: {
    data: string;
    token: string;
    paths: readonly string[];
  }): Promise<Record<string, Heard>> {
    const { heard, stop } = hearStatements();
    const instance = await composeHere(wanted.data);
    const server = createServer(instance.app);
    const base = await addressOf(server);
    for (const path of wanted.paths) {
      heard.length = 0;
      const answer = await fetch(`${base}${path}`, { headers: { authorization: `Bearer ${wanted.token}` } });
      if (answer.status !== 200)
        throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
      await answer.arrayBuffer();
      statementsByPath.set(path, [...heard]);
    }
    stop();
    server.closeAllConnections();
    server.close();
    await instance.database.close();
    bare = new BetterSqlite(join(wanted.data, 'farm.db'), { readonly: true });
    return Object.fromEntries(
      wanted.paths.map((path) => [
        path,
        { statements: statementsByPath.get(path)?.length ?? 0, rows: repeat(path).flat().length },
      ]),
    );
  },

  /** Milliseconds each path's statements take on the plain connection. */
  async alone({ paths, times }: { paths: readonly string[]; times: number }): Promise<number[][]> {
    const tookMs: number[][] = paths.map(() => []);
    for (let n = 0; n < times; n += 1) {
      for (const [index, path] of paths.entries()) {
        const startedAt = performance.now();
        repeat(path);
        tookMs[index]?.push(performance.now() - startedAt);
      }
    }
    return tookMs;
  },

  /** Answers each path with the rows of its statements, over express as it comes. */
  async serve(): Promise<string> {
    const app = express();
    app.use((request, response) => void response.json(repeat(request.originalUrl)));
    return addressOf(createServer(app));
  },
};
export type SpokenSql = typeof handlers;
answerCalls(handlers);

const prepared = new Map<string, BetterSqlite.Statement>();

function repeat(path: string): unknown[][] {
  return (statementsByPath.get(path) ?? []).map(({ sql, params }) => {
    const statement = prepared.get(sql) ?? bare?.prepare(sql);
    if (statement === undefined) throw new Error('nothing was learned yet');
    prepared.set(sql, statement);
    return statement.all(...params);
  });
}

function addressOf(server: ReturnType<typeof createServer>): Promise<string> {
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`);
    }),
  );
}

import { once } from 'node:events';
import type { Request as HttpRequest, Response } from 'express';
import type { Answer } from '#core/route.ts';

/** Sends an answer; lists leave row by row, so that a year of logs never stands in memory. */
export async function sendAnswer(http: HttpRequest, response: Response, answer: Answer): Promise<void> {
  response.status(answer.status);
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  if (answer.total !== undefined) response.setHeader('X-Total-Count', String(answer.total));
  if (answer.rev !== undefined) response.setHeader('ETag', `"${answer.rev}"`);
  if (answer.rows !== undefined) return sendRows(response, answer.rows);
  if (answer.status === 204 || answer.body === undefined) {
    response.end();
    return;
  }
  if (
    http.method === 'GET' &&
    answer.rev !== undefined &&
    http.headers['if-none-match'] === `"${answer.rev}"`
  ) {
    response.status(304).end();
    return;
  }
  response.json(answer.body);
}

const FLUSH_BYTES = 32_768;

async function sendRows(response: Response, rows: NonNullable<Answer['rows']>): Promise<void> {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  let pending = '[';
  let isFirst = true;
  for await (const row of rows) {
    pending += isFirst ? JSON.stringify(row) : `,${JSON.stringify(row)}`;
    isFirst = false;
    if (pending.length < FLUSH_BYTES) continue;
    if (response.destroyed) return;
    if (!response.write(pending)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    pending = '';
  }
  response.end(`${pending}]`);
}

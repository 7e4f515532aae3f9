import { createHash } from 'node:crypto';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Response } from 'express';
import { plainJson } from '#contract/plain-number.ts';
import type { Answer } from '#core/route.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Throws where the caller may not have this answer any more. */
export type LetInStill = () => Promise<unknown>;

/**
 * Sends an answer; lists leave row by row, so that a year of logs never stands in memory. Rejects where one that takes its
 * time goes to who may not have it any more: a reader decides how long it takes.
 */
export async function sendAnswer(response: Response, answer: Answer, letInStill: LetInStill): Promise<void> {
  response.status(answer.status);
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  if (answer.total !== undefined) response.setHeader('X-Total-Count', String(answer.total));
  if (answer.rev !== undefined) response.setHeader('ETag', `"${answer.rev}"`);
  if (answer.rows !== undefined) {
    return sendRows({ response, look: asked(letInStill) }, answer.rows, frameOf(answer.inside));
  }
  const pieces = answer.text ?? answer.pieces;
  if (pieces !== undefined) return sendText({ response, look: asked(letInStill) }, pieces);
  if (answer.file !== undefined) {
    response.setHeader('Content-Type', answer.file.type);
    response.end(answer.file.bytes);
    return;
  }
  if (answer.status === 204 || answer.body === undefined) {
    response.end();
    return;
  }
  // known to the caller already: by its ETag against If-None-Match
  if (answer.rev !== undefined && response.req.fresh) {
    response.status(304).end();
    return;
  }
  response.setHeader('Content-Type', JSON_TYPE);
  response.end(plainJson(answer.body));
}

const FLUSH_BYTES = 32_768;
/** A list longer than this makes room for others: several that are read at once would keep the process busy. */
const SHORT_LIST_BYTES = 8 * FLUSH_BYTES;
const ROOM_MS = 2;
/** Between two pieces of a file: it may take its time, and the processor is free for control most of it. */
const FILE_ROOM_MS = 5;

/** The caller's right is asked after again so often, while pieces of one answer leave. */
const LOOK_EVERY_MS = 1_000;

type Sending = { response: Response; look: () => Promise<void> };

function asked(letInStill: LetInStill): Sending['look'] {
  let lookedAt = performance.now();
  return async () => {
    if (performance.now() - lookedAt < LOOK_EVERY_MS) return;
    await letInStill();
    lookedAt = performance.now();
  };
}

/** What stands before the first row and behind the last. */
function frameOf(inside: Answer['inside']): [string, string] {
  if (inside === undefined) return ['[', ']'];
  const rest = plainJson({ ...inside.rest, [inside.field]: [] });
  return [rest.slice(0, -2), ']}'];
}

async function sendRows(
  { response, look }: Sending,
  rows: NonNullable<Answer['rows']>,
  [before, behind]: [string, string],
): Promise<void> {
  response.setHeader('Content-Type', JSON_TYPE);
  let pending = before;
  let isFirst = true;
  let sentBytes = 0;
  for await (const row of rows) {
    pending += isFirst ? plainJson(row) : `,${plainJson(row)}`;
    isFirst = false;
    if (pending.length < FLUSH_BYTES) continue;
    if (response.destroyed) return;
    await look();
    if (!response.write(pending)) await untilTaken(response);
    sentBytes += pending.length;
    pending = '';
    // heartbeats and orders get their turn, however fast the reader takes its rows
    if (sentBytes > SHORT_LIST_BYTES) await setTimeout(ROOM_MS);
    else await setImmediate();
  }
  response.end(pending + behind);
}

type Streamed = {
  type: string;
  chunks: AsyncIterable<string | Uint8Array> | Iterable<string>;
  style?: string;
};

async function sendText({ response, look }: Sending, { type, chunks, style }: Streamed): Promise<void> {
  response.setHeader('Content-Type', type);
  if (style !== undefined) response.setHeader('Content-Security-Policy', policyOfPage(style));
  let isFirst = true;
  for await (const chunk of chunks) {
    if (!isFirst) await setTimeout(FILE_ROOM_MS);
    isFirst = false;
    if (response.destroyed) return;
    await look();
    if (!response.write(chunk)) await untilTaken(response);
  }
  response.end();
}

/** Lets a page show its own style sheet, and nothing else: no script, no request, no frame around it. */
function policyOfPage(style: string): string {
  const hash = createHash('sha256').update(style).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

/** Until the reader has taken what was written, or is gone. */
function untilTaken(response: Response): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  // both go again, else a slow reader of a long list leaves thousands of listeners behind
  const go = () => {
    response.off('drain', go);
    response.off('close', go);
    resolve();
  };
  response.once('drain', go);
  response.once('close', go);
  return promise;
}

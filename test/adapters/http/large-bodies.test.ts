import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MOST_VALUES, readJsonBody } from '#adapters/http/read-json-body.ts';
import type { AppError } from '#core/errors.ts';

// Hundreds may send a large body at the same moment: each is read piece by piece, and one piece of one of them in a turn.

const MIB = 1_048_576;
const PIECE = 65_536;

function aBody(text: string) {
  const stream = new PassThrough({ highWaterMark: MIB });
  const headers = { 'content-type': 'application/json', 'content-length': String(text.length) };
  const request = Object.assign(stream, { headers }) as unknown as IncomingMessage;
  const waiting: (() => void)[] = [];
  const told: { error: AppError | null; body: unknown }[] = [];
  readJsonBody(
    request,
    MIB,
    (error, body) => void told.push({ error, body }),
    (work) => void waiting.push(work),
  );
  for (let at = 0; at < text.length; at += PIECE) stream.write(text.slice(at, at + PIECE));
  stream.end();
  return { waiting, told };
}

/** Lets each piece of work have its turn; answers how many there were. */
async function inTurns({ waiting, told }: ReturnType<typeof aBody>): Promise<number> {
  for (let turns = 0; ; turns += 1) {
    for (let n = 0; n < 20; n += 1) await nextTurn();
    // its end may be told while the last piece waits to be followed by more
    expect(waiting.length).toBeLessThan(3);
    const work = waiting.shift();
    if (work === undefined) return turns;
    expect(told).toEqual([]);
    work();
  }
}

test('a large body is taken from the network, looked through and read each in a turn of its own', async () => {
  const body = { name: 'x'.repeat(5 * PIECE) };
  const sent = aBody(JSON.stringify(body));
  // six pieces, a look at the whole, and its reading
  expect(await inTurns(sent)).toBe(8);
  expect(sent.told).toEqual([{ error: null, body }]);
});

test('a body of more values than anything takes is refused before a parser sees it', async () => {
  const list = (values: number) => `[${Array.from({ length: values }, () => '10000').join(',')}]`;
  const taken = aBody(list(MOST_VALUES - 1));
  await inTurns(taken);
  expect(taken.told[0]?.error).toBeNull();
  const refused = aBody(list(MOST_VALUES + 1));
  await inTurns(refused);
  expect(refused.told[0]?.error).toMatchObject({ status: 400, extras: { code: 'MALFORMED_JSON' } });
  expect(refused.told[0]?.error?.message).toContain(`more than ${MOST_VALUES} values`);
});

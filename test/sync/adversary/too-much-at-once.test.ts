import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import * as z from 'zod';
import { askHosted } from '#adapters/sync/ask-hosted.ts';
import { gatewayTransport } from '#adapters/sync/gateway-transport.ts';
import { pullAnswer } from '#contract/sync/wire.ts';
import { isBeyond } from '#core/json-shape.ts';
import { ask } from '../../../gateway/sync/gateway/ask.ts';
import { initialState } from '../../../gateway/sync/gateway/state.ts';
import { step } from '../../../gateway/sync/gateway/step.ts';

// Answers that cost who sends them little, and a gateway much: they are refused by their bytes.

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function aServer(
  answer: (write: (text: string) => boolean) => void,
  { isEndless }: { isEndless: boolean } = { isEndless: false },
): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    answer((text) => response.write(text));
    if (!isEndless) response.end();
  });
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('depth and values are counted outside of texts', () => {
  const shape = (text: string, most = { depth: 3, values: 5 }) => isBeyond(Buffer.from(text), most);
  expect(shape('[[[1]]]')).toBe(false);
  expect(shape('[[[[1]]]]')).toBe(true);
  expect(shape('[1,2,3,4,5]')).toBe(false);
  expect(shape('[1,2,3,4,5,6]')).toBe(true);
  expect(shape(JSON.stringify({ a: '[[[[,,,,,,,\\"[[[[' }))).toBe(false);
  // also of texts that are so long that their end is looked for, with escapes anywhere and none
  for (const length of [100, 254, 255, 256, 257, 258, 3_000])
    for (const word of ['[', '"', '\\', ',[', '[\\"'])
      for (const end of ['', '"', '\\', '\\"'])
        for (const after of [1, 3, 7]) {
          const holder = [word.repeat(length) + end, 'x'.repeat(length) + word + end];
          const text = JSON.stringify([...holder, ...Array.from({ length: after }, () => 1)]);
          expect([text.slice(0, 20), shape(text)]).toEqual([text.slice(0, 20), 2 + after > 5]);
        }
});

test.each([
  ['nested', `${'['.repeat(900_000)}${']'.repeat(900_000)}`],
  ['of nothing but small values', `[${'0,'.repeat(1_900_000)}0]`],
])('an answer %s is not parsed', async (_what, text) => {
  const url = await aServer((write) => write(text));
  const transport = gatewayTransport({
    hostedUrl: async () => url,
    sessionToken: async () => 'token',
    forgetToken: () => undefined,
  });
  closing.push(transport.dropConnections);
  await expect(transport.ask('pull', {}, { timeoutMs: 30_000 })).rejects.toThrow(
    'nested too deeply or too long',
  );
});

test('an answer at the door is read no further than an answer there goes', async () => {
  // more than that, and then nothing: who waited for the end would wait for long
  const url = await aServer((write) => write(' '.repeat(200_000)), { isEndless: true });
  const answer = askHosted({ url, path: '/sync/v1/session', body: {} }, z.object({ token: z.string() }));
  await expect(answer).rejects.toThrow('something that no hosted instance says');
});

test('an answer of more rows than were asked for is refused before a row is looked at', async () => {
  const rows = Array.from({ length: 2_001 }, () => ({}));
  const facts = { server_now_ms: 1, timeline: '', head: 1, more: false, in: {}, restamps: [] };
  const asked = await ask(
    {
      transport: { ask: async () => ({ ok: true, answer: { ...facts, rows } }) },
      monotonic: () => 0,
      later: () => () => undefined,
    },
    'pull',
    pullAnswer,
    {},
  );
  expect(asked).toMatchObject({
    ok: false,
    outcome: { detail: 'the answer to pull has more rows than were asked for' },
  });
});

test('who is asked for peace for ever asks again in about an hour, and not at once', () => {
  const begun = step(initialState(), { is: 'started', isPaired: true }, 0);
  const id = begun.state.flights.link?.id ?? 0;
  const outcome = {
    is: 'greeted',
    directive: 'slow',
    reason: null,
    waitMs: 2 ** 53 - 1,
    resyncDue: null,
    cursor: 0,
  } as const;
  const { effects } = step(begun.state, { is: 'done', id, outcome }, 0);
  expect(effects).toContainEqual({ do: 'wake', timer: 'retry', after: [3_600_000, 4_500_000] });
});

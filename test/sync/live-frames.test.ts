import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createJsonLog } from '#adapters/log/json-log.ts';
import { createMemoryBus } from '#adapters/sync/bus-payloads.ts';
import { createLiveSockets } from '#adapters/sync/live-sockets.ts';

const MIB = 1024 * 1024;

/** The live line of a gateway to a hosted instance whose database answers when `answer` is called. */
function aLineToASlowDatabase() {
  const closed: number[] = [];
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  const sockets = createLiveSockets({
    parts: {
      commandsToSend: async () => [],
      still: (_stream, id) => {
        asked.push(id);
        return new Promise((resolve) => answers.push(() => resolve(null)));
      },
      commandState: async () => undefined,
      live: () => undefined,
      connected: () => undefined,
    },
    told: async () => undefined,
    headOf: async () => 0,
    isOvertaken: async () => false,
    bus: createMemoryBus(() => undefined),
    now: Date.now,
    monotonic: () => 0,
    log: createJsonLog('error'),
    refused: () => undefined,
  });
  const line = sockets.open(
    { gatewayId: randomUUID(), streamId: 7 },
    {
      readyState: 1,
      bufferedAmount: 0,
      send: () => undefined,
      ping: () => undefined,
      close: (code?: number) => void closed.push(code ?? 0),
      terminate: () => undefined,
    },
  );
  /** A question whose frame has so many bytes. */
  const ask = (bytes = 0) => {
    const id = randomUUID();
    line.message(JSON.stringify({ is: 'ask_still', id, ask: id }).padEnd(bytes));
    return id;
  };
  const answer = async () => {
    answers.shift()?.();
    await new Promise(setImmediate);
  };
  return { closed, asked, ask, answer };
}

test('large frames do not gather while the database is slow: the line of that gateway ends', () => {
  const { closed, ask } = aLineToASlowDatabase();
  for (let n = 0; n < 4; n += 1) ask(MIB);
  expect(closed).toEqual([4008]);
});

test('what a line that was ended goes on saying is not taken', async () => {
  const { closed, asked, ask, answer } = aLineToASlowDatabase();
  const first = ask(MIB);
  for (let n = 0; n < 10; n += 1) ask(MIB);
  await answer();
  await answer();
  expect([asked, closed]).toEqual([[first], [4008]]);
});

test('a busy farm is heard in the order in which it spoke, however slow the database is', async () => {
  const { closed, asked, ask, answer } = aLineToASlowDatabase();
  const said = Array.from({ length: 90 }, () => ask());
  for (const _one of said) await answer();
  expect([asked, closed]).toEqual([said, []]);
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { gatewaySocket } from '../../gateway/adapters/sync/gateway-socket.ts';
import type { LiveHandlers } from '../../gateway/sync/gateway/ports.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const silent = () => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };

/** Timers that run when the test says so. */
function timers() {
  const waiting: { ms: number; run: () => void }[] = [];
  return {
    later(ms: number, run: () => void) {
      const entry = { ms, run };
      waiting.push(entry);
      return () => void waiting.splice(waiting.indexOf(entry) >>> 0, 1);
    },
    waiting,
    /** Runs the newest timer that is not about to be forgotten. */
    fire(): number {
      const entry = waiting.shift();
      entry?.run();
      return entry?.ms ?? -1;
    },
  };
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; !isTrue(); tries += 1) {
    if (tries > 4_000) throw new Error('it did not come true');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function aHosted(
  options: { status?: number; headers?: Record<string, string>; answersPings?: boolean } = {},
) {
  const accepting = new WebSocketServer({ noServer: true, autoPong: options.answersPings ?? true });
  const sockets: WebSocket[] = [];
  const heard: string[] = [];
  const tokens: (string | undefined)[] = [];
  const server = createServer();
  server.on('upgrade', (request, socket, head) => {
    tokens.push(request.headers.authorization);
    if (options.status !== undefined) {
      const headers = Object.entries(options.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.end(`HTTP/1.1 ${options.status} No\r\n${headers.join('')}\r\n`);
      return;
    }
    accepting.handleUpgrade(request, socket, head, (accepted) => {
      sockets.push(accepted);
      accepted.on('message', (data: Buffer) => heard.push(data.toString()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    for (const socket of sockets) socket.terminate();
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets, heard, tokens };
}

function aGateway(url: string | (() => string)) {
  const clock = timers();
  const told: unknown[] = [];
  const forgotten: string[] = [];
  const alive = { times: 0 };
  const handlers: LiveHandlers = {
    opened: () => void told.push('opened'),
    closed: () => void told.push('closed'),
    alive: () => void (alive.times += 1),
    command: (frame) => void told.push(frame.is),
    still: (frame) => void told.push(frame.is),
    poke: (head) => void told.push({ poke: head }),
    pause: (ms) => void told.push({ pause: ms }),
    revoked: () => void told.push('revoked'),
  };
  const line = gatewaySocket({
    hostedUrl: async () => (typeof url === 'string' ? url : url()),
    sessionToken: async () => 'token-1',
    forgetToken: () => void forgotten.push('token'),
    monotonic: () => 0,
    later: clock.later,
    random: () => 1,
    log,
  });
  closing.push(line.close);
  line.open(handlers);
  return { line, told, clock, forgotten, alive };
}

describe('the live socket', () => {
  test('comes with the token of the gateway and tells what the hosted instance says', async () => {
    const hosted = await aHosted();
    const { told, line } = aGateway(hosted.url);
    await until(() => told.length === 1);
    hosted.sockets[0]?.send(JSON.stringify({ is: 'poke', head: 12 }));
    hosted.sockets[0]?.send(JSON.stringify({ is: 'pause', ms: 5_000 }));
    await until(() => told.length === 3);
    expect(told).toEqual(['opened', { poke: 12 }, { pause: 5_000 }]);
    expect(hosted.tokens).toEqual(['Bearer token-1']);
    expect(line.send({ is: 'live', is_all: true, points: [] })).toBe(true);
    await until(() => hosted.heard.length === 1);
    expect(JSON.parse(hosted.heard[0] ?? '')).toEqual({ is: 'live', is_all: true, points: [] });
  });

  test('passes over frames that are none, and ends a socket that sends nothing else', async () => {
    const hosted = await aHosted();
    const { told } = aGateway(hosted.url);
    await until(() => told.length === 1);
    const [socket] = hosted.sockets;
    for (const nonsense of ['{', '{"is":"fly"}', '{"is":"command"}', '{"is":"poke","head":"x"}'])
      socket?.send(nonsense);
    socket?.send(JSON.stringify({ is: 'poke', head: 1 }));
    await until(() => told.length === 2);
    expect(told).toEqual(['opened', { poke: 1 }]);
    for (let n = 0; n < 30; n += 1) socket?.send('{}');
    await until(() => told.includes('closed'));
  });

  test('ends on a frame that is larger than any order', async () => {
    const hosted = await aHosted();
    const { told } = aGateway(hosted.url);
    await until(() => told.length === 1);
    hosted.sockets[0]?.send(JSON.stringify({ is: 'poke', head: 1, text: 'x'.repeat(100_000) }));
    await until(() => told.includes('closed'));
    expect(told).toEqual(['opened', 'closed']);
  });

  test('notices a line that is dead though nobody said so: two pings without an answer', async () => {
    const hosted = await aHosted({ answersPings: false });
    const { told, clock } = aGateway(hosted.url);
    await until(() => told.length === 1);
    expect(clock.fire()).toBe(25_000);
    expect(clock.fire()).toBe(25_000);
    expect(told).toEqual(['opened']);
    clock.fire();
    await until(() => told.includes('closed'));
    // and comes again by itself
    await until(() => clock.waiting.length === 1);
    clock.fire();
    await until(() => hosted.sockets.length === 2);
  });

  test('a line that answers its pings stays', async () => {
    const hosted = await aHosted();
    const { told, clock, alive } = aGateway(hosted.url);
    await until(() => told.length === 1);
    for (let n = 0; n < 5; n += 1) {
      const { times } = alive;
      clock.fire();
      await until(() => alive.times > times);
    }
    expect(told).toEqual(['opened']);
  });

  test('a server that sheds is left alone as long as it asks', async () => {
    const hosted = await aHosted({ status: 503, headers: { 'Retry-After': '40' } });
    const { clock, told } = aGateway(hosted.url);
    await until(() => clock.waiting.length === 1);
    expect(clock.waiting[0]?.ms).toBeGreaterThanOrEqual(40_000);
    expect(told).toEqual([]);
  });

  test('a token that is refused is forgotten', async () => {
    const hosted = await aHosted({ status: 401 });
    const { clock, forgotten } = aGateway(hosted.url);
    await until(() => clock.waiting.length === 1);
    expect(forgotten).toEqual(['token']);
  });

  test('where nobody answers it comes again within four seconds, however long that lasts', async () => {
    const { clock } = aGateway('http://127.0.0.1:9');
    const waits: number[] = [];
    for (let n = 0; n < 8; n += 1) {
      await until(() => clock.waiting.length === 1);
      waits.push(clock.fire());
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 4_000, 4_000, 4_000, 4_000, 4_000]);
  });

  test('a line that comes back after a long outage and falls at once is tried again within a second, then more seldom', async () => {
    const hosted = await aHosted();
    let isOut = true;
    const { told, clock } = aGateway(() => (isOut ? 'http://127.0.0.1:9' : hosted.url));
    for (let tries = 0; tries < 8; tries += 1) {
      await until(() => clock.waiting.length === 1);
      clock.fire();
    }
    await until(() => clock.waiting.length === 1);
    isOut = false;
    clock.fire();
    for (const within of [1_000, 2_000, 4_000]) {
      await until(() => told.at(-1) === 'opened');
      hosted.sockets.at(-1)?.terminate();
      await until(() => told.at(-1) === 'closed');
      expect(clock.waiting.at(-1)?.ms).toBe(within);
      clock.fire();
    }
  });

  test('once closed it stays closed', async () => {
    const hosted = await aHosted();
    const { line, told, clock } = aGateway(hosted.url);
    await until(() => told.length === 1);
    line.close();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(told).toEqual(['opened', 'closed']);
    expect(clock.waiting).toEqual([]);
    expect(line.send({ is: 'live', is_all: true, points: [] })).toBe(false);
  });
});

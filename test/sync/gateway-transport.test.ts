import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { HostedRefused, hostedAddress } from '../../gateway/adapters/sync/ask-hosted.ts';
import { gatewayTransport } from '../../gateway/adapters/sync/gateway-transport.ts';
import { LinkFailure } from '../../gateway/sync/gateway/ask.ts';

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Handle = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

/** A hosted instance that behaves as the test wants. */
async function aServer(handle: Handle): Promise<string> {
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => handle(request, response, Buffer.concat(chunks)));
  });
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function aTransport(
  url: string,
  options: { sessionToken?: () => Promise<string>; forgetToken?: () => void } = {},
) {
  const transport = gatewayTransport({
    hostedUrl: async () => url,
    sessionToken: options.sessionToken ?? (async () => 'token-1'),
    forgetToken: options.forgetToken ?? (() => undefined),
  });
  closing.push(transport.dropConnections);
  return transport;
}

const soon = { timeoutMs: 30_000 };
const json = (response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}) =>
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));

/** Why a question got no answer. */
const whyNot = (asking: Promise<unknown>) =>
  asking.then(
    () => 'answered',
    (error: unknown) => (error instanceof LinkFailure ? error.why : 'another mistake'),
  );

describe('a question of the gateway', () => {
  test('is packed when that is worth it, carries the token, and its packed answer is read', async () => {
    const seen: { encoding: string | undefined; token: string | undefined; rows: number }[] = [];
    const url = await aServer((request, response, body) => {
      const packed = request.headers['content-encoding'];
      const plain = packed === 'zstd' ? zstdDecompressSync(body) : body;
      const { rows } = JSON.parse(plain.toString()) as { rows: unknown[] };
      seen.push({ encoding: packed, token: request.headers.authorization, rows: rows.length });
      const answer = Buffer.from(JSON.stringify({ path: request.url, text: 'x'.repeat(5_000) }));
      const encoding = seen.length === 1 ? 'zstd' : 'gzip';
      response
        .writeHead(200, { 'Content-Encoding': encoding })
        .end(encoding === 'zstd' ? zstdCompressSync(answer) : gzipSync(answer));
    });
    const { ask } = aTransport(url);
    const rows = Array.from({ length: 100 }, (_, n) => ({ id: `row-${n}` }));
    expect(await ask('push', { rows }, soon)).toMatchObject({ ok: true, answer: { path: '/sync/v1/push' } });
    expect(await ask('pull', { rows: [] }, soon)).toMatchObject({
      ok: true,
      answer: { path: '/sync/v1/pull' },
    });
    expect(seen).toEqual([
      { encoding: 'zstd', token: 'Bearer token-1', rows: 100 },
      { encoding: undefined, token: 'Bearer token-1', rows: 0 },
    ]);
  });

  test('goes once more with a fresh token when the first has ended', async () => {
    const tokens = ['old', 'new'];
    let at = 0;
    const url = await aServer((request, response) =>
      request.headers.authorization === 'Bearer new'
        ? json(response, { fine: true })
        : json(response, { code: 'SYNC_TOKEN', detail: 'No valid token' }, 401),
    );
    const { ask } = aTransport(url, {
      sessionToken: async () => tokens[at] ?? '',
      forgetToken: () => void (at += 1),
    });
    expect(await ask('hello', {}, soon)).toEqual({ ok: true, answer: { fine: true } });
  });

  test('that is refused tells the reason, where to go on, and how long to wait', async () => {
    const point = { seq: 7, chain: '0'.repeat(32) };
    const url = await aServer((request, response) =>
      request.url?.endsWith('push')
        ? json(response, { code: 'SYNC_GAP', detail: 'There is a gap', in: point }, 409)
        : json(response, { code: 'BUSY', detail: 'Too many gateways at once' }, 503, { 'Retry-After': '12' }),
    );
    const { ask } = aTransport(url);
    expect(await ask('push', {}, soon)).toEqual({
      ok: false,
      refused: { status: 409, code: 'SYNC_GAP', detail: 'There is a gap', in: point },
    });
    expect(await ask('pull', {}, soon)).toMatchObject({
      ok: false,
      refused: { status: 503, code: 'BUSY', retryAfterMs: 12_000 },
    });
  });

  test('that a proxy refuses with a page of its own proves nothing about the pairing', async () => {
    const url = await aServer((_, response) =>
      response.writeHead(403).end('<html>Blocked by the hotel</html>'),
    );
    const { ask } = aTransport(url);
    expect(await ask('hello', {}, soon)).toMatchObject({
      ok: false,
      refused: { status: 403, code: 'HTTP_403' },
    });
  });

  test('is answered by what the sign-in was refused with', async () => {
    const refused = { status: 403, code: 'SYNC_REVOKED', detail: 'unpaired' };
    const { ask } = aTransport('http://127.0.0.1:9', {
      sessionToken: () => Promise.reject(new HostedRefused(refused)),
    });
    expect(await ask('hello', {}, soon)).toEqual({ ok: false, refused });
  });
});

describe('a line that misbehaves', () => {
  test.each<[string, string, Handle]>([
    [
      'an answer that is cut off',
      'broken',
      (_, response) => {
        response.writeHead(200, { 'Content-Length': '1000' });
        response.write('{"in":');
        setTimeout(() => response.destroy(), 20);
      },
    ],
    ['an answer that is no JSON', 'broken', (_, response) => response.end('<html>hello</html>')],
    [
      'text that is not UTF-8',
      'broken',
      (_, response) => response.end(Buffer.from([0x22, 0xff, 0xfe, 0x22])),
    ],
    [
      'a packed answer with a wrong bit',
      'broken',
      (_, response) => {
        const packed = gzipSync(JSON.stringify({ text: 'x'.repeat(5_000) }));
        packed[12] = (packed[12] ?? 0) ^ 1;
        response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(packed);
      },
    ],
    [
      'a small answer that unpacks to a huge one',
      'broken',
      (_, response) => {
        response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(Buffer.alloc(20_000_000, 0x20)));
      },
    ],
    [
      'an answer without end',
      'broken',
      (_, response) => {
        const more = () => {
          if (!response.destroyed && response.write(Buffer.alloc(65_536, 0x20))) setImmediate(more);
        };
        response.on('drain', more);
        more();
      },
    ],
    [
      'an unknown packing',
      'broken',
      (_, response) => response.writeHead(200, { 'Content-Encoding': 'br' }).end('x'),
    ],
    ['a connection that is thrown away', 'broken', (request) => request.socket.destroy()],
  ])('%s is refused', async (_what, why, handle) => {
    const { ask } = aTransport(await aServer(handle));
    expect(await whyNot(ask('hello', {}, soon))).toBe(why);
  });

  test('a server that takes the question and never answers is given up in time', async () => {
    const { ask } = aTransport(await aServer(() => undefined));
    expect(await whyNot(ask('hello', {}, { timeoutMs: 150 }))).toBe('timeout');
  });

  test('an answer that goes on in another protocol is broken, and not waited for', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Other\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
      );
    });
    closing.push(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await whyNot(aTransport(url).ask('pull', {}, soon))).toBe('broken');
  });

  test('an answer that drips is given up in time, too', async () => {
    const { ask } = aTransport(
      await aServer((_, response) => {
        const drip = setInterval(() => response.write(' '), 20);
        response.once('close', () => clearInterval(drip));
      }),
    );
    expect(await whyNot(ask('hello', {}, { timeoutMs: 200 }))).toBe('timeout');
  });

  test('where nobody listens it is unreachable, which is tried again soon', async () => {
    const { ask } = aTransport('http://127.0.0.1:9');
    expect(await whyNot(ask('hello', {}, soon))).toBe('unreachable');
  });

  test('dropped connections end what hangs on them', async () => {
    const sockets: Socket[] = [];
    const asked = Promise.withResolvers<void>();
    const server = createTcpServer((socket) => {
      sockets.push(socket);
      socket.once('data', () => asked.resolve());
    });
    closing.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const transport = aTransport(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const asking = whyNot(transport.ask('hello', {}, soon));
    await asked.promise;
    transport.dropConnections();
    expect(await asking).toBe('broken');
  });
});

describe('where the hosted instance may be', () => {
  test.each([
    ['https://sync.example', true],
    ['http://sync.example', false],
    ['http://192.168.1.20:8080', true],
    ['http://10.1.2.3', true],
    ['http://172.32.0.1', false],
    ['http://localhost:8080', true],
    ['http://[::1]:8080', true],
    ['http://[2001:db8::1]', false],
    ['http://cloud', true],
    ['ftp://sync.example', false],
    ['nonsense', false],
  ])('%s: %s', (url, isAllowed) => {
    expect(hostedAddress(url).ok).toBe(isAllowed);
  });
});

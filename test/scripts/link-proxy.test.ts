import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { type Line, type LinkProxy, openLinkProxy } from '../../scripts/hosted/link-proxy.ts';

// Real sockets on this machine; times are lower bounds, which no load on it can break.

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A server that sends back what it hears, behind a line. */
async function anEchoBehind(line: Partial<Line>): Promise<LinkProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // listening on a port
  const proxy = await openLinkProxy({ port: (server.address() as AddressInfo).port }, line);
  closing.push(async () => {
    await proxy.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return proxy;
}

async function aConnection(proxy: LinkProxy): Promise<Socket> {
  const socket = connect(proxy.port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Broken from the other side: a reset is an error before it is an end, and both are meant. */
const broken = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));

/** How long `bytes` take there and back, ms. */
async function echoed(socket: Socket, bytes: number): Promise<number> {
  const from = performance.now();
  let heard = 0;
  const all = new Promise<void>((resolve) => {
    socket.on('data', function count(chunk: Buffer) {
      heard += chunk.length;
      if (heard < bytes) return;
      socket.off('data', count);
      resolve();
    });
  });
  socket.write(Buffer.alloc(bytes, 7));
  await all;
  return performance.now() - from;
}

it('a line without faults carries everything both ways', async () => {
  const proxy = await anEchoBehind({});
  await echoed(await aConnection(proxy), 1_000_000);
  expect(proxy.counts()).toEqual({ open: 1, connections: 1, bytesThere: 1_000_000, bytesBack: 1_000_000 });
});

it('a word takes a round trip, and one more on a new connection', async () => {
  const proxy = await anEchoBehind({ roundTripMs: 80 });
  const socket = await aConnection(proxy);
  expect(await echoed(socket, 10)).toBeGreaterThanOrEqual(155);
  const second = await echoed(socket, 10);
  expect(second).toBeGreaterThanOrEqual(75);
});

it('a narrow line takes as long as its width says, for all connections together', async () => {
  const proxy = await anEchoBehind({ bytesPerSecond: 400_000 });
  const sockets = [await aConnection(proxy), await aConnection(proxy)];
  const from = performance.now();
  await Promise.all(sockets.map((socket) => echoed(socket, 40_000)));
  expect(performance.now() - from).toBeGreaterThanOrEqual(195);
});

it('a cut breaks what is open and refuses what comes, until it is mended', async () => {
  const proxy = await anEchoBehind({});
  const socket = await aConnection(proxy);
  await echoed(socket, 10);
  const isBroken = broken(socket);
  proxy.cut();
  await isBroken;
  const refused = connect(proxy.port, '127.0.0.1').on('error', () => undefined);
  await broken(refused);
  proxy.restore();
  await echoed(await aConnection(proxy), 10);
  expect(proxy.counts()).toMatchObject({ open: 1, connections: 2 });
});

it('a half-open line takes bytes and delivers none; the connection breaks only when the line is back', async () => {
  const proxy = await anEchoBehind({});
  const socket = await aConnection(proxy);
  await echoed(socket, 10);
  proxy.swallow();
  const heard: number[] = [];
  socket.on('data', (chunk: Buffer) => heard.push(chunk.length));
  socket.write('lost');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect({ heard, isOpen: !socket.destroyed, ...proxy.counts() }).toMatchObject({
    heard: [],
    isOpen: true,
    bytesThere: 10,
  });
  const isBroken = broken(socket);
  proxy.restore();
  await isBroken;
  await echoed(await aConnection(proxy), 10);
});

it('the last word of a server arrives before the end of its connection', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).end('a last word');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // listening on a port
  const target = { port: (server.address() as AddressInfo).port };
  const proxy = await openLinkProxy(target, { roundTripMs: 20, bytesPerSecond: 100_000 });
  closing.push(async () => {
    await proxy.close();
    server.close();
  });
  const heard = Array.from({ length: 40 }, async () => {
    const socket = connect(proxy.port, '127.0.0.1').setEncoding('utf8');
    let text = '';
    for await (const chunk of socket) text += chunk;
    return text;
  });
  expect(await Promise.all(heard)).toEqual(Array(40).fill('a last word'));
});

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { endInPieces, fairTurns, type TurnBounds } from '#adapters/http/fair-turns.ts';
import { oneATurn } from '#core/one-a-turn.ts';

// A real server, each of whose answers costs the loop some time, and neighbours on addresses and connections of their own
// that all ask at the same moment.

function busyFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('requests in turns', () => {
  const closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });

  async function farm({
    costMs,
    laterMs,
    ...bounds
  }: Partial<TurnBounds> & { costMs: number; laterMs?: number }) {
    const refused: string[] = [];
    const handled: string[] = [];
    const turns = fairTurns({
      handle(request, response) {
        handled.push(request.url ?? '');
        busyFor(costMs);
        if (laterMs === undefined) return void response.end();
        // the database has answered
        setTimeout(() => {
          busyFor(laterMs);
          response.end();
        });
      },
      sourceOf: ({ socket }) => socket.remoteAddress ?? '',
      refused: (reason, source) => void refused.push(`${reason} ${source}`),
      bounds,
    });
    const server = createServer(turns).listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(
      () => void server.close(),
      () => server.closeAllConnections(),
    );
    const { port } = server.address() as AddressInfo;
    let accepted = 0;
    let opened = 0;
    server.on('connection', () => {
      accepted += 1;
    });
    /** So many connections from an address; the server has taken each of them in. */
    async function from(localAddress: string, count: number): Promise<Socket[]> {
      opened += count;
      const sockets = Array.from({ length: count }, () => connect({ host: '127.0.0.1', port, localAddress }));
      for (const socket of sockets) socket.on('error', () => undefined);
      while (accepted < opened) await nextTurn();
      return sockets;
    }
    return { from, refused, handled };
  }

  /** Sends a request; resolves with its status, 0 for a connection that ended without one. */
  function ask(socket: Socket, path: string): Promise<number> {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    return new Promise((resolve) => {
      socket.once('data', (bytes) =>
        resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(bytes.toString('latin1'))?.[1])),
      );
      socket.once('close', () => resolve(0));
    });
  }

  it('leave the loop to others in between, however many are ready', async () => {
    const { from, handled } = await farm({ costMs: 2 });
    const flood = (await from('127.3.0.1', 100)).map((socket) => ask(socket, '/ponds'));
    const inOneTurn: number[] = [];
    for (let before = 0; handled.length < 100; before = handled.length) {
      await nextTurn();
      inOneTurn.push(handled.length - before);
    }
    expect(Math.max(...inOneTurn)).toBeLessThanOrEqual(5);
    expect(await Promise.all(flood)).toEqual(Array(100).fill(200));
  });

  it('begin few while the answers of earlier ones fill the loop', async () => {
    const { from, handled } = await farm({ costMs: 0.2, laterMs: 2, mostPerSource: 300 });
    const flood = (await from('127.3.4.1', 200)).map((socket) => ask(socket, '/ponds'));
    const inOneTurn: number[] = [];
    for (let before = 0; handled.length < 200; before = handled.length) {
      await nextTurn();
      inOneTurn.push(handled.length - before);
    }
    // nothing is known of the first, and some turns have time to spare; without the rule nearly all begin in a crowd
    const inCrowds = inOneTurn.filter((begun) => begun > 12).reduce((sum, begun) => sum + begun, 0);
    expect(inCrowds).toBeLessThan(100);
    expect(await Promise.all(flood)).toEqual(Array(200).fill(200));
  });

  it('do the costly parts one in each turn, in order', async () => {
    const done: number[] = [];
    const inTurn = oneATurn();
    for (let n = 0; n < 20; n += 1) inTurn(() => void done.push(n));
    const inOneTurn: number[] = [];
    for (let before = 0; done.length < 20; before = done.length) {
      await nextTurn();
      inOneTurn.push(done.length - before);
    }
    expect(Math.max(...inOneTurn)).toBe(1);
    expect(done).toEqual(Array.from({ length: 20 }, (_each, n) => n));
  });

  it('send a large answer piece by piece, in order, and nothing more to who went', async () => {
    const bytes = randomBytes(1_000_000);
    const inTurn = oneATurn();
    const reader = (mostPieces: number) => {
      const pieces: Buffer[] = [];
      const write = (piece: Buffer, then: (error?: Error) => void) => {
        pieces.push(piece);
        queueMicrotask(() => then(pieces.length < mostPieces ? undefined : new Error('gone')));
        return true;
      };
      const end = (piece: Buffer) => void pieces.push(piece);
      endInPieces({ write, end } as never, bytes, inTurn);
      return pieces;
    };
    const [one, other, gone] = [reader(100), reader(100), reader(3)];
    const sent = () => one.length + other.length + gone.length;
    const inOneTurn: number[] = [];
    while (Buffer.concat(one).length + Buffer.concat(other).length < 2 * bytes.length) {
      const before = sent();
      await nextTurn();
      inOneTurn.push(sent() - before);
    }
    expect(Math.max(...inOneTurn)).toBe(1);
    expect([Buffer.concat(one), Buffer.concat(other)]).toEqual([bytes, bytes]);
    expect(Math.max(...one.map(({ length }) => length))).toBeLessThanOrEqual(65_536);
    expect(gone).toHaveLength(3);
  });

  it('let a controller and a quiet neighbour pass whoever asks without end', async () => {
    const { from, handled } = await farm({ costMs: 2 });
    const [flood, quiet, controller] = [
      await from('127.3.1.1', 100),
      await from('127.3.1.2', 1),
      await from('127.3.1.3', 1),
    ];
    await Promise.all([
      ...flood.map((socket) => ask(socket, '/flood')),
      ...quiet.map((socket) => ask(socket, '/quiet')),
      ...controller.map((socket) => ask(socket, '/api/v1/devices/heartbeat')),
    ]);
    expect(handled).toHaveLength(102);
    // all of the flood was there before them
    expect(handled.indexOf('/quiet')).toBeLessThan(20);
    expect(handled.indexOf('/api/v1/devices/heartbeat')).toBeLessThan(20);
  });

  it('refuse what is too much of one source, and nobody else', async () => {
    const { from, refused } = await farm({ costMs: 2, mostPerSource: 10 });
    const [flood, quiet] = [await from('127.3.2.1', 60), await from('127.3.2.2', 3)];
    const [statuses, ofQuiet] = await Promise.all([
      Promise.all(flood.map((socket) => ask(socket, '/ponds'))),
      Promise.all(quiet.map((socket) => ask(socket, '/ponds'))),
    ]);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    expect(ofQuiet).toEqual([200, 200, 200]);
    expect(new Set(refused)).toEqual(new Set(['too_many_waiting 127.3.2.1']));
  });

  it('waste no time on whoever has gone', async () => {
    const { from, handled } = await farm({ costMs: 2 });
    const sockets = await from('127.3.3.1', 60);
    const answers = sockets.map((socket) => ask(socket, '/ponds'));
    while (handled.length === 0) await nextTurn();
    for (const socket of sockets.slice(30)) socket.destroy();
    const statuses = await Promise.all(answers);
    expect(statuses.slice(0, 30)).toEqual(Array(30).fill(200));
    expect(handled.length).toBeLessThan(60);
    expect(await ask((await from('127.3.3.2', 1))[0] as Socket, '/ponds')).toBe(200);
  });
});

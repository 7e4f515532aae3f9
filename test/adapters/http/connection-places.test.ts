import { once } from 'node:events';
import { Agent, createServer, get } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { boundConnections } from '#adapters/http/harden-server.ts';
import { markProved } from '#core/bounded-connections.ts';
import { until } from '#test/gateway-process.ts';

/** A server that knows who asks for anything but `/`: whom the path names. */
async function aServer(isProxy: (address: string) => boolean = () => false) {
  const refused: string[] = [];
  const server = boundConnections(
    createServer((request, response) => {
      if (request.url !== '/') markProved(request.socket, request.url ?? null);
      response.end('served');
    }),
    {
      isProxy,
      refused: (reason, source) => refused.push(`${reason} ${source}`),
      unproved: { most: 20, mostPerSource: 8 },
      proved: { most: 12, mostPerSource: 6 },
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const opened: Socket[] = [];
  onTestFinished(() => {
    for (const socket of opened) socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  return {
    refused,
    /** A connection that says nothing. */
    silent(localAddress: string): Socket {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      socket.on('error', () => undefined);
      opened.push(socket);
      return socket;
    },
    /** Asks on a connection that is kept; answers its own end of it. */
    async ask(agent: Agent, path: string, localAddress = '127.0.0.1'): Promise<string> {
      const request = get({ port, host: '127.0.0.1', path, agent, localAddress });
      const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream];
      response.resume();
      await once(response, 'end');
      return `${request.socket?.localPort}`;
    },
  };
}

describe('connections at the HTTP server', () => {
  test('that say nothing give way, from however many addresses, and nobody is kept out by them', async () => {
    const server = await aServer();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const own = await server.ask(agent, '/devices/heartbeat');
    const silent = Array.from({ length: 60 }, (_, n) => server.silent(`127.0.2.${n % 30}`));
    await until(
      () => server.refused.length,
      (refused) => refused >= 40,
    );
    await until(
      () => silent.filter((socket) => !socket.destroyed).length,
      (left) => left <= 20,
    );
    // the one who showed who it is keeps its connection; another gets in at once
    expect(await server.ask(agent, '/devices/heartbeat')).toBe(own);
    expect(await server.ask(new Agent(), '/', '127.0.3.1')).not.toBe(own);
    expect(new Set(server.refused.map((told) => told.split(' ')[0]))).toEqual(new Set(['unproved_evicted']));
  });

  test('of one address have a bound, and none of a proxy', async () => {
    const server = await aServer((address) => address === '127.0.4.1');
    for (let n = 0; n < 12; n += 1) server.silent('127.0.2.1');
    await until(
      () => server.refused.length,
      (refused) => refused === 4,
    );
    for (let n = 0; n < 30; n += 1) server.silent('127.0.4.1');
    expect(await server.ask(new Agent(), '/', '127.0.4.1')).toBeTruthy();
    expect(server.refused).toEqual(Array(4).fill('unproved_evicted 127.0.2.1'));
  });

  test('of who showed who it is have a bound too, each and together; whoever holds most gives way', async () => {
    const server = await aServer();
    const kept = () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      onTestFinished(() => agent.destroy());
      return agent;
    };
    const controllers = Array.from({ length: 6 }, (_, n) => ({ agent: kept(), path: `/aerator-${n}` }));
    const own = await Promise.all(controllers.map(({ agent, path }) => server.ask(agent, path)));
    for (let n = 0; n < 9; n += 1) await server.ask(kept(), '/stranger');
    expect(server.refused).toEqual(Array(3).fill('proved_evicted 127.0.0.1'));
    for (let n = 0; n < 3; n += 1) await server.ask(kept(), `/another-${n}`);
    expect(server.refused).toHaveLength(6);
    expect(await Promise.all(controllers.map(({ agent, path }) => server.ask(agent, path)))).toEqual(own);
  });
});

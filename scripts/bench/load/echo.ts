import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { type Line, openLinkProxy } from '../../hosted/link-proxy.ts';

/** A bare WebSocket behind such a line, whose other end says everything again: what the line alone costs. */
export async function openEcho(line: Partial<Line>) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  server.on('connection', (socket) => socket.on('message', (data) => socket.send(data)));
  await once(server, 'listening');
  // listening on a port, not on a pipe
  const { port } = server.address() as AddressInfo;
  const link = await openLinkProxy({ port }, line);
  const socket = new WebSocket(`ws://127.0.0.1:${link.port}`, { perMessageDeflate: false });
  await once(socket, 'open');
  const pings: { timer: NodeJS.Timeout | undefined } = { timer: undefined };
  return {
    link,
    /** Milliseconds there and back, one after the other. */
    async times(count: number): Promise<number[]> {
      const times: number[] = [];
      for (let n = 0; n < count; n += 1) {
        const startedAt = performance.now();
        socket.send('{"is":"command"}');
        await once(socket, 'message');
        times.push(performance.now() - startedAt);
      }
      return times;
    },
    /** Both ends prove the line so often, and say nothing else. */
    pingEvery(ms: number): void {
      pings.timer = setInterval(() => {
        for (const end of [socket, ...server.clients]) end.ping();
      }, ms);
    },
    async close(): Promise<void> {
      clearInterval(pings.timer);
      socket.terminate();
      await link.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

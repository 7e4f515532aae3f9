import type { Log } from './kernel.ts';

type Asked = { url?: string | undefined };
type Line = {
  on: (event: 'error', listener: () => void) => unknown;
  end: (text: string, sent: () => void) => unknown;
  destroy: () => unknown;
};
export type Upgrade<Request extends Asked, Socket extends Line> = {
  request: Request;
  socket: Socket;
  head: Buffer;
};
type Listener<Request, Socket> = (request: Request, socket: Socket, head: Buffer) => void;
type Server<Request, Socket> = {
  on: (event: 'upgrade', listener: Listener<Request, Socket>) => unknown;
  off: (event: 'upgrade', listener: Listener<Request, Socket>) => unknown;
  listenerCount: (event: 'upgrade') => number;
};

/**
 * Takes requests that ask to go on in another protocol at `path`; answers the way to take no more. From such a request on
 * Node listens to the connection no longer, and whatever is thrown here would end the process: so who breaks the connection, or asks
 * in words that nobody foresaw, ends that connection alone.
 */
export function takeUpgrades<Request extends Asked, Socket extends Line>(
  server: Server<Request, Socket>,
  {
    path,
    log,
    take,
    refusePath,
  }: {
    path: string;
    log: Log;
    take: (upgrade: Upgrade<Request, Socket>) => void;
    /** Nobody else is there who might want it. */
    refusePath: (upgrade: Upgrade<Request, Socket>) => void;
  },
): () => void {
  const listener: Listener<Request, Socket> = (request, socket, head) => {
    socket.on('error', () => undefined);
    const upgrade = { request, socket, head };
    try {
      if (pathOf(request) === path) take(upgrade);
      else if (server.listenerCount('upgrade') === 1) refusePath(upgrade);
    } catch (error) {
      log.error({ err: error }, 'a request for another protocol could not be looked at');
      socket.destroy();
    }
  };
  server.on('upgrade', listener);
  return () => void server.off('upgrade', listener);
}

/** Compared as it came: not every address that can be asked for can be taken apart. */
const pathOf = ({ url = '' }: Asked): string => url.split('?', 1)[0] ?? '';

/** Answers and ends the connection, whose own side the other may keep open as long as it likes. */
export function refuseUpgrade(
  { socket }: { socket: Line },
  status: string,
  { headers = {}, body = '' }: { headers?: Readonly<Record<string, string>>; body?: string } = {},
): void {
  const lines = Object.entries({
    ...headers,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
}

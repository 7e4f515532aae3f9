import { createServer, type Server, type Socket } from 'node:net';
import { dropLink, linkTo } from '../port-link.ts';
import { openPty } from './open-pty.ts';
import type { HostEvents } from './rfc2217.ts';
import { createRfc2217 } from './rfc2217.ts';

// How a host reaches the simulated board: a pseudo-terminal, a plain TCP port, or TCP with the modem lines of RFC 2217.

export type PortKind =
  | { kind: 'pty'; link?: string | undefined }
  | { kind: 'tcp' | 'rfc2217'; port: number; host?: string | undefined };

export type HostPort = {
  /** What a client is given: a path, `socket://…` or `rfc2217://…`. */
  path: string;
  write(bytes: Uint8Array): void;
  /** Pulls the cable. */
  close(): Promise<void>;
};

/** Bytes that may wait for a client that does not read. */
const MAX_WAITING_BYTES = 1_048_576;

/** Throws an Error with one sentence when the port cannot be had. */
export function openHostPort(events: HostEvents, kind: PortKind): Promise<HostPort> {
  return kind.kind === 'pty' ? openPtyPort(events, kind.link) : openTcpPort(events, kind);
}

async function openPtyPort(events: HostEvents, link: string | undefined): Promise<HostPort> {
  const pty = await openPty();
  pty.onData(events.data);
  if (link !== undefined) {
    try {
      await linkTo(link, pty.path);
    } catch (cause) {
      await pty.close();
      throw cause;
    }
  }
  return {
    path: pty.path,
    write: pty.write,
    close: async () => {
      if (link !== undefined) await dropLink(link, pty.path);
      await pty.close();
    },
  };
}

type TcpKind = Extract<PortKind, { port: number }>;

async function openTcpPort(
  events: HostEvents,
  { kind, port, host = '127.0.0.1' }: TcpKind,
): Promise<HostPort> {
  let client: { socket: Socket; send: (bytes: Uint8Array) => void } | null = null;
  const server = createServer((socket) => {
    // One cable, one host.
    if (client !== null) return void socket.destroy();
    socket.setNoDelay(true);
    const write = (bytes: Uint8Array) => {
      if (!socket.destroyed && socket.writableLength < MAX_WAITING_BYTES) socket.write(bytes);
    };
    const telnet = kind === 'rfc2217' ? createRfc2217({ ...events, reply: write }) : null;
    const mine = {
      socket,
      send: telnet === null ? write : (bytes: Uint8Array) => write(telnet.escape(bytes)),
    };
    client = mine;
    socket.on('data', (bytes) => (telnet === null ? events.data(bytes) : telnet.feed(bytes)));
    // 'close' follows and tells the same.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (client === mine) client = null;
      // An adapter nobody holds open lets both lines go.
      if (telnet !== null) events.lines({ dtr: false, rts: false });
      events.hangUp();
    });
  });
  const boundPort = await listen(server, port, host);
  return {
    path: `${kind === 'tcp' ? 'socket' : 'rfc2217'}://${host}:${boundPort}`,
    write: (bytes) => client?.send(bytes),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        client?.socket.destroy();
      }),
  };
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new Error(`port ${port} cannot be had: ${cause.message}`, { cause })),
    );
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

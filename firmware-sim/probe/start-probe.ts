import { createServer, type Socket } from 'node:net';
import { openPty } from '../board/open-pty.ts';
import { type Answer, type Slaves, takeRtuRequests, takeTcpRequests } from './modbus-slave.ts';

export type StartedProbe = {
  /** Path of the serial port, or the TCP port. */
  at: string | number;
  close: () => Promise<void>;
};

const MOST_BYTES = 4_096;

/** Probes at a pseudo-terminal, as at an RS-485 adapter. */
export async function startProbePty(slaves: Slaves): Promise<StartedProbe> {
  const pty = await openPty();
  const line = createLine(takeRtuRequests, slaves.rtu, pty.write);
  pty.onData(line.feed);
  return {
    at: pty.path,
    async close() {
      line.stop();
      await pty.close();
    },
  };
}

/** Probes behind Modbus TCP, or behind a serial server that hands RTU frames through. Port 0: any. */
export async function startProbeTcp(
  slaves: Slaves,
  { port, framing, host = '127.0.0.1' }: { port: number; framing: 'tcp' | 'rtu'; host?: string },
): Promise<StartedProbe> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    const write = (bytes: Uint8Array) => void (socket.writable && socket.write(bytes));
    const line =
      framing === 'tcp'
        ? createLine(takeTcpRequests, slaves.tcp, write)
        : createLine(takeRtuRequests, slaves.rtu, write);
    socket.on('data', line.feed);
    // 'close' follows
    socket.on('error', () => undefined);
    socket.once('close', () => {
      line.stop();
      open.delete(socket);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return {
    at: typeof address === 'object' && address !== null ? address.port : port,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Take = (bytes: Uint8Array, take: (frame: Uint8Array) => void) => Uint8Array;

function createLine(
  take: Take,
  answer: (frame: Uint8Array) => Answer | null,
  write: (bytes: Uint8Array) => void,
) {
  let waiting: Uint8Array = new Uint8Array(0);
  const timers = new Set<NodeJS.Timeout>();
  const send = ({ bytes, afterMs }: Answer) => {
    if (afterMs === 0) return write(bytes);
    const timer = setTimeout(() => {
      timers.delete(timer);
      write(bytes);
    }, afterMs);
    timers.add(timer);
  };
  return {
    feed(bytes: Uint8Array) {
      const all = new Uint8Array(waiting.length + bytes.length);
      all.set(waiting);
      all.set(bytes, waiting.length);
      waiting = take(all.slice(-MOST_BYTES), (frame) => {
        const answered = answer(frame);
        if (answered !== null) send(answered);
      });
    },
    stop() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}

import type { Log } from './kernel.ts';

type Sender = { address: string; port: number };
type Socket<From extends Sender> = {
  on: (event: 'message', listener: (message: Buffer, from: From) => void) => unknown;
};

/**
 * Takes the datagrams of a socket that anybody may send to. One without a port to answer to (port 0) is dropped: Node throws at
 * whoever answers it, and whatever is thrown here would end the process.
 */
export function takeDatagrams<From extends Sender>(
  socket: Socket<From>,
  { log, take }: { log: Log; take: (message: Buffer, from: From) => void },
): void {
  socket.on('message', (message, from) => {
    if (from.port === 0) return;
    try {
      take(message, from);
    } catch (error) {
      log.error({ err: error }, 'a datagram could not be looked at');
    }
  });
}

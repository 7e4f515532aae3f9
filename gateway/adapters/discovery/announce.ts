import { createSocket, type Socket } from 'node:dgram';
import multicastDns from 'multicast-dns';
import { type Beacon, DISCOVERY_QUESTION, SERVICE } from '#contract/discovery.ts';
import type { Log } from '#core/kernel.ts';

// Answers whoever looks for a gateway on the farm's network. It tells nothing that the network does not see anyway, and
// the answer is hardly longer than the question, so that nobody can use it to flood somebody else.

export type AnnounceDeps = {
  log: Log;
  beacon: () => Beacon;
  /** Only neighbours are answered. */
  isPrivateAddress: (address: string) => boolean;
  /** 0 picks a free one, for tests. */
  port: number;
};

const MOST_ANSWERS_PER_S = 50;
const TTL_S = 120;

export type Announcer = { port: number; close(): Promise<void> };

/** Never throws: a gateway that cannot be found by itself still serves whoever knows its address. */
export async function announce({
  log,
  beacon,
  port,
  isPrivateAddress,
}: AnnounceDeps): Promise<Announcer | null> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  const bound = await bind(socket, port).catch((error: unknown) => {
    log.warn({ err: error, port }, 'gateways cannot be found by themselves here: the port is taken');
    return null;
  });
  if (bound === null) return null;
  answerQuestions(socket, { beacon, isPrivateAddress });
  const names = announceService(log, beacon);
  return {
    port: bound,
    async close() {
      await Promise.all([new Promise<void>((resolve) => socket.close(() => resolve())), names.close()]);
    },
  };
}

function bind(socket: Socket, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(port, () => {
      socket.removeListener('error', reject);
      // what comes later is nothing to end for
      socket.on('error', () => undefined);
      resolve(socket.address().port);
    });
  });
}

function answerQuestions(
  socket: Socket,
  { beacon, isPrivateAddress }: Pick<AnnounceDeps, 'beacon' | 'isPrivateAddress'>,
): void {
  let second = 0;
  let answered = 0;
  socket.on('message', (message, from) => {
    if (message.length > 64 || message.toString('latin1') !== DISCOVERY_QUESTION) return;
    if (!isPrivateAddress(from.address)) return;
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) {
      second = now;
      answered = 0;
    }
    answered += 1;
    if (answered > MOST_ANSWERS_PER_S) return;
    socket.send(JSON.stringify(beacon()), from.port, from.address, () => undefined);
  });
}

function announceService(log: Log, beacon: AnnounceDeps['beacon']): { close(): Promise<void> } {
  const mdns = multicastDns();
  let isReady = true;
  mdns.on('error', (error) => {
    isReady = false;
    log.warn({ err: error }, 'the name service of the local network does not work here');
  });
  mdns.on('warning', () => undefined);
  mdns.on('query', (query) => {
    if (!isReady || !(query.questions ?? []).some(({ name }) => name === SERVICE)) return;
    const { name, http_port, pin, id } = beacon();
    const instance = `${name.replaceAll('.', ' ').slice(0, 60)}.${SERVICE}`;
    mdns.respond({
      answers: [{ name: SERVICE, type: 'PTR', ttl: TTL_S, data: instance }],
      additionals: [
        { name: instance, type: 'SRV', ttl: TTL_S, data: { port: http_port, target: 'camarao.local' } },
        {
          name: instance,
          type: 'TXT',
          ttl: TTL_S,
          data: [`id=${id}`, ...(pin === null ? [] : [`pin=${pin}`])],
        },
      ],
    });
  });
  return { close: () => new Promise((resolve) => mdns.destroy(() => resolve())) };
}

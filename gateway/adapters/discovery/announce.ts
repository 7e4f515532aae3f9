import { createSocket, type Socket } from 'node:dgram';
import { BEACON_EVERY_S, type Beacon, DISCOVERY_PORT, DISCOVERY_QUESTION } from '#contract/discovery.ts';
import type { Log } from '#core/kernel.ts';
import { announceService } from './name-service.ts';
import { type OwnNetwork, ownNetworks } from './networks.ts';

// Answers whoever looks for a gateway on the farm's network. It tells nothing that the network does not see anyway, and
// the answer is hardly longer than the question, so that nobody can use it to flood somebody else.

export type AnnounceDeps = {
  log: Log;
  beacon: () => Beacon;
  /** Only neighbours are answered. */
  isPrivateAddress: (address: string) => boolean;
  /** 0 picks a free one, for tests. */
  port: number;
  networks?: () => readonly OwnNetwork[];
  saysEveryMs?: number;
  monotonic?: () => number;
};

type Spoken = Pick<AnnounceDeps, 'beacon' | 'networks' | 'saysEveryMs'>;

const MOST_ANSWERS_PER_S = 50;

export type Announcer = { port: number; close(): Promise<void> };

/** Never throws: a gateway that cannot be found by itself still serves whoever knows its address. */
export async function announce({
  log,
  beacon,
  port,
  isPrivateAddress,
  networks = ownNetworks,
  saysEveryMs = BEACON_EVERY_S * 1000,
  monotonic = () => performance.now(),
}: AnnounceDeps): Promise<Announcer | null> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  const bound = await bind(socket, port).catch((error: unknown) => {
    log.warn({ err: error, port }, 'gateways cannot be found by themselves here: the port is taken');
    return null;
  });
  if (bound === null) return null;
  answerQuestions(socket, { beacon, isPrivateAddress, monotonic });
  socket.setBroadcast(true);
  const fallSilent = sayToAll(socket, { beacon, networks, saysEveryMs });
  const names = announceService({ log, beacon, networks });
  return {
    port: bound,
    async close() {
      fallSilent();
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
  {
    beacon,
    isPrivateAddress,
    monotonic,
  }: Required<Pick<AnnounceDeps, 'beacon' | 'isPrivateAddress' | 'monotonic'>>,
): void {
  let second = 0;
  let answered = 0;
  socket.on('message', (message, from) => {
    if (message.length > 64 || message.toString('latin1') !== DISCOVERY_QUESTION) return;
    if (!isPrivateAddress(from.address)) return;
    const now = Math.floor(monotonic() / 1000);
    if (now !== second) {
      second = now;
      answered = 0;
    }
    answered += 1;
    if (answered > MOST_ANSWERS_PER_S) return;
    socket.send(JSON.stringify(beacon()), from.port, from.address, () => undefined);
  });
}

/** Says the same to everybody at once and then from time to time, to who only listens. */
function sayToAll(socket: Socket, { beacon, networks, saysEveryMs }: Required<Spoken>): () => void {
  const say = () => {
    const datagram = JSON.stringify(beacon());
    // a network that is just going away takes nothing; the others do
    for (const { broadcast } of networks()) socket.send(datagram, DISCOVERY_PORT, broadcast, () => undefined);
  };
  say();
  const timer = setInterval(say, saysEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

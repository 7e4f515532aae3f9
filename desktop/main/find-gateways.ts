import { createSocket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import multicastDns from 'multicast-dns';
import { beacon, DISCOVERY_PORT, DISCOVERY_QUESTION, SERVICE } from '../../gateway/contract/discovery.ts';
import type { FoundGateway } from '../ipc.ts';

// Two ways at once: the name service that most networks let through, and a question to everybody on each network that
// this machine is in. What answers is only a proposal: the person chooses, and then its key is pinned.

const LISTEN_MS = 2_500;
const MOST = 50;

/** Every gateway that answers, once for each address it was reached at. */
export async function findGateways(port = DISCOVERY_PORT): Promise<readonly FoundGateway[]> {
  const found = new Map<string, FoundGateway>();
  const hear = (text: string, address: string) => {
    const gateway = read(text, address);
    // one that claims to be another must not hide it
    if (gateway !== null && found.size < MOST)
      found.set(`${gateway.id} ${gateway.pin} ${gateway.url}`, gateway);
  };
  await Promise.all([askEverybody(port, hear), askNameService(port, hear)]);
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Each gateway once, for people who choose. */
export function oncePerGateway(found: readonly FoundGateway[]): FoundGateway[] {
  const once = new Map<string, FoundGateway>();
  for (const one of found) {
    const key = `${one.id} ${one.pin}`;
    if (!once.has(key)) once.set(key, one);
  }
  return [...once.values()];
}

/** The answer of a gateway, as it reached this machine: at that address it can be spoken to. */
function read(text: string, address: string): FoundGateway | null {
  let told: unknown;
  try {
    told = JSON.parse(text);
  } catch {
    return null;
  }
  const parsed = beacon.safeParse(told);
  if (!parsed.success) return null;
  const { id, name, software, http_port, https_port, pin } = parsed.data;
  const host = address.includes(':') ? `[${address}]` : address;
  const isSecure = https_port !== null && pin !== null;
  return {
    id,
    name,
    software,
    pin,
    url: isSecure ? `https://${host}:${https_port}/` : `http://${host}:${http_port}/`,
  };
}

type Hear = (text: string, address: string) => void;

function askEverybody(port: number, hear: Hear): Promise<void> {
  return new Promise((resolve) => {
    const socket = createSocket({ type: 'udp4', reuseAddr: true });
    const end = () => {
      try {
        socket.close(() => resolve());
      } catch {
        resolve();
      }
    };
    socket.on('error', end);
    socket.on('message', (message, { address }) => hear(message.toString('utf8'), address));
    socket.bind(() => {
      socket.setBroadcast(true);
      for (const address of ['127.0.0.1', '255.255.255.255', ...broadcasts()]) {
        // a network that is just going away takes no question; the others do
        socket.send(DISCOVERY_QUESTION, port, address, () => undefined);
      }
      setTimeout(end, LISTEN_MS);
    });
  });
}

/** The broadcast address of each network of this machine. */
function broadcasts(): string[] {
  return Object.values(networkInterfaces())
    .flat()
    .flatMap((network) => {
      if (network === undefined || network.family !== 'IPv4' || network.internal) return [];
      const mask = network.netmask.split('.').map(Number);
      return [
        network.address
          .split('.')
          .map((part, index) => (Number(part) | (~(mask[index] ?? 255) & 255)) >>> 0)
          .join('.'),
      ];
    });
}

/** Asks for our service; whoever answers is asked directly for what it is. */
function askNameService(port: number, hear: Hear): Promise<void> {
  return new Promise((resolve) => {
    const mdns = multicastDns();
    const asked = new Set<string>();
    mdns.on('response', (response, { address }) => {
      const isOurs = (response.answers ?? []).some(({ name }) => name === SERVICE);
      if (!isOurs || asked.has(address)) return;
      asked.add(address);
      askOne(address, port, hear);
    });
    const end = () => mdns.destroy(() => resolve());
    mdns.on('error', end);
    mdns.query(SERVICE, 'PTR');
    setTimeout(end, LISTEN_MS);
  });
}

function askOne(address: string, port: number, hear: Hear): void {
  const socket = createSocket('udp4');
  socket.on('error', () => socket.close());
  socket.on('message', (message) => hear(message.toString('utf8'), address));
  socket.send(DISCOVERY_QUESTION, port, address, () => undefined);
  setTimeout(() => {
    try {
      socket.close();
    } catch {
      // it closed by itself
    }
  }, 1_500);
}

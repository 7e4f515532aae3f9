import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { networkInterfaces } from 'node:os';
import type { ResponseOutgoingPacket } from 'multicast-dns';
import multicastDns from 'multicast-dns';
import {
  BEACON_EVERY_S,
  type Beacon,
  DISCOVERY_PORT,
  DISCOVERY_QUESTION,
  hostsOf,
  SERVICE,
} from '#contract/discovery.ts';
import { takeDatagrams } from '#core/datagrams.ts';
import type { Log } from '#core/kernel.ts';

type OwnNetwork = { address: string; netmask: string; broadcast: string };

/** The IPv4 networks this machine is in, with the address that reaches everybody there. */
function ownNetworks(): OwnNetwork[] {
  return Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address, netmask }) => ({ address, netmask, broadcast: broadcastOf(address, netmask) }));
}

/** Whether an IPv4 address is in that network. */
function isNeighbour({ address, netmask }: Pick<OwnNetwork, 'address' | 'netmask'>, other: string): boolean {
  const [mask, own] = [numbersOf(netmask), numbersOf(address)];
  const theirs = numbersOf(other);
  return (
    theirs.length === 4 &&
    theirs.every((part, place) => ((part ^ (own[place] ?? 0)) & (mask[place] ?? 255)) === 0)
  );
}

function broadcastOf(address: string, netmask: string): string {
  const mask = numbersOf(netmask);
  return numbersOf(address)
    .map((part, place) => (part | (~(mask[place] ?? 255) & 255)) >>> 0)
    .join('.');
}

const numbersOf = (address: string): number[] => address.split('.').map(Number);

// The gateway in the name service of the local network (RFC 6762 and 6763): its service, the host it runs on, and its
// addresses, so that `http://camarao.local:8080` and the list of any DNS-SD browser lead to it.

type Answers = NonNullable<ResponseOutgoingPacket['answers']>;

const TTL_S = 120;
const ALL_SERVICES = '_services._dns-sd._udp.local';

type NameServiceDeps = {
  log: Log;
  beacon: () => Beacon;
  /** The networks this box is in now. */
  networks: () => readonly OwnNetwork[];
  looksEveryMs?: number;
  /** That of the name service everywhere; another one for tests. */
  port?: number;
};

/** Cables are plugged, and Wi-Fi comes back. */
const LOOKS_EVERY_MS = 5_000;
const MOST_NETWORKS = 8;

/**
 * Announces itself in every network of this box, in each with the address it has there, answers who asks, and says goodbye
 * at its end. Follows networks that come and go. Never throws.
 */
export function announceService(deps: NameServiceDeps): { close(): Promise<void> } {
  const voices = new Map<string, Voice>();

  function look(): void {
    const networks = deps.networks().slice(0, MOST_NETWORKS);
    const byName = new Map(networks.map((network) => [`${network.address}/${network.netmask}`, network]));
    for (const [name, voice] of voices) {
      if (byName.has(name)) continue;
      voices.delete(name);
      void voice.close();
    }
    for (const [name, network] of byName) {
      if (!voices.has(name)) voices.set(name, speakIn(deps, network));
    }
  }

  look();
  const timer = setInterval(look, deps.looksEveryMs ?? LOOKS_EVERY_MS);
  timer.unref();
  return {
    async close() {
      clearInterval(timer);
      await Promise.all([...voices.values()].map((voice) => voice.close()));
    },
  };
}

type Voice = { close: () => Promise<void> };

/** A socket of its own for each network: one alone speaks in the network of its default route only. */
function speakIn({ log, beacon, port }: NameServiceDeps, network: OwnNetwork): Voice {
  const { address } = network;
  const mdns = multicastDns({
    interface: address,
    // bound to an address of its own it would not hear what is said to all
    bind: '0.0.0.0',
    ...(port === undefined ? {} : { port }),
  });
  const facts = (): NameFacts => ({ beacon: beacon(), addresses: [address] });
  let isReady = true;
  let isHeard = true;
  mdns.on('error', (error) => {
    isReady = false;
    log.warn({ err: error, address }, 'the name service of the local network does not work here');
  });
  mdns.on('warning', (error) => log.debug({ err: error, address }, 'the name service met an oddity'));
  mdns.on('query', (query, from) => {
    // sockets hear what is asked in other networks, too
    if (!isReady || !isNeighbour(network, from.address)) return;
    const asked = (query.questions ?? []).slice(0, 16).map(({ name }) => name.toLowerCase());
    const response = answerTo(asked, facts());
    if (response !== null) say(response);
  });
  mdns.on('ready', () => {
    if (isReady) say(everything(facts(), TTL_S));
  });

  function say(response: ResponseOutgoingPacket): void {
    mdns.respond(response, (error) => {
      // told once, until it is heard again
      if (error && isHeard)
        log.warn({ err: error, address }, 'the name of this gateway could not be announced');
      isHeard = !error;
    });
  }

  return {
    async close() {
      // whoever has it in a list strikes it out at once
      if (isReady) {
        const goodbye = everything(facts(), 0);
        await new Promise<void>((resolve) => mdns.respond(goodbye, () => resolve()));
      }
      isReady = false;
      await new Promise<void>((resolve) => mdns.destroy(() => resolve()));
    },
  };
}

type NameFacts = { beacon: Beacon; addresses: readonly string[] };

/** What is answered to these names; null: none of them is ours. Names come in lower case. */
export function answerTo(asked: readonly string[], facts: NameFacts): ResponseOutgoingPacket | null {
  const { instance, host } = namesOf(facts.beacon);
  if (asked.includes(SERVICE)) return everything(facts, TTL_S);
  const isInstance = asked.includes(instance.toLowerCase());
  const answers = [
    ...(asked.includes(ALL_SERVICES)
      ? ([{ name: ALL_SERVICES, type: 'PTR', ttl: TTL_S, data: SERVICE }] satisfies Answers)
      : []),
    ...(isInstance ? serviceRecords(facts, TTL_S) : []),
    ...hostsOf(facts.beacon.id).flatMap((name) =>
      asked.includes(name) ? addressRecords(facts, name, TTL_S) : [],
    ),
  ];
  if (answers.length === 0) return null;
  return { answers, additionals: isInstance ? addressRecords(facts, host, TTL_S) : [] };
}

/** The service with all that leads to it; a TTL of 0 takes it back. */
function everything(facts: NameFacts, ttl: number): ResponseOutgoingPacket {
  const { instance } = namesOf(facts.beacon);
  return {
    answers: [{ name: SERVICE, type: 'PTR', ttl, data: instance }],
    additionals: [
      ...serviceRecords(facts, ttl),
      ...hostsOf(facts.beacon.id).flatMap((name) => addressRecords(facts, name, ttl)),
    ],
  };
}

function serviceRecords({ beacon }: NameFacts, ttl: number): Answers {
  const { instance, host } = namesOf(beacon);
  const { http_port, https_port, pin, id } = beacon;
  return [
    { name: instance, type: 'SRV', ttl, data: { port: http_port, target: host } },
    {
      name: instance,
      type: 'TXT',
      ttl,
      data: [
        `id=${id}`,
        ...(https_port === null ? [] : [`https=${https_port}`]),
        ...(pin === null ? [] : [`pin=${pin}`]),
      ],
    },
  ];
}

function addressRecords({ addresses }: NameFacts, name: string, ttl: number): Answers {
  return addresses.slice(0, 8).map((data) => ({ name, type: 'A', ttl, data }));
}

function namesOf({ name, id }: Beacon): { instance: string; host: string } {
  const [host] = hostsOf(id);
  return { instance: `${name.replaceAll('.', ' ').slice(0, 60)}.${SERVICE}`, host };
}

// Answers whoever looks for a gateway on the farm's network. It tells nothing that the network does not see anyway, and
// the answer is hardly longer than the question, so that nobody can use it to flood somebody else.

type AnnounceDeps = {
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

type Announcer = { port: number; close(): Promise<void> };

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
  answerQuestions(socket, { log, beacon, isPrivateAddress, monotonic });
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
    log,
    beacon,
    isPrivateAddress,
    monotonic,
  }: Required<Pick<AnnounceDeps, 'log' | 'beacon' | 'isPrivateAddress' | 'monotonic'>>,
): void {
  let second = 0;
  let answered = 0;
  const take = (message: Buffer, from: RemoteInfo) => {
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
  };
  takeDatagrams(socket, { log, take });
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
